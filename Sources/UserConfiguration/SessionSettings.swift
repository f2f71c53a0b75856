import ContentCapture
import Encode
import Glibc
import Media
import Mix
import PortalCapture
import RTMP
import Session
import Upload
import WindowPrivacy
import X11Capture

/// The user's choices for a session, on the command line or in a program. A value that is nil comes from the
/// configuration, or is a default.
package struct SessionSettings: Sendable {
    /// The source of the picture.
    package enum Source: Sendable {
        /// An X display; nil for the one that `DISPLAY` names.
        case screen(display: String?, ScreenSelection)
        /// What the user chooses in the dialog of a Wayland desktop. Its cursor, rules and frame rate come from these
        /// settings.
        case portal(PortalRequest)
        /// A YUV4MPEG2 file or pipe; `-` is standard input.
        case y4m(path: String)
        case feed(PictureFeed)
    }

    /// The source of the applications' sound.
    package enum Sound: Sendable {
        case system
        /// A WAV file or pipe; `-` is standard input.
        case wav(path: String)
        case feed(SoundFeed)
    }

    package var source = Source.screen(display: nil, .wholeScreen)
    /// How long viewers get the slate after a window that was selected by a rule was closed, until a window matches the rule again. Nil:
    /// the session ends with the window.
    package var windowTimeout: MediaTime?
    package var showsCursor: Bool?
    /// Windows that viewers must not see, in addition to those of the configuration.
    package var hiddenWindows: [HiddenWindowRule] = []
    /// The same rules as text, which are parsed when the session is prepared.
    package var hiddenWindowTexts: [String] = []
    package var size: PixelSize?
    /// Frames a second.
    package var frameRate: Int?
    /// kbit/s.
    package var bitrate: Int?
    /// x264's CRF.
    package var quality: Double?
    package var preset: String?
    package var latency: VideoSettings.Latency?
    package var chroma: ChromaFormat?
    package var pacing: FramePacer.Mode?
    /// Seconds.
    package var keyframeInterval: Double?
    package var sound = Sound.system
    package var appAudio: Bool?
    package var microphone: Bool?
    package var appSource: String?
    package var micSource: String?
    /// kbit/s.
    package var audioBitrate: Int?
    package var title: String?
    package var duration: MediaTime?
    package var clipBuffer: MediaTime?
    /// Retry first connections that fail because of the network.
    package var waitsForNetwork = false
    /// The proxy, the address or interface, and the version of IP; nil for the configuration's.
    package var proxy: ProxyAddress?
    /// The password for the proxy, from the environment.
    package var proxyPassword: String?
    package var bindsTo: RTMPRoute.Source?
    package var ipVersion: RTMPRoute.Version?

    package init() {}

    /// The length of the clip buffer if a destination keeps clips and the user chose no length.
    package static let standardClipBuffer = MediaTime(milliseconds: 60_000)
}

extension SessionSettings {
    /// Throws for a setting that the user chose and that has no effect on any of the destinations.
    package func checkEffect(on plans: [DestinationPlan]) throws(ConfigurationError) {
        func check(_ settings: [(SettingProblem.Setting, Bool)], _ reason: SettingProblem.Ineffectiveness) throws(ConfigurationError) {
            if let setting = settings.first(where: { $0.1 })?.0 { throw .setting(.withoutEffect(setting, reason)) }
        }
        if !plans.contains(where: \.kind.reachesServers) {
            try check(
                [(.proxy, proxy != nil), (.bind, bindsTo != nil), (.ipVersion, ipVersion != nil), (.waitForNetwork, waitsForNetwork)],
                .noServer)
        }
        if pacing == .variable, !plans.isEmpty, plans.allSatisfy(\.media.needsConstantPacing) {
            try check([(.framePacing, true)], .constantFrameRate)
        }
        // A clip is encoded, and has sound.
        if clipBuffer != nil || plans.contains(where: { $0.kind == .clips }) { return }
        if !plans.contains(where: { $0.media.video == .encoded }) {
            try check(
                [
                    (.bitrate, bitrate != nil), (.quality, quality != nil), (.preset, preset != nil), (.latency, latency != nil),
                    (.keyframeInterval, keyframeInterval != nil),
                ], .noEncodedPicture)
        }
        let listeners = plans.filter { !$0.media.audioTracks.isEmpty }
        if listeners.isEmpty {
            try check(
                [
                    (.microphone, microphone == true), (.applicationSource, appSource != nil), (.microphoneSource, micSource != nil),
                    (.audioBitrate, audioBitrate != nil),
                ], .noSound)
        }
        if listeners.allSatisfy(\.media.takesRawAudio) { try check([(.audioBitrate, audioBitrate != nil)], .noEncodedSound) }
    }
}

extension SessionConfiguration {
    /// Returns the settings merged over those of the configuration. Checks every value.
    package init(_ settings: SessionSettings, over configuration: Configuration) throws(ConfigurationError) {
        self.init()
        title = settings.title
        duration = settings.duration
        clipBuffer = settings.clipBuffer
        waitsForNetwork = settings.waitsForNetwork
        route.proxy = settings.proxy?.proxy ?? configuration.network.proxy
        if let user = settings.proxy == nil ? configuration.proxyUser : settings.proxy?.user {
            route.proxyCredentials = settings.proxyPassword.map { RTMPCredentials(user: user, password: $0) }
            lacksProxyPassword = route.proxyCredentials == nil
        }
        route.source = settings.bindsTo ?? configuration.network.source
        route.version = settings.ipVersion ?? configuration.network.version
        switch settings.source {
        case .screen(let display, let selection):
            var screen = ScreenRequest(display: display)
            screen.selection = selection
            screen.windowTimeout = settings.windowTimeout ?? .zero
            screen.showsCursor = settings.showsCursor ?? configuration.video.cursor ?? true
            screen.keepsAwake = configuration.privacy.keepAwake ?? true
            picture = .screen(screen)
        case .portal(var request):
            request.showsCursor = settings.showsCursor ?? configuration.video.cursor ?? true
            request.frameRate = settings.frameRate ?? configuration.video.fps ?? request.frameRate
            picture = .portal(request)
        case .y4m(let path):
            if settings.showsCursor != nil { throw .setting(.withoutEffect(.cursor, .noScreen)) }
            if !settings.hiddenWindows.isEmpty { throw .setting(.withoutEffect(.hiddenWindows, .noScreen)) }
            picture = .y4m(path: path)
        case .feed(let feed): picture = .feed(feed)
        }
        if picture.hidesWindows {
            hiddenWindows = HiddenWindowSettings(
                configuration.privacy.hide + settings.hiddenWindows, mutesSound: configuration.privacy.mute ?? false)
        }
        do throws(SettingProblem) {
            try apply(settings, configuration.video)
            try applySound(settings, configuration.audio)
        } catch {
            throw .setting(error)
        }
        if settings.bitrate == nil && settings.quality == nil, let conflict = configuration.video.conflict { throw .fault(conflict) }
    }

    private mutating func apply(_ settings: SessionSettings, _ config: Configuration.Video) throws(SettingProblem) {
        outputSize = settings.size ?? config.size
        // A file's own rate overrides the configuration, which applies to the screen.
        let rate = picture.isDesktop ? settings.frameRate ?? config.fps : settings.frameRate
        frameRate = try rate.map { value throws(SettingProblem) in try Self.check(value, in: 1...240, .frameRate) }
        if settings.bitrate != nil && settings.quality != nil { throw .bitrateAndQuality }
        if let quality = settings.quality ?? (settings.bitrate == nil ? config.quality : nil) {
            guard (0...51).contains(quality) else { throw .outOfRange(.quality, 0...51, value: quality) }
            rateControl = .quality(quality)
        }
        if let bitrate = settings.bitrate ?? (settings.quality == nil ? config.bitrate : nil) {
            rateControl = .bitrate(try Self.check(bitrate, in: 50...200_000, .bitrate))
        }
        preset = settings.preset ?? config.preset ?? preset
        guard VideoSettings.presets.contains(preset) else { throw .unknownPreset(preset, known: VideoSettings.presets) }
        latency = settings.latency ?? config.latency ?? latency
        chroma = settings.chroma ?? config.chroma ?? chroma
        pacing = settings.pacing ?? config.framePacing
        let seconds = settings.keyframeInterval ?? config.keyframeInterval ?? 2
        guard (0.1...60).contains(seconds) else { throw .outOfRange(.keyframeInterval, 0.1...60, value: seconds) }
        keyframeInterval = MediaTime(seconds: seconds)
    }

    private mutating func applySound(_ settings: SessionSettings, _ config: Configuration.Audio) throws(SettingProblem) {
        var hasOwnSound = false
        switch settings.sound {
        case .system: break
        case .wav(let path):
            if settings.appSource != nil || settings.appAudio == false { throw .soundFileAndApplications }
            if path == "-", case .y4m("-") = picture { throw .twoStandardInputs }
            audio.content = .wav(path: path)
            hasOwnSound = true
        case .feed(let feed):
            audio.content = .feed(feed)
            hasOwnSound = true
        }
        // If the picture does not come from the screen, application sound is off unless the settings enable it.
        let takesApp = hasOwnSound || (settings.appAudio ?? (picture.isDesktop ? config.app ?? true : false))
        audio.app = takesApp ? AudioMixer.Level(decibels: config.appGain ?? 0) : nil
        audio.laterMic = AudioMixer.Level(decibels: config.micGain ?? 0)
        audio.mic = settings.microphone ?? config.mic ?? false ? audio.laterMic : nil
        if settings.appSource != nil && !takesApp { throw .withoutEffect(.applicationSource, .noApplicationSound) }
        audio.appSource = settings.appSource ?? config.appSource
        audio.micSource = settings.micSource ?? config.micSource
        audio.bitrate = try Self.check(settings.audioBitrate ?? config.bitrate ?? 160, in: 32...320, .audioBitrate)
    }

    private static func check(
        _ value: Int, in range: ClosedRange<Int>, _ setting: SettingProblem.Setting
    ) throws(SettingProblem) -> Int {
        guard range.contains(value) else {
            throw .outOfRange(setting, Double(range.lowerBound)...Double(range.upperBound), value: Double(value))
        }
        return value
    }
}

extension AudioMixer.Level {
    fileprivate init(decibels: Double) {
        self.init(gain: Float(pow(10, decibels / 20)))
    }
}
