import Bitstream
import CX264
import CYUV
import Glibc
import Media

/// Owns an x264 encoder, which encodes I420 or I444 frames to access units. Use it on the encoder's thread.
final class X264Encoder {
    /// An encoded frame.
    struct Output {
        /// The NAL units from x264, with a length of 4 bytes before each.
        var data: [UInt8]
        /// The start of each NAL unit in `data`, after its length, and its nal_unit_type.
        var units: [(range: Range<Int>, type: Int32)]
        var isIDR: Bool
        var presentationTime: MediaTime
        var decodeTime: MediaTime
        /// The QP with which x264 began the frame. If the frame becomes too large, x264 raises the QP from row to row.
        var plannedQuantizer: Int
        /// The mean squared error of the luma in the worst strip of 16 rows; nil if it was not measured.
        var error: Double?

        /// The QP of the worst part of the frame, as far as it is known.
        ///
        /// Uniform quantization with a step D has a mean squared error of D * D / 12, and D doubles for every 6 steps of QP from 1 at
        /// QP 4 on (Rec. ITU-T H.264, table 8-15 and 8.5.12.1). The error of text is up to six steps larger than that.
        var quantizer: Int {
            guard let error, error > 0 else { return plannedQuantizer }
            return max(plannedQuantizer, Int(4 + 3 * log2(12 * error)) - 6)
        }
    }

    /// The share of the bitrate for a frame. x264 counts every frame as one tick, but repeat pictures, which x264 does
    /// not know, fill the time between two frames.
    struct BitrateShare {
        /// The number of ticks that the frame counts for.
        var ticks: Int
        /// The bytes that x264's buffer contains at most before the frame; nil if x264's own count is right.
        var level: Double?
        /// True if the buffer has twice the size, so that it can contain more than the bitrate has saved.
        var isDoubled = false
        /// True if the buffer is never larger than `level`.
        var isLimited = false
        /// True if the frame may use all that the buffer contains, and not only half of it.
        var mayUseAll = false

        /// Limits x264's buffer to the bytes that the bitrate has saved, and fills it again after the frame. The next frame must limit it,
        /// too.
        mutating func refill(to budget: BitBudget, frameRate: Int) {
            ticks = Int(max(0, budget.share) * Double(frameRate) * 0.8)
            level = budget.level
            isLimited = true
            isDoubled = false
        }
    }

    private let encoder: OpaquePointer
    private var parameters: x264_param_t
    /// The chosen settings of the analysis.
    private let analysis: x264_param_t
    private let settings: VideoSettings
    /// The bitrate in kbit/s; 0 with a constant quality.
    private var kilobits = 0
    /// What x264's buffer contains, in kilobits, as x264 counts it.
    private var level = 0.0
    /// True if the next frames are analysed with the fastest preset.
    private var isFastest = false
    let sequenceParameterSet: [UInt8]
    let pictureParameterSet: [UInt8]

    init(settings: VideoSettings) throws(EncodeError) {
        self.settings = settings
        parameters = try Self.parameters(for: settings)
        analysis = parameters
        if case .bitrate(let kilobits) = settings.rateControl { self.kilobits = kilobits }
        parameters.analyse.i_subpel_refine = Self.lookaheadRefinement(of: analysis, latency: settings.latency)
        guard let encoder = cx264_encoder_open(&parameters) else {
            throw .cannotOpenVideo(.rejected(size: settings.size, frameRate: settings.frameRate))
        }
        self.encoder = encoder
        level = Double(parameters.rc.f_vbv_buffer_init) * Double(parameters.rc.i_vbv_buffer_size)
        if parameters.analyse.i_subpel_refine != analysis.analyse.i_subpel_refine {
            parameters.analyse.i_subpel_refine = analysis.analyse.i_subpel_refine
            x264_encoder_reconfig(encoder, &parameters)
        }
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard x264_encoder_headers(encoder, &units, &count) >= 0, let units else {
            x264_encoder_close(encoder)
            throw .cannotOpenVideo(.noParameterSets)
        }
        var sets: [Int32: [UInt8]] = [:]
        for index in 0..<Int(count) {
            let unit = units[index]
            sets[unit.i_type] = Array(UnsafeBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4))
        }
        // x264 derives the timing from its rate control, which knows nothing of the pacing.
        sequenceParameterSet = SequenceParameterSet.replacing(
            timing: .init(frameRate: settings.frameRate, isFixed: settings.hasFixedFrameRate), in: sets[Int32(NAL_SPS.rawValue)] ?? [])
        pictureParameterSet = sets[Int32(NAL_PPS.rawValue)] ?? []
    }

    deinit {
        x264_encoder_close(encoder)
    }

    /// What x264's buffer contains, in bytes.
    var bufferLevel: Double { level * 125 }

    /// The size of the doubled buffer, in bytes.
    var doubledBuffer: Double { Double(settings.bufferSize(bitrate: kilobits * 2)) * 125 }

    /// The number of frames in the encoder that it has not returned yet.
    var delayedFrames: Int { Int(x264_encoder_delayed_frames(encoder)) }

    /// Encodes `frame`. `changed` are the areas that differ from the previous frame; x264 may assume that the rest is
    /// constant.
    ///
    /// - Parameters:
    ///   - quantizer: the QP of the frame; nil if the rate control chooses it.
    ///   - share: the part of the bitrate that the frame receives; nil with a constant quality.
    ///   - isDeblocked: true if decoders smooth the edges between blocks (Rec. ITU-T H.264, 8.7).
    ///   - isMeasured: true if the error of the frame should be measured. Only with low latency, when each call returns its frame.
    func encode(
        _ frame: PixelBuffer, at time: MediaTime, changed: DamageRegion, forceIDR: Bool, quantizer: Int?, share: BitrateShare?,
        isDeblocked: Bool, isMeasured: Bool
    ) throws(EncodeError) -> Output? {
        let previous = parameters
        parameters.b_deblocking_filter = isDeblocked && !isFastest ? analysis.b_deblocking_filter : 0
        if let share { configure(share) }
        apply(since: previous)
        var picture = x264_picture_t()
        x264_picture_init(&picture)
        picture.i_type = forceIDR ? X264_TYPE_IDR : X264_TYPE_AUTO
        if let quantizer { picture.i_qpplus1 = Int32(quantizer + 1) }
        picture.i_pts = time.nanoseconds / 1000
        picture.img.i_csp = parameters.i_csp
        picture.img.i_plane = 3
        picture.img.i_stride = (Int32(frame.stride), Int32(frame.chromaStride), Int32(frame.chromaStride), 0)
        if !forceIDR && !changed.isWhole {
            picture.prop.mb_info = Self.macroblockInfo(changed: changed)
            picture.prop.mb_info_free = { free($0) }
        }
        let offsets = frame.planeOffsets
        var error: Double?
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let size = frame.withUnsafeBytes { bytes -> Int32 in
            // x264 only reads the planes, and copies them before it returns.
            let base = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            picture.img.plane = (base.map { $0 + offsets.y }, base.map { $0 + offsets.u }, base.map { $0 + offsets.v }, nil)
            let size = x264_encoder_encode(encoder, &units, &count, &picture, &output)
            if isMeasured, size > 0 { error = Self.error(of: output.img, from: picture.img, size: frame.size) }
            return size
        }
        countBuffer(max(0, Int(size)))
        var result = try Self.output(size: size, units: units, count: count, picture: output)
        result?.error = error
        return result
    }

    /// Returns a frame that is still in the encoder, at the end. Returns nil if the encoder is empty, or if no frame is ready
    /// although `delayedFrames` is not 0.
    func flush() throws(EncodeError) -> Output? {
        guard delayedFrames > 0 else { return nil }
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let size = x264_encoder_encode(encoder, &units, &count, nil, &output)
        return try Self.output(size: size, units: units, count: count, picture: output)
    }

    /// Changes the bitrate from the next frame on: rate, maximum and buffer together. Has no effect with constant
    /// quality.
    func setBitrate(_ kilobits: Int) {
        guard case .bitrate = settings.rateControl else { return }
        self.kilobits = kilobits
        let previous = parameters
        setRate(ticks: 1, buffer: settings.bufferSize(bitrate: kilobits))
        apply(since: previous)
    }

    /// Sets whether the next frames are analysed almost as with the preset `ultrafast`. Everything that the decoder must know stays
    /// as it is: x264 changes neither the parameter sets nor the number of reference frames.
    func setFastest(_ isFastest: Bool) {
        var source = analysis
        if isFastest, x264_param_default_preset(&source, "ultrafast", nil) != 0 { return }
        self.isFastest = isFastest
        parameters.analyse.inter = source.analyse.inter
        parameters.analyse.intra = source.analyse.intra
        parameters.analyse.i_me_method = source.analyse.i_me_method
        // x264 cannot leave 0 again, because the planes for subpixel motion would be missing.
        parameters.analyse.i_subpel_refine = min(analysis.analyse.i_subpel_refine, max(1, source.analyse.i_subpel_refine))
        parameters.analyse.i_trellis = source.analyse.i_trellis
        parameters.analyse.b_mixed_references = source.analyse.b_mixed_references
        x264_encoder_reconfig(encoder, &parameters)
    }

    /// Sets x264's bitrate and buffer for the next frame.
    private func configure(_ share: BitrateShare) {
        let size = settings.bufferSize(bitrate: share.isDoubled ? kilobits * 2 : kilobits)
        var buffer = size
        // x264 has no call that sets the level of its buffer, but a smaller buffer cuts the level.
        if let level = share.level.map({ Int(max(0, $0) / 125) }), share.isLimited || self.level > Double(level) { buffer = min(size, level) }
        // The buffer has to contain more than one frame. If it contains less than five, x264 lets a frame use everything, otherwise half.
        let frames = share.mayUseAll || share.isLimited ? 1.25 : 5
        let ticks = max(1, min(share.ticks, Int(Double(size * settings.frameRate) / frames) / kilobits))
        setRate(ticks: ticks, buffer: max(kilobits * ticks * 5 / 4 / settings.frameRate + 1, buffer))
    }

    /// Counts a frame of `size` bytes as x264 does (`update_vbv` in ratecontrol.c).
    private func countBuffer(_ size: Int) {
        let buffer = Double(parameters.rc.i_vbv_buffer_size)
        let left = max(0, min(level, buffer) - Double(size) / 125)
        level = min(buffer, left + Double(parameters.rc.i_vbv_max_bitrate) / Double(settings.frameRate))
    }

    /// - Parameter buffer: kilobits.
    private func setRate(ticks: Int, buffer: Int) {
        parameters.rc.i_bitrate = Int32(kilobits * ticks)
        parameters.rc.i_vbv_max_bitrate = Int32(kilobits * ticks)
        parameters.rc.i_vbv_buffer_size = Int32(buffer)
    }

    /// Passes the bitrate, the buffer and the deblocking to x264 if they changed.
    private func apply(since previous: x264_param_t) {
        guard
            parameters.rc.i_bitrate != previous.rc.i_bitrate || parameters.rc.i_vbv_buffer_size != previous.rc.i_vbv_buffer_size
                || parameters.b_deblocking_filter != previous.b_deblocking_filter
        else { return }
        x264_encoder_reconfig(encoder, &parameters)
    }

    private static func output(
        size: Int32, units: UnsafeMutablePointer<x264_nal_t>?, count: Int32, picture: x264_picture_t
    ) throws(EncodeError) -> Output? {
        guard size >= 0 else { throw .videoFailed(code: Int(size)) }
        guard size > 0, let units, let first = units[0].p_payload else { return nil }
        var ranges: [(range: Range<Int>, type: Int32)] = []
        for index in 0..<Int(count) {
            let start = units[index].p_payload - first
            ranges.append((start + 4..<start + Int(units[index].i_payload), units[index].i_type))
        }
        return Output(
            data: Array(UnsafeBufferPointer(start: first, count: Int(size))), units: ranges, isIDR: picture.b_keyframe != 0,
            presentationTime: MediaTime(nanoseconds: picture.i_pts * 1000), decodeTime: MediaTime(nanoseconds: picture.i_dts * 1000),
            plannedQuantizer: Int(picture.i_qpplus1) - 1)
    }

    /// Returns the mean squared error of the luma of `decoded`, as decoders show the frame, in the strip of 16 rows that differs most
    /// from `original`.
    private static func error(of decoded: x264_image_t, from original: x264_image_t, size: PixelSize) -> Double? {
        guard let decodedLuma = decoded.plane.0, let luma = original.plane.0 else { return nil }
        return stride(from: 0, to: size.height, by: 16).map { top in
            let rows = min(16, size.height - top)
            let sum = ComputeSumSquareErrorPlane(
                decodedLuma + top * Int(decoded.i_stride.0), decoded.i_stride.0, luma + top * Int(original.i_stride.0), original.i_stride.0,
                Int32(size.width), Int32(rows))
            return Double(sum) / Double(size.width * rows)
        }.max()
    }

    /// One byte per macroblock in raster order: constant or not. x264 frees it.
    private static func macroblockInfo(changed: DamageRegion) -> UnsafeMutablePointer<UInt8>? {
        let columns = (changed.size.width + 15) / 16
        let rows = (changed.size.height + 15) / 16
        guard let info = malloc(columns * rows)?.assumingMemoryBound(to: UInt8.self) else { return nil }
        info.initialize(repeating: UInt8(X264_MBINFO_CONSTANT), count: columns * rows)
        for rectangle in changed.rectangles {
            for row in (rectangle.y / 16)..<((rectangle.maxY + 15) / 16) {
                for column in (rectangle.x / 16)..<((rectangle.maxX + 15) / 16) { info[row * columns + column] = 0 }
            }
        }
        return info
    }
}
