import Media

/// What the user chooses of the encoder's work, whatever the picture is.
package struct CodingOptions: Sendable, Equatable {
    package enum Latency: String, Sendable, Equatable, CaseIterable {
        /// The encoder returns each frame at once.
        case low
        /// A lookahead of 10 frames and 2 B-frames: better quality at the same bitrate.
        case normal
    }

    /// The library that encodes.
    package enum Library: String, Sendable, Equatable, CaseIterable {
        case x264
        /// Cisco's OpenH264. 4:2:0, low latency, no lossless coding.
        case openH264 = "openh264"
    }

    package var library: Library
    /// The name of an x264 preset.
    package var preset: String
    package var latency: Latency
    /// The time between two IDR pictures.
    package var keyframeInterval: MediaTime

    package init(
        library: Library = .x264, preset: String = "veryfast", latency: Latency = .low,
        keyframeInterval: MediaTime = MediaTime(milliseconds: 2000)
    ) {
        self.library = library
        self.preset = preset
        self.latency = latency
        self.keyframeInterval = keyframeInterval
    }

    /// The presets of x264, fastest first.
    package static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]
}

/// The settings of the video encoder.
package struct VideoSettings: Sendable, Equatable {
    package enum RateControl: Sendable, Equatable {
        /// An average bitrate in kbit/s, also the maximum over about one second, for networks.
        case bitrate(Int)
        /// A constant quality (x264's CRF; below 1 it is lossless), for files.
        case quality(Double)

        /// True if no detail is lost. This requires the profile High 4:4:4 Predictive, as `ChromaFormat.yuv444` does.
        package var isLossless: Bool {
            // x264 takes the integer part as the QP.
            if case .quality(let factor) = self { factor < 1 } else { false }
        }
    }

    package var size: PixelSize
    /// 4:4:4 requires the profile High 4:4:4 Predictive, which few players and no live service support.
    package var chroma: ChromaFormat
    /// The nominal frame rate in frames per second.
    package var frameRate: Int
    /// True if every tick has a frame. The stream declares it (`fixed_frame_rate_flag`; Rec. ITU-T H.264, E.2.1).
    package var hasFixedFrameRate: Bool
    package var rateControl: RateControl
    package var coding: CodingOptions
    /// What the decoders are limited to; nil if they take High. OpenH264 always encodes for the least.
    package var profile: VideoProfile?
    /// The number of threads for slices of one frame.
    package var threads: Int
    /// The size in bytes that no frame should exceed; nil if only the bitrate limits it. Lossless frames exceed it.
    package var maximumFrameSize: Int?
    /// True if a chroma value of 4:2:0 is that of the centre of its four pixels, as `CPixelKernels` and libyuv compute
    /// it. The stream declares it (`chroma_sample_loc_type_top_field`; Rec. ITU-T H.264, E.2.1). False if that is not
    /// known.
    package var hasCentredChroma = true

    package init(
        size: PixelSize, chroma: ChromaFormat = .yuv420, frameRate: Int = 30, hasFixedFrameRate: Bool = false,
        rateControl: RateControl, coding: CodingOptions = CodingOptions(), threads: Int = 2
    ) {
        self.size = size
        self.chroma = chroma
        self.frameRate = frameRate
        self.hasFixedFrameRate = hasFixedFrameRate
        self.rateControl = rateControl
        self.coding = coding
        self.threads = threads
    }

    /// The number of threads for pictures of this size and rate, each of which encodes one slice: enough for a moving
    /// picture on a common processor. At least 2; at most 8, and at most the number of processors if that is more than
    /// 2.
    ///
    /// - Parameter processors: the processors that this process may use.
    package static func threads(for size: PixelSize, frameRate: Int, processors: Int) -> Int {
        let macroblocks = (size.width + 15) / 16 * ((size.height + 15) / 16)
        let wanted = (macroblocks * frameRate + macroblocksPerThread - 1) / macroblocksPerThread
        return max(2, min(wanted, processors, 8))
    }

    /// What one thread encodes in a second, with x264's preset veryfast.
    private static let macroblocksPerThread = 250_000

    /// The QP at which a still picture needs no refinement: derived from the requested quality or, with a bitrate,
    /// visually lossless. x264 codes P frames up to some steps above the CRF.
    var goodQuantizer: Int {
        switch rateControl {
        case .bitrate: 15
        case .quality(let factor): max(SettlingDetector.transparentQuantizer, Int(factor) + 4)
        }
    }

    /// The size of x264's buffer (VBV) in kbit for a bitrate: one second, or less if a frame of that size is too large.
    /// No frame is larger than the buffer.
    func bufferSize(bitrate kilobits: Int) -> Int {
        min(kilobits, maximumFrameSize.map { $0 * 8 / 1000 } ?? .max)
    }

    /// The bitrate in kbit/s, if `ScreenRateControl` chooses the QP of each frame; nil if x264's rate control does.
    var controlledBitrate: Int? {
        if case .bitrate(let kilobits) = rateControl, coding.latency == .low { kilobits } else { nil }
    }

    /// True if no bitrate limits the quality of the picture.
    var hasConstantQuality: Bool {
        if case .quality = rateControl { true } else { false }
    }
}
