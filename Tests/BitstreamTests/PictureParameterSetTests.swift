import Bitstream
import Testing

@Suite struct PictureParameterSetTests {
    @Test func `the fields of x264's sets`() throws {
        let high = try #require(PictureParameterSet(nalUnit: Samples.highPPS))
        #expect(high.identifier == 0 && high.usesCABAC && high.sliceGroupCount == 1 && high.hasWeightedPrediction)
        #expect(high.initialQuantizer == 23 && high.hasDeblockingControl && !high.hasRedundantPictures)
        #expect(high.defaultReferenceCount == 1)
        #expect(PictureParameterSet(nalUnit: Samples.high444PPS) == high)
        let baseline = try #require(PictureParameterSet(nalUnit: Samples.baselinePPS))
        #expect(!baseline.usesCABAC && !baseline.hasWeightedPrediction)
        #expect(baseline.initialQuantizer == 23 && baseline.hasDeblockingControl && !baseline.hasRedundantPictures)
    }

    /// Every type of slice group map, with the codes after its type.
    @Test(
        arguments: [
            (0, [5, 6, 7]), (1, []), (2, [0, 9, 3, 12]), (3, [nil, 4]), (4, [nil, 4]), (5, [nil, 4]), (6, [2]),
        ] as [(UInt32, [UInt32?])])
    func `the fields after slice groups are read`(type: UInt32, codes: [UInt32?]) throws {
        var writer = BitWriter()
        writer.bits(0x68, count: 8)
        writer.unsignedExpGolomb(3)
        writer.unsignedExpGolomb(0)
        writer.flag(false)
        writer.flag(false)
        writer.unsignedExpGolomb(2)
        writer.unsignedExpGolomb(type)
        // nil is a flag.
        for code in codes { if let code { writer.unsignedExpGolomb(code) } else { writer.flag(true) } }
        // slice_group_id of three map units, 2 bits each for three groups.
        if type == 6 { for value: UInt32 in [0, 1, 2] { writer.bits(value, count: 2) } }
        for value: UInt32 in [31, 0] { writer.unsignedExpGolomb(value) }
        writer.flag(true)
        writer.bits(0, count: 2)
        for value: Int32 in [-26, 0, -2] { writer.signedExpGolomb(value) }
        for value in [false, false, true] { writer.flag(value) }
        let set = try #require(PictureParameterSet(nalUnit: EmulationPrevention.insert(into: writer.bytes)))
        #expect(
            set.identifier == 3 && set.sliceGroupCount == 3 && set.hasWeightedPrediction && set.initialQuantizer == 0)
        #expect(!set.hasDeblockingControl && set.hasRedundantPictures && set.defaultReferenceCount == 32)
    }

    @Test(arguments: [[], [0x68], [0x68, 0xEF], [0x68, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func `a set that is too short or invalid is rejected`(bytes: [UInt8]) {
        #expect(PictureParameterSet(nalUnit: bytes) == nil)
    }
}
