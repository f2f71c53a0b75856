/// The fields of an H.264 sequence parameter set that muxers and the encoder need (Rec. ITU-T H.264, 7.3.2.1.1).
package struct SequenceParameterSet: Equatable, Sendable {
    /// `profile_idc`: 66 is Baseline, 77 Main, 100 High, 244 High 4:4:4 Predictive.
    package let profile: UInt8
    /// The constraint_set flags, as one byte.
    package let compatibility: UInt8
    /// `level_idc`: ten times the level.
    package let level: UInt8
    /// `chroma_format_idc`: 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4.
    package let chromaFormat: UInt8
    /// `separate_colour_plane_flag`: each colour component is coded as a picture of its own.
    package let hasSeparateColourPlanes: Bool
    /// Bits of a luma sample, from 8 to 14.
    package let lumaBitDepth: UInt8
    /// Bits of a chroma sample, from 8 to 14.
    package let chromaBitDepth: UInt8
    /// Bits of `frame_num` in a slice header, from 4 to 16.
    package let frameNumberBits: Int
    /// `pic_order_cnt_type`, from 0 to 2.
    package let pictureOrderCountType: UInt8
    /// The fields after `pic_order_cnt_type`. Nil if the set ends before them or has an invalid value there; a
    /// container needs none of them.
    package let layout: Layout?

    /// The reference pictures and the size of a coded video sequence.
    package struct Layout: Equatable, Sendable {
        /// Bits of `pic_order_cnt_lsb` in a slice header, from 4 to 16; 0 if `pic_order_cnt_type` is not 0.
        package let pictureOrderCountBits: Int
        /// `max_num_ref_frames`.
        package let maximumReferenceCount: Int
        /// `pic_width_in_mbs_minus1` + 1, at most 65,535.
        package let widthInMacroblocks: Int
        /// The height of a frame in macroblocks (`FrameHeightInMbs`), at most 131,070.
        package let heightInMacroblocks: Int
        /// `frame_mbs_only_flag`: the sequence has no fields and no field macroblocks.
        package let hasOnlyFrames: Bool

        /// Macroblocks in a frame.
        package var macroblockCount: Int { widthInMacroblocks * heightInMacroblocks }
    }

    /// False if pictures are output in the order in which they are decoded: `pic_order_cnt_type` is 2 (8.2.1.3).
    package var mayReorder: Bool { pictureOrderCountType != 2 }

    /// True for the profiles whose sets contain chroma format and bit depth (7.3.2.1.1). In all other profiles these
    /// are 4:2:0 and 8 bits.
    package var hasChromaFormat: Bool { Self.profilesWithChromaFormat.contains(profile) }

    private static let profilesWithChromaFormat: Set<UInt8> = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    /// Reads a NAL unit with its header byte, whose type is not checked.
    ///
    /// Returns nil if the unit ends before or within `pic_order_cnt_type`, or a field up to it has an invalid value.
    package init?(nalUnit: [UInt8]) {
        var reader = BitReader(EmulationPrevention.remove(from: nalUnit.dropFirst()))
        do throws(BitstreamError) {
            try self.init(reading: &reader)
        } catch {
            return nil
        }
    }

    /// Leaves `reader` after `frame_mbs_only_flag`, if `layout` is not nil.
    init(reading reader: inout BitReader) throws(BitstreamError) {
        profile = UInt8(try reader.bits(8))
        compatibility = UInt8(try reader.bits(8))
        level = UInt8(try reader.bits(8))
        _ = try reader.unsignedExpGolomb()  // seq_parameter_set_id
        if Self.profilesWithChromaFormat.contains(profile) {
            chromaFormat = UInt8(try reader.unsignedExpGolomb(upTo: 3))
            hasSeparateColourPlanes = try chromaFormat == 3 ? reader.flag() : false
            lumaBitDepth = 8 + UInt8(try reader.unsignedExpGolomb(upTo: 6))
            chromaBitDepth = 8 + UInt8(try reader.unsignedExpGolomb(upTo: 6))
            _ = try reader.flag()  // qpprime_y_zero_transform_bypass_flag
            if try reader.flag() { try Self.skipScalingLists(count: chromaFormat == 3 ? 12 : 8, &reader) }
        } else {
            (chromaFormat, hasSeparateColourPlanes, lumaBitDepth, chromaBitDepth) = (1, false, 8, 8)
        }
        frameNumberBits = 4 + Int(try reader.unsignedExpGolomb(upTo: 12))
        pictureOrderCountType = UInt8(try reader.unsignedExpGolomb(upTo: 2))
        layout = try? Layout(after: pictureOrderCountType, reading: &reader)
    }

    /// Skips scaling_list() for each list that is present (7.3.2.1.1.1).
    private static func skipScalingLists(count: Int, _ reader: inout BitReader) throws(BitstreamError) {
        for list in 0..<count where try reader.flag() {
            var last: Int32 = 8
            var next: Int32 = 8
            for _ in 0..<(list < 6 ? 16 : 64) {
                if next != 0 {
                    let delta = try reader.signedExpGolomb()
                    guard (-128...127).contains(delta) else { throw .invalidValue }
                    next = (last + delta + 256) % 256
                }
                if next != 0 { last = next }
            }
        }
    }
}

extension SequenceParameterSet.Layout {
    /// Reads the fields that follow `pic_order_cnt_type`, up to `frame_mbs_only_flag`.
    fileprivate init(after pictureOrderCountType: UInt8, reading reader: inout BitReader) throws(BitstreamError) {
        // log2_max_pic_order_cnt_lsb_minus4
        pictureOrderCountBits = try pictureOrderCountType == 0 ? 4 + Int(reader.unsignedExpGolomb(upTo: 12)) : 0
        switch pictureOrderCountType {
        case 1:
            _ = try reader.flag()  // delta_pic_order_always_zero_flag
            _ = try reader.signedExpGolomb()  // offset_for_non_ref_pic
            _ = try reader.signedExpGolomb()  // offset_for_top_to_bottom_field
            // offset_for_ref_frame
            for _ in 0..<(try reader.unsignedExpGolomb(upTo: 255)) { _ = try reader.signedExpGolomb() }
        default: break
        }
        // 16 is MaxDpbFrames (A.3.1).
        maximumReferenceCount = Int(try reader.unsignedExpGolomb(upTo: 16))
        _ = try reader.flag()  // gaps_in_frame_num_value_allowed_flag
        widthInMacroblocks = Int(try reader.unsignedExpGolomb(upTo: 0xFFFE)) + 1
        let heightInMapUnits = Int(try reader.unsignedExpGolomb(upTo: 0xFFFE)) + 1
        hasOnlyFrames = try reader.flag()
        heightInMacroblocks = hasOnlyFrames ? heightInMapUnits : 2 * heightInMapUnits
    }
}

extension BitReader {
    /// Reads ue(v). Throws `invalidValue` if it is greater than `maximum`.
    mutating func unsignedExpGolomb(upTo maximum: UInt32) throws(BitstreamError) -> UInt32 {
        let value = try unsignedExpGolomb()
        guard value <= maximum else { throw .invalidValue }
        return value
    }
}
