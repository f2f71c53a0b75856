/// What of the encoder's parameter sets is needed to write slices that fit between its own
/// (Rec. ITU-T H.264, 7.3.2.1.1 and 7.3.2.2).
struct ParameterSets {
    /// Bits of frame_num in a slice header.
    let frameNumberBits: Int
    let pictureParameterSetIdentifier: UInt32
    let macroblockCount: Int
    /// QP that a slice starts from, less 26.
    let initialQuantizer: Int32
    let hasDeblockingControl: Bool
    /// True where repeat pictures can be written: CABAC, progressive, picture order count type 2, no weighted prediction,
    /// one reference, one slice group, no redundant pictures, no separate colour planes. A skipped macroblock is coded alike in 4:2:0 and
    /// in 4:4:4 (7.3.4, 7.3.5).
    let allowsRepeatPictures: Bool

    /// Reads both sets: NAL units with their header byte. Any profile, without scaling lists.
    init(sequence: [UInt8], picture: [UInt8]) {
        var sps = BitReader(EmulationPrevention.remove(from: sequence.dropFirst()))
        let profile = sps.bits(8)
        _ = sps.bits(16)
        _ = sps.unsignedExpGolomb()
        var isPlain = true
        if [100, 110, 122, 244, 44, 83, 86, 118, 128].contains(profile) {
            if sps.unsignedExpGolomb() == 3, sps.bit() == 1 { isPlain = false }
            _ = sps.unsignedExpGolomb()
            _ = sps.unsignedExpGolomb()
            _ = sps.bit()
            if sps.bit() == 1 { isPlain = false }
        }
        frameNumberBits = Int(sps.unsignedExpGolomb()) + 4
        let orderCountType = sps.unsignedExpGolomb()
        if orderCountType == 0 { _ = sps.unsignedExpGolomb() }
        let references = sps.unsignedExpGolomb()
        _ = sps.bit()
        let width = sps.unsignedExpGolomb() + 1
        let height = sps.unsignedExpGolomb() + 1
        let framesOnly = sps.bit() == 1
        macroblockCount = Int(width) * Int(height)

        var pps = BitReader(EmulationPrevention.remove(from: picture.dropFirst()))
        pictureParameterSetIdentifier = pps.unsignedExpGolomb()
        _ = pps.unsignedExpGolomb()
        let isCABAC = pps.bit() == 1
        _ = pps.bit()
        let sliceGroups = pps.unsignedExpGolomb()
        _ = pps.unsignedExpGolomb()
        _ = pps.unsignedExpGolomb()
        let isWeighted = pps.bit() == 1
        _ = pps.bits(2)
        initialQuantizer = pps.signedExpGolomb()
        _ = pps.signedExpGolomb()
        _ = pps.signedExpGolomb()
        hasDeblockingControl = pps.bit() == 1
        _ = pps.bit()
        let hasRedundantPictures = pps.bit() == 1
        allowsRepeatPictures =
            isPlain && orderCountType == 2 && references == 1 && framesOnly && isCABAC && sliceGroups == 0 && !isWeighted && !hasRedundantPictures
    }
}
