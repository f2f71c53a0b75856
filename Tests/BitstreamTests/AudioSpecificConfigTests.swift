import Bitstream
import Testing

@Suite struct AudioSpecificConfigTests {
    @Test func `the fields of libavcodec's AAC-LC`() throws {
        let configuration = try AudioSpecificConfig(reading: Samples.audioSpecificConfig)
        #expect(configuration == AudioSpecificConfig(objectType: 2, sampleRate: 48_000, channelConfiguration: 2))
        #expect(configuration.sampleRateIndex == 3 && configuration.channelCount == 2)
        #expect(configuration.bytes == [0x11, 0x90])
    }

    @Test(arguments: [1, 2, 5, 30, 32, 42, 95] as [UInt8], AudioSpecificConfig.sampleRates + [1, 44_101, 0xFF_FFFF])
    func `a written configuration is read unchanged`(objectType: UInt8, sampleRate: Int) throws {
        for channels: UInt8 in [0, 1, 6, 7, 15] {
            let configuration = AudioSpecificConfig(
                objectType: objectType, sampleRate: sampleRate, channelConfiguration: channels)
            #expect(try AudioSpecificConfig(reading: configuration.bytes) == configuration)
        }
    }

    @Test func `an explicit sample rate is read`() throws {
        // 00010 1111 | 24 bits: 44 100 | 0010 000
        let configuration = try AudioSpecificConfig(reading: [0x17, 0x80, 0x56, 0x22, 0x10])
        #expect(configuration == AudioSpecificConfig(objectType: 2, sampleRate: 44_100, channelConfiguration: 2))
    }

    @Test func `configuration 7 has eight channels, and some configurations have no channel count`() {
        func count(_ configuration: UInt8) -> Int? {
            AudioSpecificConfig(objectType: 2, sampleRate: 48_000, channelConfiguration: configuration).channelCount
        }
        #expect((0...8).map { count($0) } == [nil, 1, 2, 3, 4, 5, 6, 8, nil])
    }

    @Test(
        arguments: [
            ([], .truncated), ([0x11], .truncated), ([0x17, 0x80, 0xBB], .truncated), ([0x01, 0x90], .invalidValue),
            ([0x16, 0x90], .invalidValue),
            ([0x17, 0x80, 0, 0, 0], .invalidValue), ([0xFF], .truncated),
        ] as [([UInt8], BitstreamError)])
    func `an invalid configuration causes a typed error`(bytes: [UInt8], error: BitstreamError) {
        #expect(throws: error) { try AudioSpecificConfig(reading: bytes) }
    }
}
