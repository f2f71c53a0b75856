import Bitstream
import CX264
import Glibc
import Media

/// x264. It takes every instruction.
final class X264Encoder: PictureEncoder {
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

    let hasZones = true
    /// x264 takes QPs up to 69. From 60 on it encodes with 51 and leaves details out, the smallest first (its
    /// "emergency" denoising). 52 to 61 mean these, because 52 to 59 change nothing.
    let highestQuantizer = 61

    var delayedFrames: Int { Int(x264_encoder_delayed_frames(encoder)) }

    func encode(
        _ frame: PixelBuffer, at time: MediaTime, _ instruction: CodingInstruction
    ) throws(EncodeError) -> CodedPicture? {
        setDeblocking(instruction.isDeblocked)
        var picture = x264_picture_t(
            type: instruction.isIDR ? X264_TYPE_IDR : X264_TYPE_AUTO, colourSpace: parameters.i_csp,
            stride: frame.stride, chromaStride: frame.chromaStride)
        picture.i_pts = time.nanoseconds / 1000
        if let quantizers = instruction.quantizers {
            let lowest = quantizers.lowest
            picture.i_qpplus1 = Int32(lowest > ScreenRateControl.highestQuantizer ? lowest + 8 : lowest) + 1
            if quantizers.lowest != quantizers.highest {
                picture.prop.quant_offsets = offsets(of: quantizers)
                picture.prop.quant_offsets_free = { free($0) }
            }
        }
        if let changed = instruction.changed, !instruction.isIDR {
            picture.prop.mb_info = Self.macroblockInfo(changed: changed)
            picture.prop.mb_info_free = { free($0) }
        }
        let offsets = frame.planeOffsets
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let size = frame.withUnsafeBytes { bytes -> Int32 in
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            picture.setPlanes(base.map { $0 + offsets.y }, base.map { $0 + offsets.u }, base.map { $0 + offsets.v })
            return x264_encoder_encode(encoder, &units, &count, &picture, &output)
        }
        return try CodedPicture(size: size, units: units, picture: output)
    }

    private func setDeblocking(_ isDeblocked: Bool) {
        let deblocking = parameters.b_deblocking_filter
        parameters.b_deblocking_filter = isDeblocked && !isFastest ? analysis.b_deblocking_filter : 0
        if parameters.b_deblocking_filter != deblocking { x264_encoder_reconfig(encoder, &parameters) }
    }

    func flush() throws(EncodeError) -> CodedPicture? {
        guard delayedFrames > 0 else { return nil }
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let size = x264_encoder_encode(encoder, &units, &count, nil, &output)
        return try CodedPicture(size: size, units: units, picture: output)
    }

    /// Rate, maximum and buffer together.
    func setBitrate(_ kilobits: Int) {
        guard case .bitrate = settings.rateControl, settings.controlledBitrate == nil else { return }
        parameters.rc.i_bitrate = Int32(kilobits)
        parameters.rc.i_vbv_max_bitrate = Int32(kilobits)
        parameters.rc.i_vbv_buffer_size = Int32(settings.bufferSize(bitrate: kilobits))
        x264_encoder_reconfig(encoder, &parameters)
    }

    /// Almost as with the preset `ultrafast`. Everything that the decoder must know stays as it is: x264 changes
    /// neither the parameter sets nor the number of reference frames.
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
