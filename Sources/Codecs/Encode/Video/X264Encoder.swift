import Bitstream
import CX264
import Glibc
import Media

/// Owns an x264 encoder, which encodes I420 or I444 frames to access units. Use it on the encoder's thread.
final class X264Encoder {
    private let encoder: OpaquePointer
    private var parameters: x264_param_t
    /// The chosen settings of the analysis.
    private let analysis: x264_param_t
    private let settings: VideoSettings
    /// True if the next frames are analysed with the fastest preset.
    private var isFastest = false
    let sequenceParameterSet: [UInt8]
    let pictureParameterSet: [UInt8]

    init(settings: VideoSettings) throws(EncodeError) {
        self.settings = settings
        parameters = try Self.parameters(for: settings)
        analysis = parameters
        parameters.analyse.i_subpel_refine = Self.lookaheadRefinement(of: analysis, latency: settings.coding.latency)
        guard let encoder = cx264_encoder_open(&parameters) else {
            throw .cannotOpenVideo(.rejected(size: settings.size, frameRate: settings.frameRate))
        }
        self.encoder = encoder
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
            timing: .init(frameRate: settings.frameRate, isFixed: settings.hasFixedFrameRate),
            in: sets[Int32(NAL_SPS.rawValue)] ?? [])
        pictureParameterSet = sets[Int32(NAL_PPS.rawValue)] ?? []
    }

    deinit {
        x264_encoder_close(encoder)
    }

    /// The number of frames in the encoder that it has not returned yet.
    var delayedFrames: Int { Int(x264_encoder_delayed_frames(encoder)) }

    /// How a frame is encoded.
    struct Instruction {
        var isIDR: Bool
        /// The QPs of the frame; nil if x264's rate control chooses one.
        var quantizers: ZoneQuantizers?
        /// The areas that differ from the previous frame. x264 may take everything else from that frame without a look.
        /// Nil if it looks at everything.
        var changed: DamageRegion?
        /// True if decoders smooth the edges between blocks (Rec. ITU-T H.264, 8.7).
        var isDeblocked: Bool
    }

    /// Encodes `frame`. Returns nil if x264 keeps it, and an earlier one as soon as there is one.
    func encode(
        _ frame: PixelBuffer, at time: MediaTime, _ instruction: Instruction
    ) throws(EncodeError) -> Output? {
        let deblocking = parameters.b_deblocking_filter
        parameters.b_deblocking_filter =
            instruction.isDeblocked && !isFastest ? analysis.b_deblocking_filter : 0
        if parameters.b_deblocking_filter != deblocking { x264_encoder_reconfig(encoder, &parameters) }
        var picture = x264_picture_t()
        x264_picture_init(&picture)
        picture.i_type = instruction.isIDR ? X264_TYPE_IDR : X264_TYPE_AUTO
        if let quantizers = instruction.quantizers {
            picture.i_qpplus1 = Int32(quantizers.lowest + 1)
            if quantizers.lowest != quantizers.highest {
                picture.prop.quant_offsets = offsets(of: quantizers)
                picture.prop.quant_offsets_free = { free($0) }
            }
        }
        picture.i_pts = time.nanoseconds / 1000
        picture.img.i_csp = parameters.i_csp
        picture.img.i_plane = 3
        picture.img.i_stride = (Int32(frame.stride), Int32(frame.chromaStride), Int32(frame.chromaStride), 0)
        if let changed = instruction.changed, !instruction.isIDR {
            picture.prop.mb_info = Self.macroblockInfo(changed: changed)
            picture.prop.mb_info_free = { free($0) }
        }
        let offsets = frame.planeOffsets
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let size = frame.withUnsafeBytes { bytes -> Int32 in
            // x264 only reads the planes, and copies them before it returns.
            let base = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            picture.img.plane = (
                base.map { $0 + offsets.y }, base.map { $0 + offsets.u }, base.map { $0 + offsets.v }, nil
            )
            return x264_encoder_encode(encoder, &units, &count, &picture, &output)
        }
        return try Output(size: size, units: units, count: count, picture: output)
    }

    /// Returns a frame that is still in the encoder, at the end. Returns nil if the encoder is empty, or if no frame is
    /// ready although `delayedFrames` is not 0.
    func flush() throws(EncodeError) -> Output? {
        guard delayedFrames > 0 else { return nil }
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let size = x264_encoder_encode(encoder, &units, &count, nil, &output)
        return try Output(size: size, units: units, count: count, picture: output)
    }

    /// Changes the bitrate of x264's own rate control from the next frame on: rate, maximum and buffer together.
    func setBitrate(_ kilobits: Int) {
        guard case .bitrate = settings.rateControl, settings.controlledBitrate == nil else { return }
        parameters.rc.i_bitrate = Int32(kilobits)
        parameters.rc.i_vbv_max_bitrate = Int32(kilobits)
        parameters.rc.i_vbv_buffer_size = Int32(settings.bufferSize(bitrate: kilobits))
        x264_encoder_reconfig(encoder, &parameters)
    }

    /// Sets whether the next frames are analysed almost as with the preset `ultrafast`. Everything that the decoder
    /// must know stays as it is: x264 changes neither the parameter sets nor the number of reference frames.
    func setFastest(_ isFastest: Bool) {
        var source = analysis
        if isFastest, x264_param_default_preset(&source, "ultrafast", nil) != 0 { return }
        self.isFastest = isFastest
        parameters.analyse.inter = source.analyse.inter
        parameters.analyse.intra = source.analyse.intra
        parameters.analyse.i_me_method = source.analyse.i_me_method
        // x264 cannot leave 0 again, because the planes for subpixel motion would be missing.
        parameters.analyse.i_subpel_refine = min(
            analysis.analyse.i_subpel_refine, max(1, source.analyse.i_subpel_refine))
        parameters.analyse.i_trellis = source.analyse.i_trellis
        parameters.analyse.b_mixed_references = source.analyse.b_mixed_references
        x264_encoder_reconfig(encoder, &parameters)
    }

    /// The steps of QP by which each macroblock is above the lowest one. x264 frees it.
    private func offsets(of quantizers: ZoneQuantizers) -> UnsafeMutablePointer<Float>? {
        let columns = (settings.size.width + 15) / 16
        let rows = (settings.size.height + 15) / 16
        guard
            let offsets = malloc(columns * rows * MemoryLayout<Float>.size)?.bindMemory(
                to: Float.self, capacity: columns * rows)
        else { return nil }
        for row in 0..<rows {
            // The place in the slice, of all its rows.
            let zone = row * max(1, settings.threads) % rows * 2 < rows ? 0 : 1
            (offsets + row * columns).initialize(
                repeating: Float(quantizers[zone] - quantizers.lowest), count: columns)
        }
        return offsets
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
