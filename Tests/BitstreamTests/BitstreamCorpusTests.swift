import Bitstream
import FuzzTargets
import Testing

/// Real headers, truncated and with flipped bits. `FuzzTargets.bitstream` checks the results.
@Suite struct BitstreamCorpusTests {
    static let inputs: [[UInt8]] = [
        Samples.highSPS, Samples.highPPS, Samples.high444SPS, Samples.high444PPS, Samples.baselineSPS,
        Samples.baselinePPS,
        AVCDecoderConfigurationRecord(sequenceParameterSet: Samples.highSPS, pictureParameterSet: Samples.highPPS)
            .bytes,
        [1, 66, 0, 30, 0xFF, 0xE2, 0, 1, 7, 0, 2, 8, 9, 2, 0, 1, 5, 0, 1, 6], Samples.audioSpecificConfig,
        [0x17, 0x80, 0x56, 0x22, 0x10],
        Samples.adtsHeader, [0xFF, 0xF0, 0x4C, 0x80, 0x0D, 0x7F, 0xFC, 0, 0], [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41],
        Samples.keyframeSlice, Samples.weightedSlice,
        [0, 0, 0, 2, 9, 0x10, 0, 0, 0, UInt8(Samples.weightedSlice.count)] + Samples.weightedSlice
            + [0, 0, 0, UInt8(Samples.weightedSlice.count)] + Samples.weightedSlice,
    ]

    @Test(arguments: inputs) func `every prefix is parsed or rejected`(input: [UInt8]) {
        Mutations.prefixes(of: input, FuzzTargets.bitstream)
    }

    @Test(arguments: inputs) func `flipped bits are parsed or rejected`(input: [UInt8]) {
        Mutations.wrongBits(in: input, count: 3000, FuzzTargets.bitstream)
    }

    @Test func `a truncated record is never parsed as a complete one`() {
        let record = AVCDecoderConfigurationRecord(
            sequenceParameterSet: Samples.highSPS, pictureParameterSet: Samples.highPPS)
        // The four bytes after the parameter sets are optional: records of other profiles do not contain them.
        for length in 0..<record.bytes.count - 4 {
            #expect(throws: BitstreamError.self) {
                try AVCDecoderConfigurationRecord(reading: Array(record.bytes[..<length]))
            }
        }
    }

    @Test func `a truncated ADTS header is never parsed as a complete one`() {
        for length in 0..<Samples.adtsHeader.count {
            #expect(throws: BitstreamError.truncated) { try ADTSHeader.read(Array(Samples.adtsHeader[..<length])) }
        }
    }
}
