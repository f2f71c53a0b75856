import ContentCapture
import Encode
import Media
import Mix
import WindowPrivacy
import X11Capture

/// What is captured, and how it is encoded. The modules below it do not read the environment or configuration files.
package struct MediaConfiguration: Sendable {
    /// The source of the track `app`.
    package enum SoundContent: Sendable {
        /// PulseAudio.
        case system
        /// A WAV file or pipe; `-` is standard input.
        case wav(path: String)
        /// The sound of the application that runs the session.
        case feed(SoundFeed)
    }

    /// The captured sound.
    package struct Audio: Sendable {
        package var content = SoundContent.system
        /// The level of the applications' sound in the mix; nil if it is not recorded.
        package var app: AudioMixer.Level?
        /// The PulseAudio source, or `app:NAME` for one application; nil for the default output.
        package var appSource: String?
        /// The level of the microphone; nil if it is off at the start.
        package var mic: AudioMixer.Level?
        /// The PulseAudio source of the microphone; nil for the default one.
        package var micSource: String?
        /// The level of the microphone if it is turned on later.
        package var laterMic = AudioMixer.Level()
        /// kbit/s.
        package var bitrate: Int

        package init(
            app: AudioMixer.Level? = .init(), appSource: String? = nil, mic: AudioMixer.Level? = nil,
            micSource: String? = nil, bitrate: Int = 160
        ) {
            self.app = app
            self.appSource = appSource
            self.mic = mic
            self.micSource = micSource
            self.bitrate = bitrate
        }
    }

    /// The source of the pictures.
    package var picture = PictureRequest.screen(ScreenRequest())
    /// The windows that viewers must not see at the start. They have no effect if the picture does not show the
    /// desktop.
    package var hiddenWindows = HiddenWindowSettings()
    /// The size of the encoded pictures; nil for the size of the source.
    package var outputSize: PixelSize?
    /// The chroma subsampling in files. Live streams always use 4:2:0.
    package var chroma = ChromaFormat.yuv420
    /// Frames a second; nil for the source's own rate, or `standardFrameRate` if it has none.
    package var frameRate: Int?
    /// Nil for a bitrate that fits the size if a destination is live, otherwise for `standardQuality`.
    package var rateControl: VideoSettings.RateControl?
    package var coding = CodingOptions()
    /// Nil for constant pacing if a destination prefers it (`MediaRequirements`), otherwise for variable pacing.
    package var pacing: FramePacer.Mode?
    package var audio = Audio()
    /// The title of the broadcast; nil if the user set none.
    package var title: String?
    /// The duration that is kept for clips; nil if clips are off.
    package var clipBuffer: MediaTime?

    package init() {}

    /// The frame rate of a source without a rate of its own.
    package static let standardFrameRate = 30
    /// The x264 CRF without a rate control if no destination is live.
    package static let standardQuality = 23.0

    /// Returns the bitrate in kbit/s that live services recommend for a picture of `size`.
    package static func recommendedBitrate(size: PixelSize, frameRate: Int) -> Int {
        let isFast = frameRate > 30
        return switch size.area {
        case ...(640 * 360): isFast ? 1200 : 800
        case ...(854 * 480): isFast ? 2000 : 1500
        case ...(1280 * 800): isFast ? 4000 : 2500
        case ...(1920 * 1200): isFast ? 6000 : 4500
        case ...(2560 * 1600): isFast ? 12_000 : 9000
        default: isFast ? 24_000 : 16_000
        }
    }
}

extension MediaConfiguration {
    /// The size of the encoded pictures: the chosen one, or the current size of the screen, which is requested from the
    /// X server. Nil if it is not known.
    package var pictureSize: PixelSize? {
        if let outputSize { return outputSize }
        guard case .screen(let request) = picture else { return nil }
        return try? request.currentSize()
    }
}
