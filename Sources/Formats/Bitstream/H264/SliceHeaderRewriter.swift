/// Gives the slices of a coded picture other numbers, so that the picture can be sent again (Rec. ITU-T H.264, 7.3.3
/// and 7.4.3).
///
/// Only `frame_num`, `idr_pic_id` and `pic_order_cnt_lsb` change. The slice data stay as they are: with CABAC they
/// begin at a byte boundary, up to which the header is filled again. With CAVLC they follow the header at once, and are
/// shifted by bits if an `idr_pic_id` has another length.
package struct SliceHeaderRewriter: Sendable {
    /// What distinguishes a picture from the pictures around it.
    package enum PictureNumber: Equatable, Sendable {
        /// The `idr_pic_id` of an IDR picture. It must differ from that of an IDR picture directly before or after it.
        /// `frame_num` is 0.
        case idr(UInt16)
        /// The `frame_num` of any other picture, which is taken modulo its range. Its order count is twice that.
        case frame(Int)
    }

    /// More than the header of a P slice with one reference picture and its weights.
    private static let commonHeaderLength = 64

    private let sequence: SequenceParameterSet
    private let picture: PictureParameterSet
    private let pictureOrderCountBits: Int

    /// Returns nil if the slices of these parameter sets may contain fields that this type does not know.
    ///
    /// The stream must use only frames, picture order count type 0 or 2 and one slice group. Its pictures must be shown
    /// in the order in which they are coded, and all of them be references. It must not use redundant pictures or
    /// separate colour planes.
    package init?(sequence: SequenceParameterSet, picture: PictureParameterSet) {
        guard let layout = sequence.layout, layout.hasOnlyFrames, sequence.pictureOrderCountType != 1,
            !sequence.hasSeparateColourPlanes, picture.sliceGroupCount == 1, !picture.hasRedundantPictures,
            !picture.hasBottomFieldOrder
        else { return nil }
        self.sequence = sequence
        self.picture = picture
        pictureOrderCountBits = layout.pictureOrderCountBits
    }

    /// Returns a slice NAL unit with another number: from its header byte on, with emulation prevention.
    ///
    /// Commands that change the list or the marking of reference pictures stay as they are. They name a picture by the
    /// distance of its `frame_num` (8.2.4.3.1, 8.2.5.4), which must not change. With one reference picture x264 writes
    /// none.
    ///
    /// Throws `truncated` if the unit ends before its slice data. Throws `invalidValue` if it is not an I or P slice of
    /// these parameter sets, if a field has an invalid value, or if `number` belongs to another kind of picture.
    package func slice(_ unit: ArraySlice<UInt8>, as number: PictureNumber) throws(BitstreamError) -> [UInt8] {
        var result: [UInt8] = []
        try append(unit, as: number, to: &result)
        return result
    }

    /// Returns an access unit with another number in all its slices. A length of four bytes precedes each NAL unit; the
    /// other units stay as they are.
    ///
    /// Throws the same errors as `slice(_:as:)`, `truncated` if the last unit is not complete, and `invalidValue` if
    /// the access unit has slices of types other than 1 and 5.
    package func accessUnit(_ data: [UInt8], as number: PictureNumber) throws(BitstreamError) -> [UInt8] {
        var result: [UInt8] = []
        // A header grows by some bytes at most.
        result.reserveCapacity(data.count + 128)
        var end = 0
        for unit in NALUnits(lengthPrefixed: data) {
            let start = result.count + 4
            result.append(contentsOf: [0, 0, 0, 0])
            switch NALUnits.kind(of: unit) {
            case 1, 5: try append(unit, as: number, to: &result)
            // Data partitions, auxiliary pictures, and slices of other layers and views.
            case 2, 3, 4, 19, 20, 21: throw .invalidValue
            default: result.append(contentsOf: unit)
            }
            NALUnits.setLength(result.count - start, in: &result, before: start)
            end = unit.endIndex
        }
        guard end == data.count else { throw .truncated }
        return result
    }

    private func append(
        _ unit: ArraySlice<UInt8>, as number: PictureNumber, to output: inout [UInt8]
    ) throws(BitstreamError) {
        let header = try header(of: unit, as: number)
        let start = header.reader.position
        let isShifted = (header.writer.position - start) & 7 != 0
        // If the bits keep their places in the bytes, the escaping is as before after the first byte of the slice data
        // that is not 0.
        let (payload, length) =
            isShifted
            ? (EmulationPrevention.remove(from: unit), unit.count)
            : EmulationPrevention.beginning(of: unit, count: (start + 7) >> 3 + 1)
        // The last bit that is 1 is the rbsp_stop_one_bit, if this is the whole unit.
        guard let last = payload.lastIndex(where: { $0 != 0 }) else { throw .truncated }
        let end = last * 8 + 8 - payload[last].trailingZeroBitCount
        guard start < end else { throw .truncated }
        var writer = header.writer
        writer.append(start..<(isShifted ? end : payload.count * 8), of: payload)
        output.append(contentsOf: EmulationPrevention.insert(into: writer.bytes))
        output.append(contentsOf: unit.dropFirst(length))
    }

    /// Reads the header of a slice and writes it with another number.
    private func header(
        of unit: ArraySlice<UInt8>, as number: PictureNumber
    ) throws(BitstreamError) -> SliceHeaderFields {
        let beginning = EmulationPrevention.beginning(of: unit, count: Self.commonHeaderLength)
        do throws(BitstreamError) {
            return try header(in: beginning.payload, as: number)
        } catch {
            guard error == .truncated, beginning.length < unit.count else { throw error }
            return try header(in: EmulationPrevention.remove(from: unit), as: number)
        }
    }

    private func header(in payload: [UInt8], as number: PictureNumber) throws(BitstreamError) -> SliceHeaderFields {
        var fields = SliceHeaderFields(payload)
        let unitHeader = try fields.bits(8)
        try fields.unsignedExpGolomb()  // first_mb_in_slice
        let type = try fields.unsignedExpGolomb(upTo: 9) % 5  // slice_type
        guard type == 0 || type == 2, try fields.unsignedExpGolomb() == picture.identifier else { throw .invalidValue }
        switch (unitHeader & 0x1F, number) {
        case (5, .idr(let identifier)):
            try fields.replaceBits(sequence.frameNumberBits, with: 0)
            try fields.replaceUnsignedExpGolomb(with: UInt32(identifier), upTo: 0xFFFF)
            try fields.replaceBits(pictureOrderCountBits, with: 0)
        case (1, .frame(let frameNumber)):
            try fields.replaceBits(sequence.frameNumberBits, with: UInt32(truncatingIfNeeded: frameNumber))
            try fields.replaceBits(pictureOrderCountBits, with: UInt32(truncatingIfNeeded: 2 * frameNumber))
        default: throw .invalidValue
        }
        // With CAVLC, the rest of the header is copied with the slice data.
        if picture.usesCABAC {
            try copyRest(&fields, unitHeader: unitHeader, isPredicted: type == 0)
            try fields.align()
        }
        return fields
    }

    /// Copies the header after the numbers.
    private func copyRest(
        _ fields: inout SliceHeaderFields, unitHeader: UInt32, isPredicted: Bool
    ) throws(BitstreamError) {
        if isPredicted {
            var referenceCount = picture.defaultReferenceCount
            // num_ref_idx_active_override_flag, num_ref_idx_l0_active_minus1
            if try fields.flag() { referenceCount = Int(try fields.unsignedExpGolomb(upTo: 15)) + 1 }
            try fields.copyReferenceModifications()
            if picture.hasWeightedPrediction {
                try fields.copyWeights(count: referenceCount, hasChroma: sequence.chromaFormat != 0)
            }
        }
        if unitHeader >> 5 & 3 != 0 { try fields.copyReferenceMarking(isIDR: unitHeader & 0x1F == 5) }
        if isPredicted { try fields.unsignedExpGolomb(upTo: 2) }  // cabac_init_idc
        try fields.signedExpGolomb()  // slice_qp_delta
        guard picture.hasDeblockingControl else { return }
        if try fields.unsignedExpGolomb(upTo: 2) != 1 {  // disable_deblocking_filter_idc
            for _ in 0..<2 { try fields.signedExpGolomb() }  // slice_alpha_c0_offset_div2, slice_beta_offset_div2
        }
    }
}

/// Reads the fields of a slice header and writes each again, or another value in its place.
private struct SliceHeaderFields {
    private(set) var reader: BitReader
    private(set) var writer = BitWriter()

    init(_ payload: [UInt8]) {
        reader = BitReader(payload)
    }

    // MARK: Codes

    mutating func flag() throws(BitstreamError) -> Bool {
        let value = try reader.flag()
        writer.flag(value)
        return value
    }

    mutating func bits(_ count: Int) throws(BitstreamError) -> UInt32 {
        let value = try reader.bits(count)
        writer.bits(value, count: count)
        return value
    }

    @discardableResult
    mutating func unsignedExpGolomb(upTo maximum: UInt32 = .max) throws(BitstreamError) -> UInt32 {
        let value = try reader.unsignedExpGolomb(upTo: maximum)
        writer.unsignedExpGolomb(value)
        return value
    }

    mutating func signedExpGolomb() throws(BitstreamError) {
        writer.signedExpGolomb(try reader.signedExpGolomb())
    }

    mutating func replaceBits(_ count: Int, with value: UInt32) throws(BitstreamError) {
        _ = try reader.bits(count)
        writer.bits(value, count: count)
    }

    mutating func replaceUnsignedExpGolomb(with value: UInt32, upTo maximum: UInt32) throws(BitstreamError) {
        _ = try reader.unsignedExpGolomb(upTo: maximum)
        writer.unsignedExpGolomb(value)
    }

    /// Skips each cabac_alignment_one_bit and writes as many as are necessary now (7.3.4).
    mutating func align() throws(BitstreamError) {
        while reader.position & 7 != 0 { guard try reader.flag() else { throw .invalidValue } }
        while !writer.isByteAligned { writer.flag(true) }
    }

    // MARK: Parts of the header

    /// ref_pic_list_modification() of a P slice (7.3.3.1).
    mutating func copyReferenceModifications() throws(BitstreamError) {
        guard try flag() else { return }  // ref_pic_list_modification_flag_l0
        // modification_of_pic_nums_idc; abs_diff_pic_num_minus1 or long_term_pic_num
        while try unsignedExpGolomb(upTo: 3) != 3 { try unsignedExpGolomb() }
    }

    /// pred_weight_table() of a P slice (7.3.3.2).
    mutating func copyWeights(count: Int, hasChroma: Bool) throws(BitstreamError) {
        try unsignedExpGolomb(upTo: 7)  // luma_log2_weight_denom
        if hasChroma { try unsignedExpGolomb(upTo: 7) }  // chroma_log2_weight_denom
        for _ in 0..<count {
            // luma_weight_l0_flag, luma_weight_l0, luma_offset_l0
            if try flag() { for _ in 0..<2 { try signedExpGolomb() } }
            // chroma_weight_l0_flag; chroma_weight_l0, chroma_offset_l0 of Cb and Cr
            if hasChroma, try flag() { for _ in 0..<4 { try signedExpGolomb() } }
        }
    }

    /// dec_ref_pic_marking() (7.3.3.3).
    mutating func copyReferenceMarking(isIDR: Bool) throws(BitstreamError) {
        guard !isIDR else {
            _ = try bits(2)  // no_output_of_prior_pics_flag, long_term_reference_flag
            return
        }
        guard try flag() else { return }  // adaptive_ref_pic_marking_mode_flag
        while true {
            let operation = try unsignedExpGolomb(upTo: 6)  // memory_management_control_operation
            if operation == 0 { return }
            // difference_of_pic_nums_minus1, long_term_pic_num, long_term_frame_idx or max_long_term_frame_idx_plus1
            if operation != 5 { try unsignedExpGolomb() }
            if operation == 3 { try unsignedExpGolomb() }  // long_term_frame_idx
        }
    }
}
