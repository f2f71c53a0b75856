import Media
import Mux
import Testing

@Suite struct SequenceParameterSetTests {
    @Test func `High profile from x264 is 4:2:0 with 8 bits`() throws {
        for (kind, reorders) in [(TestStream.Kind.simple, false), (.reordered, true)] {
            guard case .h264(let bytes, _)? = try kind.stream().description.video?.codec else {
                throw Tool.Failure(command: "x264", output: "no SPS")
            }
            let set = try #require(SequenceParameterSet(nalUnit: bytes))
            #expect(set.profile == 100)
            #expect(set.chromaFormat == 1)
            #expect(set.lumaBitDepth == 8)
            #expect(set.mayReorder == reorders)
        }
    }

    @Test func `High 4:4:4 says so, and in the configuration record too`() throws {
        // seq_parameter_set_id 0, chroma_format_idc 3, no separate planes, 8 bits, no bypass, no matrices, frame_num of 4 bits, order type 2.
        // 1 00100 0 1 | 1 0 0 1 011 1
        let bytes: [UInt8] = [0x67, 244, 0, 30, 0b1001_0001, 0b1001_0111]
        let set = try #require(SequenceParameterSet(nalUnit: bytes))
        #expect(set.chromaFormat == 3)
        #expect(!set.mayReorder)
        let record = AVCDecoderConfigurationRecord(sequenceParameterSet: bytes, pictureParameterSet: [0x68, 1])
        #expect(
            record.bytes == [1, 244, 0, 30, 0xFF, 0xE1, 0, 6, 0x67, 244, 0, 30, 0b1001_0001, 0b1001_0111, 1, 0, 2, 0x68, 1, 0xFF, 0xF8, 0xF8, 0])
    }

    @Test func `Baseline has no chroma fields in the record`() {
        let record = AVCDecoderConfigurationRecord(sequenceParameterSet: [0x67, 66, 0xC0, 31, 0xFF], pictureParameterSet: [0x68])
        #expect(record.bytes == [1, 66, 0xC0, 31, 0xFF, 0xE1, 0, 5, 0x67, 66, 0xC0, 31, 0xFF, 1, 0, 1, 0x68])
    }

    @Test(arguments: [[], [0x67], [0x67, 100, 0, 30], [0x67, 100, 0, 30, 0], [0x67, 100, 0, 30, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func `what is too short is no parameter set`(bytes: [UInt8]) {
        #expect(SequenceParameterSet(nalUnit: bytes) == nil)
    }
}
