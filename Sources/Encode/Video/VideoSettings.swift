import Media

/// How the picture is encoded.
package struct VideoSettings: Sendable, Equatable {
    package enum RateControl: Sendable, Equatable {
        /// An average of so many kbit/s, never more over about a second: what a network needs.
        case bitrate(Int)
        /// The same quality always (x264's CRF; 0 is lossless): what a file needs.
        case quality(Double)
    }

    package enum Latency: String, Sendable, Equatable, CaseIterable {
        /// Each frame comes out as it goes in.
        case low
        /// A lookahead of 10 frames and 2 B-frames: more quality a bit.
        case normal
    }

    package var size: PixelSize
    /// 4:4:4 needs High 4:4:4 Predictive, which few players and no live service take.
    package var chroma: ChromaFormat
    /// Nominal frames a second.
    package var frameRate: Int
    package var rateControl: RateControl
    /// One of x264's presets.
    package var preset: String
    package var latency: Latency
    /// Time between two IDR pictures.
    package var keyframeInterval: MediaTime
    /// Threads for slices of one frame.
    package var threads: Int

    package init(
        size: PixelSize, chroma: ChromaFormat = .yuv420, frameRate: Int = 30, rateControl: RateControl, preset: String = "veryfast",
        latency: Latency = .low,
        keyframeInterval: MediaTime = MediaTime(milliseconds: 2000), threads: Int = 2
    ) {
        self.size = size
        self.chroma = chroma
        self.frameRate = frameRate
        self.rateControl = rateControl
        self.preset = preset
        self.latency = latency
        self.keyframeInterval = keyframeInterval
        self.threads = threads
    }

    /// The QP at which a still picture needs no better coding: what was asked for with a quality, what looks like the
    /// original with a bitrate. x264 codes P frames up to some steps above the CRF.
    var goodQuantizer: Int {
        switch rateControl {
        case .bitrate: SettlingDetector.transparentQuantizer
        case .quality(let factor): max(SettlingDetector.transparentQuantizer, Int(factor) + 4)
        }
    }

    /// True where no bitrate keeps a picture from being as good as it was asked for.
    var hasConstantQuality: Bool {
        if case .quality = rateControl { true } else { false }
    }

    /// x264's presets, fastest first.
    package static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]
}
