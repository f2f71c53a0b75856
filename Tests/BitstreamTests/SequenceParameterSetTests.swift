import Bitstream
import Testing

@Suite struct SequenceParameterSetTests {
    @Test func `the fields of x264's High profile`() throws {
        let set = try #require(SequenceParameterSet(nalUnit: Samples.highSPS))
        #expect(set.profile == 100 && set.compatibility == 0 && set.level == 31)
        #expect(set.hasChromaFormat && set.chromaFormat == 1 && !set.hasSeparateColourPlanes)
        #expect(set.lumaBitDepth == 8 && set.chromaBitDepth == 8)
        #expect(set.frameNumberBits == 4 && set.pictureOrderCountType == 2 && !set.mayReorder)
        let layout = try #require(set.layout)
        #expect(layout.maximumReferenceCount == 1 && layout.hasOnlyFrames)
        #expect(layout.widthInMacroblocks == 80 && layout.heightInMacroblocks == 45 && layout.macroblockCount == 3600)
    }

    @Test(
        arguments: [(Samples.high444SPS, 244, 3, true), (Samples.baselineSPS, 66, 1, false)]
            as [([UInt8], UInt8, UInt8, Bool)])
    func `the fields of x264's other profiles`(bytes: [UInt8], profile: UInt8, chroma: UInt8, hasChroma: Bool) throws {
        let set = try #require(SequenceParameterSet(nalUnit: bytes))
        #expect(
            set.profile == profile && set.chromaFormat == chroma && set.hasChromaFormat == hasChroma && set.level == 31)
        #expect(set.lumaBitDepth == 8 && set.chromaBitDepth == 8 && !set.mayReorder)
        #expect(set.layout?.macroblockCount == 3600)
    }

    @Test func `High 4:4:4 is read, and written to the configuration record`() throws {
        // seq_parameter_set_id 0, chroma_format_idc 3, no separate planes, 8 bits, no bypass, no matrices, frame_num of
        // 4 bits, order type 2. 1 00100 0 1 | 1 0 0 1 011 1
        let bytes: [UInt8] = [0x67, 244, 0, 30, 0b1001_0001, 0b1001_0111]
        let set = try #require(SequenceParameterSet(nalUnit: bytes))
        #expect(set.chromaFormat == 3)
        #expect(!set.mayReorder)
        let record = AVCDecoderConfigurationRecord(sequenceParameterSet: bytes, pictureParameterSet: [0x68, 1])
        #expect(
            record.bytes == [
                1, 244, 0, 30, 0xFF, 0xE1, 0, 6, 0x67, 244, 0, 30, 0b1001_0001, 0b1001_0111, 1, 0, 2, 0x68, 1, 0xFF,
                0xF8, 0xF8, 0,
            ])
    }

    @Test(arguments: [Samples.highSPS, Samples.high444SPS, Samples.baselineSPS])
    func `the timing is read and replaced, and nothing else changes`(bytes: [UInt8]) throws {
        let timing = try #require(SequenceParameterSet.timing(of: bytes))
        // x264's own: the rate is fixed.
        #expect(timing.isFixed && timing.timeScale / timing.unitsPerTick == 60)
        let other = SequenceParameterSet.Timing(frameRate: 25, isFixed: false)
        #expect(other.unitsPerTick == 1 && other.timeScale == 50)
        let changed = SequenceParameterSet.replacing(timing: other, in: bytes)
        #expect(SequenceParameterSet.timing(of: changed) == other)
        #expect(SequenceParameterSet(nalUnit: changed) == SequenceParameterSet(nalUnit: bytes))
        #expect(SequenceParameterSet.replacing(timing: timing, in: changed) == bytes)
    }

    @Test func `a set without timing, and every prefix of a set, stay as they are`() {
        let timing = SequenceParameterSet.Timing(frameRate: 25, isFixed: false)
        for count in 0..<Samples.highSPS.count - 8 {
            let prefix = Array(Samples.highSPS.prefix(count))
            #expect(SequenceParameterSet.timing(of: prefix) == nil)
            #expect(SequenceParameterSet.replacing(timing: timing, in: prefix) == prefix)
        }
    }

    @Test func `a set that ends after the order type has no layout`() throws {
        let set = try #require(SequenceParameterSet(nalUnit: [0x67, 66, 0xC0, 31, 0xFF]))
        #expect(set.pictureOrderCountType == 0 && set.mayReorder && set.layout == nil)
    }

    @Test(
        arguments: [[], [0x67], [0x67, 100, 0, 30], [0x67, 100, 0, 30, 0], [0x67, 100, 0, 30, 0, 0, 0, 0, 0, 0]]
            as [[UInt8]])
    func `a truncated parameter set is rejected`(bytes: [UInt8]) {
        #expect(SequenceParameterSet(nalUnit: bytes) == nil)
    }

    /// A High profile set up to `frame_mbs_only_flag`, in which the caller writes what follows
    /// `qpprime_y_zero_transform_bypass_flag`.
    private func set(_ write: (inout BitWriter) -> Void) -> SequenceParameterSet? {
        var writer = BitWriter()
        for value: UInt32 in [0x67, 100, 0, 31] { writer.bits(value, count: 8) }
        for value: UInt32 in [0, 1, 0, 0] { writer.unsignedExpGolomb(value) }
        writer.flag(false)
        write(&writer)
        return SequenceParameterSet(nalUnit: EmulationPrevention.insert(into: writer.bytes))
    }

    /// frame_num of 10 bits, order type 2, one reference, 20x10 map units, interlaced.
    private func writeRest(_ writer: inout BitWriter) {
        for value: UInt32 in [6, 2, 1] { writer.unsignedExpGolomb(value) }
        writer.flag(false)
        for value: UInt32 in [19, 9] { writer.unsignedExpGolomb(value) }
        writer.flag(false)
    }

    @Test func `the fields after scaling lists are read`() throws {
        let set = set { writer in
            writer.flag(true)
            // A full list of 16, one that ends at once, one of 64, and five that are absent.
            writer.flag(true)
            for index in 0..<16 { writer.signedExpGolomb(index == 0 ? 100 : 1) }
            writer.flag(true)
            writer.signedExpGolomb(-8)
            for _ in 0..<4 { writer.flag(false) }
            writer.flag(true)
            for _ in 0..<64 { writer.signedExpGolomb(0) }
            writer.flag(false)
            writeRest(&writer)
        }
        #expect(set?.frameNumberBits == 10 && set?.mayReorder == false)
        #expect(
            set?.layout?.widthInMacroblocks == 20 && set?.layout?.heightInMacroblocks == 20
                && set?.layout?.hasOnlyFrames == false)
    }

    @Test func `the offsets of order type 1 are skipped`() throws {
        let set = set { writer in
            writer.flag(false)
            for value: UInt32 in [0, 1] { writer.unsignedExpGolomb(value) }
            writer.flag(true)
            for value: Int32 in [-3, 4] { writer.signedExpGolomb(value) }
            writer.unsignedExpGolomb(2)
            for value: Int32 in [7, -.max] { writer.signedExpGolomb(value) }
            writer.unsignedExpGolomb(4)
            writer.flag(true)
            for value: UInt32 in [0, 1] { writer.unsignedExpGolomb(value) }
            writer.flag(true)
        }
        #expect(set?.pictureOrderCountType == 1 && set?.layout?.maximumReferenceCount == 4)
        #expect(set?.layout?.macroblockCount == 2)
    }

    @Test func `values outside their range are rejected`() {
        // 17 bits of frame_num, order type 3, and a scaling list that starts with 136.
        for (frameNumberBits, orderType): (UInt32, UInt32) in [(13, 0), (0, 3)] {
            let set = set { writer in
                writer.flag(false)
                writer.unsignedExpGolomb(frameNumberBits)
                writer.unsignedExpGolomb(orderType)
            }
            #expect(set == nil)
        }
        let scaling = set { writer in
            writer.flag(true)
            writer.flag(true)
            writer.signedExpGolomb(128)
            writer.bits(0, count: 32)
        }
        #expect(scaling == nil)
        let huge = set { writer in
            writer.flag(false)
            for value: UInt32 in [0, 2, 1] { writer.unsignedExpGolomb(value) }
            writer.flag(false)
            for value: UInt32 in [.max - 1, .max - 1] { writer.unsignedExpGolomb(value) }
            writer.flag(true)
        }
        #expect(huge != nil && huge?.layout == nil)
    }
}
