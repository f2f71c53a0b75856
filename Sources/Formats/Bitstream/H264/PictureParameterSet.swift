/// The fields of an H.264 picture parameter set that the encoder needs to write slices of its own (Rec. ITU-T H.264,
/// 7.3.2.2).
package struct PictureParameterSet: Equatable, Sendable {
    /// `pic_parameter_set_id`, from 0 to 255.
    package let identifier: UInt32
    /// `entropy_coding_mode_flag`: CABAC if true, CAVLC if false.
    package let usesCABAC: Bool
    /// `bottom_field_pic_order_in_frame_present_flag`: slice headers of frames contain `delta_pic_order_cnt_bottom`.
    package let hasBottomFieldOrder: Bool
    /// `num_slice_groups_minus1` + 1, from 1 to 8.
    package let sliceGroupCount: Int
    /// `num_ref_idx_l0_default_active_minus1` + 1, from 1 to 32: the reference pictures of a P slice whose header does
    /// not say their number.
    package let defaultReferenceCount: Int
    /// `weighted_pred_flag`: P slices contain prediction weights.
    package let hasWeightedPrediction: Bool
    /// `pic_init_qp_minus26` + 26: the luma QP to which a slice adds its `slice_qp_delta`. Negative values exist for
    /// more than 8 bits a sample.
    package let initialQuantizer: Int32
    /// `deblocking_filter_control_present_flag`: slice headers contain the settings of the deblocking filter.
    package let hasDeblockingControl: Bool
    /// `redundant_pic_cnt_present_flag`: slice headers contain `redundant_pic_cnt`.
    package let hasRedundantPictures: Bool

    /// Reads a NAL unit with its header byte, whose type is not checked.
    ///
    /// Returns nil if the unit ends before or within `redundant_pic_cnt_present_flag`, or a field up to it has an
    /// invalid value.
    package init?(nalUnit: [UInt8]) {
        var reader = BitReader(EmulationPrevention.remove(from: nalUnit.dropFirst()))
        do throws(BitstreamError) {
            try self.init(reading: &reader)
        } catch {
            return nil
        }
    }

    private init(reading reader: inout BitReader) throws(BitstreamError) {
        identifier = try reader.unsignedExpGolomb(upTo: 255)
        _ = try reader.unsignedExpGolomb()  // seq_parameter_set_id
        usesCABAC = try reader.flag()
        hasBottomFieldOrder = try reader.flag()
        sliceGroupCount = Int(try reader.unsignedExpGolomb(upTo: 7)) + 1
        if sliceGroupCount > 1 { try Self.skipSliceGroups(sliceGroupCount, &reader) }
        defaultReferenceCount = Int(try reader.unsignedExpGolomb(upTo: 31)) + 1
        _ = try reader.unsignedExpGolomb()  // num_ref_idx_l1_default_active_minus1
        hasWeightedPrediction = try reader.flag()
        _ = try reader.bits(2)  // weighted_bipred_idc
        let quantizer = try reader.signedExpGolomb()
        // -(26 + QpBdOffset) to 25 (7.4.2.2); QpBdOffset is at most 36.
        guard (-62...25).contains(quantizer) else { throw .invalidValue }
        initialQuantizer = 26 + quantizer
        _ = try reader.signedExpGolomb()  // pic_init_qs_minus26
        _ = try reader.signedExpGolomb()  // chroma_qp_index_offset
        hasDeblockingControl = try reader.flag()
        _ = try reader.flag()  // constrained_intra_pred_flag
        hasRedundantPictures = try reader.flag()
    }

    /// Skips the map of the slice groups.
    private static func skipSliceGroups(_ count: Int, _ reader: inout BitReader) throws(BitstreamError) {
        switch try reader.unsignedExpGolomb(upTo: 6) {  // slice_group_map_type
        case 0: for _ in 0..<count { _ = try reader.unsignedExpGolomb() }  // run_length_minus1
        case 2: for _ in 0..<2 * (count - 1) { _ = try reader.unsignedExpGolomb() }  // top_left, bottom_right
        case 3, 4, 5:
            _ = try reader.flag()  // slice_group_change_direction_flag
            _ = try reader.unsignedExpGolomb()  // slice_group_change_rate_minus1
        case 6:
            // slice_group_id has Ceil(Log2(count)) bits.
            let width = Int.bitWidth - (count - 1).leadingZeroBitCount
            for _ in 0...(try reader.unsignedExpGolomb()) { _ = try reader.bits(width) }
        default: break
        }
    }
}
