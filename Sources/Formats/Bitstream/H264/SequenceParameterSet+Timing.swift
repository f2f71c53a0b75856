extension SequenceParameterSet {
    /// The timing information of the VUI (Rec. ITU-T H.264, E.1.1 and E.2.1).
    package struct Timing: Equatable, Sendable {
        /// `num_units_in_tick`.
        package var unitsPerTick: UInt32
        /// `time_scale`: units per second.
        package var timeScale: UInt32
        /// `fixed_frame_rate_flag`: pictures follow each other at one distance.
        package var isFixed: Bool

        package init(unitsPerTick: UInt32, timeScale: UInt32, isFixed: Bool) {
            self.unitsPerTick = unitsPerTick
            self.timeScale = timeScale
            self.isFixed = isFixed
        }

        /// The timing of a progressive stream: a frame has two ticks.
        package init(frameRate: Int, isFixed: Bool) {
            self.init(unitsPerTick: 1, timeScale: UInt32(clamping: 2 * frameRate), isFixed: isFixed)
        }
    }

    /// Returns the timing information of a NAL unit with its header byte, or nil if it has none.
    package static func timing(of nalUnit: [UInt8]) -> Timing? {
        var reader = BitReader(EmulationPrevention.remove(from: nalUnit.dropFirst()))
        do throws(BitstreamError) {
            guard try skipToTiming(&reader) else { return nil }
            return Timing(unitsPerTick: try reader.bits(32), timeScale: try reader.bits(32), isFixed: try reader.flag())
        } catch {
            return nil
        }
    }

    /// Returns the NAL unit with other timing information, or unchanged if it has none.
    package static func replacing(timing: Timing, in nalUnit: [UInt8]) -> [UInt8] {
        guard Self.timing(of: nalUnit) != nil else { return nalUnit }
        var payload = EmulationPrevention.remove(from: nalUnit.dropFirst())
        var reader = BitReader(payload)
        guard (try? skipToTiming(&reader)) == true else { return nalUnit }
        let start = reader.position
        let fields = [(timing.unitsPerTick, 32), (timing.timeScale, 32), (timing.isFixed ? 1 : 0, 1)]
        let bits = fields.flatMap { value, count in (0..<count).map { value >> UInt32(count - 1 - $0) & 1 == 1 } }
        for (index, bit) in bits.enumerated() {
            let mask = UInt8(0x80) >> UInt8((start + index) & 7)
            if bit { payload[(start + index) >> 3] |= mask } else { payload[(start + index) >> 3] &= ~mask }
        }
        return nalUnit.prefix(1) + EmulationPrevention.insert(into: payload)
    }

    /// Moves `reader` to `num_units_in_tick`. Returns false if the set has no timing information.
    private static func skipToTiming(_ reader: inout BitReader) throws(BitstreamError) -> Bool {
        guard let layout = try SequenceParameterSet(reading: &reader).layout else { return false }
        if !layout.hasOnlyFrames { _ = try reader.flag() }  // mb_adaptive_frame_field_flag
        _ = try reader.flag()  // direct_8x8_inference_flag
        if try reader.flag() {  // frame_cropping_flag
            for _ in 0..<4 { _ = try reader.unsignedExpGolomb() }
        }
        guard try reader.flag() else { return false }  // vui_parameters_present_flag
        if try reader.flag(), try reader.bits(8) == 255 { _ = try reader.bits(32) }  // aspect_ratio_idc, sar
        if try reader.flag() { _ = try reader.flag() }  // overscan_appropriate_flag
        if try reader.flag() {  // video_signal_type_present_flag
            _ = try reader.bits(4)  // video_format, video_full_range_flag
            if try reader.flag() { _ = try reader.bits(24) }  // colour description
        }
        if try reader.flag() {  // chroma_loc_info_present_flag
            for _ in 0..<2 { _ = try reader.unsignedExpGolomb() }
        }
        return try reader.flag()  // timing_info_present_flag
    }
}
