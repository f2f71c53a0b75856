import ContentCapture
import Encode
import Media
import Mix
import RTMP
import WindowPrivacy
import X11Capture

/// Everything that a session is started with. A value: nothing below reads the environment or a file.
package struct SessionConfiguration: Sendable {
    /// Where what counts as the applications' sound comes from.
    package enum SoundContent: Sendable {
        /// PulseAudio.
        case system
        /// A WAV file or pipe; `-` is standard input.
        case wav(path: String)
        /// What the application that runs the session hands over.
        case feed(SoundFeed)
    }

    /// Sound that is captured.
    package struct Audio: Sendable {
        package var content = SoundContent.system
        /// Windows whose programs must not be heard; nil where everybody is.
        package var mutedWindows: HiddenWindowRules?
        /// What the applications play, and how loud it is in the mix; nil where it is left out.
        package var app: AudioMixer.Level?
        package var appSource: String?
        /// The microphone; nil where it is left out.
        package var mic: AudioMixer.Level?
        package var micSource: String?
        /// How loud the microphone is where it is turned on later.
        package var laterMic = AudioMixer.Level()
        /// kbit/s.
        package var bitrate: Int

        package init(
            app: AudioMixer.Level? = .init(), appSource: String? = nil, mic: AudioMixer.Level? = nil, micSource: String? = nil, bitrate: Int = 160
        ) {
            self.app = app
            self.appSource = appSource
            self.mic = mic
            self.micSource = micSource
            self.bitrate = bitrate
        }
    }

    /// Where the picture comes from.
    package var picture = PictureRequest.screen(ScreenRequest())
    /// The size of the pictures that are sent; nil for the source's own.
    package var outputSize: PixelSize?
    /// How finely colours are kept in files; what is live is 4:2:0.
    package var chroma = ChromaFormat.yuv420
    /// nil: the source's own where it has one, else 30.
    package var frameRate: Int?
    /// nil: a bitrate by the size where anything is live, else quality 23.
    package var rateControl: VideoSettings.RateControl?
    package var preset = "veryfast"
    package var latency = VideoSettings.Latency.low
    package var keyframeInterval = MediaTime(milliseconds: 2000)
    /// nil: constant where anything is live, else variable.
    package var pacing: FramePacer.Mode?
    package var audio = Audio()
    /// The session ends by itself after so long; nil for never.
    package var duration: MediaTime?
    package var title: String?
    /// How much of the past is kept for clips; nil for none.
    package var clipBuffer: MediaTime?
    /// True if first connections that fail because of the network are retried until they succeed.
    package var waitsForNetwork = false
    /// How connections to RTMP servers leave this machine.
    package var route = RTMPRoute()

    package init() {}

    /// kbit/s that live services recommend for a picture of `size`.
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

extension SessionConfiguration {
    /// The size of the pictures that are sent, if it is known: the one that was asked for, or that of the screen now. Asks the X server.
    package var pictureSize: PixelSize? {
        if let outputSize { return outputSize }
        guard case .screen(let request) = picture else { return nil }
        return try? request.currentSize()
    }
}
