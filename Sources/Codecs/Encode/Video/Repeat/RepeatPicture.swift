import Bitstream

/// Writes a repeat picture: a P picture that shows the picture before it again, as one slice in which every macroblock
/// is skipped (Rec. ITU-T H.264, 7.3.3).
///
/// It has about 20 bytes and needs no encoding. It is a reference picture, so that the pictures after it still need
/// only one frame.
struct RepeatPicture {
    private let sequence: SequenceParameterSet
    private let picture: PictureParameterSet
    /// The slice data if the stream uses CABAC.
    private let arithmeticData: [UInt8]
    private let macroblockCount: Int
    private let pictureOrderCountBits: Int

    /// Returns nil if the stream of these parameter sets cannot contain such a picture.
    ///
    /// The stream must use one reference picture, and what `SliceHeaderRewriter` requires: the pictures after this one
    /// get other numbers. A skipped macroblock is coded alike in 4:2:0 and in 4:4:4 (7.3.4, 7.3.5).
    init?(sequence: SequenceParameterSet, picture: PictureParameterSet) {
        guard let layout = sequence.layout, layout.maximumReferenceCount == 1,
            SliceHeaderRewriter(sequence: sequence, picture: picture) != nil
        else { return nil }
        pictureOrderCountBits = layout.pictureOrderCountBits
        self.sequence = sequence
        self.picture = picture
        macroblockCount = layout.macroblockCount
        arithmeticData = picture.usesCABAC ? SkipSliceData.bytes(macroblockCount: macroblockCount) : []
    }

    /// The access unit of a repeat picture: one NAL unit after its length in four bytes. `frameNumber` is taken modulo
    /// the range of `frame_num`.
    func accessUnit(frameNumber: Int) -> [UInt8] {
        var slice = BitWriter()
        slice.bits(0x41, count: 8)  // nal_ref_idc 2, nal_unit_type 1
        slice.unsignedExpGolomb(0)  // first_mb_in_slice
        slice.unsignedExpGolomb(5)  // slice_type: P, as all slices of the picture
        slice.unsignedExpGolomb(picture.identifier)
        slice.bits(UInt32(truncatingIfNeeded: frameNumber), count: sequence.frameNumberBits)
        // pic_order_cnt_lsb
        slice.bits(UInt32(truncatingIfNeeded: 2 * frameNumber), count: pictureOrderCountBits)
        slice.flag(true)  // num_ref_idx_active_override_flag
        slice.unsignedExpGolomb(0)  // num_ref_idx_l0_active_minus1
        slice.flag(false)  // ref_pic_list_modification_flag_l0
        if picture.hasWeightedPrediction {
            // Without a weight, the prediction is a copy (8.4.2.3).
            slice.unsignedExpGolomb(0)  // luma_log2_weight_denom
            slice.unsignedExpGolomb(0)  // chroma_log2_weight_denom
            slice.flag(false)  // luma_weight_l0_flag
            slice.flag(false)  // chroma_weight_l0_flag
        }
        slice.flag(false)  // adaptive_ref_pic_marking_mode_flag
        if picture.usesCABAC { slice.unsignedExpGolomb(0) }  // cabac_init_idc
        slice.signedExpGolomb(SkipSliceData.quantizer - picture.initialQuantizer)  // slice_qp_delta
        if picture.hasDeblockingControl { slice.unsignedExpGolomb(1) }  // disable_deblocking_filter_idc
        if picture.usesCABAC {
            while !slice.isByteAligned { slice.flag(true) }  // cabac_alignment_one_bit
            slice.append(contentsOf: arithmeticData)
        } else {
            slice.unsignedExpGolomb(UInt32(macroblockCount))  // mb_skip_run
            slice.flag(true)  // rbsp_stop_one_bit
        }
        var accessUnit: [UInt8] = []
        NALUnits.appendLengthPrefixed(EmulationPrevention.insert(into: slice.bytes), to: &accessUnit)
        return accessUnit
    }
}
