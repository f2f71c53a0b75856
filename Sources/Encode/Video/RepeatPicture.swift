/// Writes the P picture that shows the picture before it once more: one slice in which every macroblock is skipped
/// (Rec. ITU-T H.264, 7.3.3).
///
/// It costs some tens of bytes and no encoding. It is a reference picture, so that it and what follows need one frame.
struct RepeatPicture {
    private let parameterSets: ParameterSets
    private let sliceData: [UInt8]

    /// Nil where the encoder's parameter sets leave no way to write one.
    init?(parameterSets: ParameterSets) {
        guard parameterSets.allowsRepeatPictures else { return nil }
        self.parameterSets = parameterSets
        sliceData = SkipSliceData.bytes(macroblockCount: parameterSets.macroblockCount)
    }

    /// The NAL unit of a repeat picture with this frame_num, taken modulo its range, after its length in four bytes.
    func accessUnit(frameNumber: Int) -> [UInt8] {
        var header = BitWriter()
        header.bits(0x41, count: 8)  // nal_ref_idc 2, nal_unit_type 1
        header.unsignedExpGolomb(0)  // first_mb_in_slice
        header.unsignedExpGolomb(5)  // slice_type: P, as all slices of the picture
        header.unsignedExpGolomb(parameterSets.pictureParameterSetIdentifier)
        header.bits(UInt32(frameNumber & ((1 << parameterSets.frameNumberBits) - 1)), count: parameterSets.frameNumberBits)
        header.bit(1)  // num_ref_idx_active_override_flag
        header.unsignedExpGolomb(0)  // num_ref_idx_l0_active_minus1
        header.bit(0)  // ref_pic_list_modification_flag_l0
        header.bit(0)  // adaptive_ref_pic_marking_mode_flag
        header.unsignedExpGolomb(0)  // cabac_init_idc
        let delta = SkipSliceData.quantizer - 26 - parameterSets.initialQuantizer
        header.unsignedExpGolomb(delta > 0 ? UInt32(2 * delta - 1) : UInt32(-2 * delta))  // slice_qp_delta
        if parameterSets.hasDeblockingControl { header.unsignedExpGolomb(1) }  // disable_deblocking_filter_idc
        while !header.isByteAligned { header.bit(1) }  // cabac_alignment_one_bit
        header.append(contentsOf: sliceData)
        let unit = EmulationPrevention.insert(into: header.bytes)
        let length = UInt32(unit.count)
        return [UInt8(length >> 24), UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff)] + unit
    }
}
