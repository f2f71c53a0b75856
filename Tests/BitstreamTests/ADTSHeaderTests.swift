import Bitstream
import Media
import Testing

@Suite struct ADTSHeaderTests {
    private func header(_ config: [UInt8], rate: Int = 48_000, channels: Int = 2) -> ADTSHeader {
        ADTSHeader(
            AudioTrackFormat(
                track: .mixed, format: AudioFormat(sampleRate: rate, channelCount: channels),
                audioSpecificConfig: config, bitrate: 160, priming: 1024
            ))
    }

    @Test func `48 kHz stereo with 100 bytes has the expected header`() {
        #expect(header([0x11, 0x90]).bytes(payloadByteCount: 100) == [0xFF, 0xF1, 0x4C, 0x80, 0x0D, 0x7F, 0xFC])
    }

    @Test func `44,1 kHz mono with 1000 bytes has the expected header`() {
        #expect(header([0x12, 0x08]).bytes(payloadByteCount: 1000) == [0xFF, 0xF1, 0x50, 0x40, 0x7D, 0xFF, 0xFC])
    }

    @Test func `without a valid configuration, the header uses the format`() {
        #expect(header([]) == header([0x11, 0x90]))
        #expect(header([0x17, 0x80, 0, 0, 0], rate: 44_100, channels: 1) == header([0x12, 0x08]))
    }

    @Test func `a packet that does not fit in 13 bits has no header`() {
        #expect(header([0x11, 0x90]).bytes(payloadByteCount: 8184) != nil)
        #expect(header([0x11, 0x90]).bytes(payloadByteCount: 8185) == nil)
    }

    @Test func `a written header is read unchanged`() throws {
        for count in [0, 1, 100, 1000, ADTSHeader.maximumPayloadByteCount] {
            let header = header([0x12, 0x08])
            let read = try ADTSHeader.read(try #require(header.bytes(payloadByteCount: count)))
            #expect(read.header == header && read.payload == 7..<7 + count)
        }
    }

    @Test func `a header with a checksum has nine bytes`() throws {
        let read = try ADTSHeader.read([0xFF, 0xF0, 0x4C, 0x80, 0x0D, 0x7F, 0xFC, 0, 0])
        #expect(read.header == header([0x11, 0x90]) && read.payload == 9..<107)
    }

    @Test func `a rate without an index is replaced by the nearest one`() {
        #expect(header([], rate: .min).sampleRateIndex == 12 && header([], rate: .max).sampleRateIndex == 0)
        #expect(header([], rate: 47_000).sampleRateIndex == 3)
    }

    @Test(
        arguments: [
            ([0xFF, 0xE1, 0x4C, 0x80, 0x0D, 0x7F, 0xFC], .missingSyncword),
            ([0xFF, 0xF3, 0x4C, 0x80, 0x0D, 0x7F, 0xFC], .invalidValue),
            ([0xFF, 0xF1, 0x78, 0x80, 0x0D, 0x7F, 0xFC], .invalidValue),
            ([0xFF, 0xF1, 0x4C, 0x80, 0x00, 0xDF, 0xFC], .invalidValue),
            ([0xFF, 0xF1, 0x4C, 0x80, 0x0D, 0x7F, 0xFD], .invalidValue),
        ] as [([UInt8], BitstreamError)])
    func `an invalid header causes a typed error`(bytes: [UInt8], error: BitstreamError) {
        #expect(throws: error) { try ADTSHeader.read(bytes) }
    }
}
