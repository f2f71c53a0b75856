import Bitstream
import Testing

@Suite struct AVCDecoderConfigurationRecordTests {
    @Test func `Baseline has no chroma fields in the record`() {
        let record = AVCDecoderConfigurationRecord(
            sequenceParameterSet: [0x67, 66, 0xC0, 31, 0xFF], pictureParameterSet: [0x68])
        #expect(record.bytes == [1, 66, 0xC0, 31, 0xFF, 0xE1, 0, 5, 0x67, 66, 0xC0, 31, 0xFF, 1, 0, 1, 0x68])
    }

    @Test func `a record of x264's parameter sets is read unchanged`() throws {
        let record = AVCDecoderConfigurationRecord(
            sequenceParameterSet: Samples.highSPS, pictureParameterSet: Samples.highPPS)
        #expect(
            record.bytes == [1, 0x64, 0, 0x1F, 0xFF, 0xE1, 0, 24] + Samples.highSPS + [1, 0, 4] + Samples.highPPS + [
                0xFD, 0xF8, 0xF8, 0,
            ])
        #expect(try AVCDecoderConfigurationRecord(reading: record.bytes) == record)
    }

    @Test func `an unreadable sequence parameter set is declared as High, level 4`() throws {
        let record = AVCDecoderConfigurationRecord(sequenceParameterSet: [0x67, 1], pictureParameterSet: [0x68])
        #expect(record.bytes == [1, 100, 0, 40, 0xFF, 0xE1, 0, 2, 0x67, 1, 1, 0, 1, 0x68])
        #expect(try AVCDecoderConfigurationRecord(reading: record.bytes) == record)
    }

    @Test func `the first of several parameter sets is used`() throws {
        let record = try AVCDecoderConfigurationRecord(reading: [
            1, 66, 0, 30, 0xFF, 0xE2, 0, 1, 7, 0, 2, 8, 9, 2, 0, 1, 5, 0, 1, 6,
        ])
        #expect(record.sequenceParameterSet == [7] && record.pictureParameterSet == [5])
    }

    @Test(
        arguments: [
            ([], .truncated), ([0, 66, 0, 30, 0xFF], .unsupportedVersion(0)),
            ([1, 66, 0, 30, 0xFD, 0xE0], .unsupportedLengthSize(2)),
            ([1, 66, 0, 30, 0xFF, 0xE0, 0], .missingParameterSet),
            ([1, 66, 0, 30, 0xFF, 0xE1, 0, 0, 1, 0, 1, 5], .missingParameterSet),
            ([1, 66, 0, 30, 0xFF, 0xE1, 0, 1, 7, 0], .missingParameterSet),
            ([1, 66, 0, 30, 0xFF, 0xE1, 0, 9, 7], .truncated),
        ] as [([UInt8], BitstreamError)])
    func `an invalid record causes a typed error`(bytes: [UInt8], error: BitstreamError) {
        #expect(throws: error) { try AVCDecoderConfigurationRecord(reading: bytes) }
    }
}
