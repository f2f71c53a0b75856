import ContentCapture
import Glibc
import Media
import Mix
import Pipeline
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
    /// How long viewers get the slate after a window that was selected by a rule was closed, until a window matches the
    /// rule again. Nil: the session ends with the window.
    package var windowTimeout: MediaTime?
    /// Windows that viewers must not see, in addition to those of the configuration.
    package var hiddenWindows: [HiddenWindowRule] = []
    /// The same rules as text, which are parsed when the session is prepared.
    package var hiddenWindowTexts: [String] = []
    /// The values of options, which override those of the configuration.
    package var video = Configuration.Video()
    package var audio = Configuration.Audio()
    package var sound = Sound.system
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
        func check(_ setting: SettingProblem.Setting?, _ reason: SettingProblem.Ineffectiveness)
            throws(ConfigurationError)
        {
            if let setting { throw .setting(.withoutEffect(setting, reason)) }
        }
        if !plans.contains(where: \.kind.reachesServers) {
            let connection: [(SettingProblem.Setting, Bool)] = [
                (.proxy, proxy != nil), (.bind, bindsTo != nil), (.ipVersion, ipVersion != nil),
                (.waitForNetwork, waitsForNetwork),
            ]
            try check(connection.first(where: \.1)?.0, .noServer)
        }
        if video.framePacing == .variable, !plans.isEmpty, plans.allSatisfy(\.media.needsConstantPacing) {
            try check(.framePacing, .constantFrameRate)
        }
        // A clip is encoded, and has sound.
        if clipBuffer != nil || plans.contains(where: { $0.kind == .clips }) { return }
        if !plans.contains(where: { $0.media.video == .encoded }) {
            try check(video.first(needing: [.encodedPicture]), .noEncodedPicture)
        }
        let listeners = plans.filter { !$0.media.audioTracks.isEmpty }
        if listeners.isEmpty { try check(audio.first(needing: [.sound, .encodedSound]), .noSound) }
        if listeners.allSatisfy(\.media.takesRawAudio) {
            try check(audio.first(needing: [.encodedSound]), .noEncodedSound)
        }
    }
}

extension SessionConfiguration {
    /// Returns the settings merged over those of the configuration. Checks every value.
    package init(_ settings: SessionSettings, over configuration: Configuration) throws(ConfigurationError) {
        self.init()
        duration = settings.duration
        waitsForNetwork = settings.waitsForNetwork
        route.proxy = settings.proxy?.proxy ?? configuration.network.proxy
        if let user = settings.proxy == nil ? configuration.proxyUser : settings.proxy?.user {
            route.proxyCredentials = settings.proxyPassword.map { RTMPCredentials(user: user, password: $0) }
            lacksProxyPassword = route.proxyCredentials == nil
        }
        route.source = settings.bindsTo ?? configuration.network.source
        route.version = settings.ipVersion ?? configuration.network.version
        media = try MediaConfiguration(settings, over: configuration)
    }
}

extension MediaConfiguration {
    /// Returns the settings merged over those of the configuration. Checks every value.
    init(_ settings: SessionSettings, over configuration: Configuration) throws(ConfigurationError) {
        self.init()
        title = settings.title
        clipBuffer = settings.clipBuffer
        let video = settings.video.over(configuration.video)
        switch settings.source {
        case .screen(let display, let selection):
            var screen = ScreenRequest(display: display)
            screen.selection = selection
            screen.windowTimeout = settings.windowTimeout ?? .zero
            screen.showsCursor = video.isOn(\.cursor)
            screen.keepsAwake = configuration.privacy.isOn(\.keepAwake)
            picture = .screen(screen)
        case .portal(var request):
            request.showsCursor = video.isOn(\.cursor)
            request.frameRate = video.fps ?? request.frameRate
            picture = .portal(request)
        case .y4m(let path):
            if settings.video.cursor != nil { throw .setting(.withoutEffect(.cursor, .noScreen)) }
            if !settings.hiddenWindows.isEmpty { throw .setting(.withoutEffect(.hiddenWindows, .noScreen)) }
            picture = .y4m(path: path)
        case .feed(let feed): picture = .feed(feed)
        }
        if picture.hidesWindows {
            hiddenWindows = HiddenWindowSettings(
                configuration.privacy.hide + settings.hiddenWindows, mutesSound: configuration.privacy.isOn(\.mute))
        }
        do throws(SettingProblem) {
            try apply(settings.video, over: configuration.video)
            try applySound(settings, configuration.audio)
        } catch {
            throw .setting(error)
        }
        if settings.video.bitrate == nil && settings.video.quality == nil, let conflict = configuration.rateConflict {
            throw .fault(conflict)
        }
    }

    private mutating func apply(_ chosen: Configuration.Video, over config: Configuration.Video) throws(SettingProblem)
    {
        if chosen.bitrate != nil && chosen.quality != nil { throw .bitrateAndQuality }
        try chosen.check()
        chosen.over(config).store(into: &self)
        // A file's own rate overrides the configuration, which applies to the screen.
        frameRate = chosen.fps ?? (picture.isDesktop ? config.fps : nil)
        if let quality = chosen.quality ?? (chosen.bitrate == nil ? config.quality : nil) {
            rateControl = .quality(quality)
        }
        if let bitrate = chosen.bitrate ?? (chosen.quality == nil ? config.bitrate : nil) {
            rateControl = .bitrate(bitrate)
        }
    }

    private mutating func applySound(_ settings: SessionSettings, _ config: Configuration.Audio) throws(SettingProblem)
    {
        let chosen = settings.audio
        var hasOwnSound = false
        switch settings.sound {
        case .system: break
        case .wav(let path):
            if chosen.appSource != nil || chosen.app == false { throw .soundFileAndApplications }
            if path == "-", case .y4m("-") = picture { throw .twoStandardInputs }
            audio.content = .wav(path: path)
            hasOwnSound = true
        case .feed(let feed):
            audio.content = .feed(feed)
            hasOwnSound = true
        }
        // If the picture does not come from the screen, application sound is off unless the settings enable it.
        let sound = chosen.over(config)
        let takesApp = hasOwnSound || (picture.isDesktop ? sound.isOn(\.app) : chosen.app ?? false)
        audio.app = takesApp ? AudioMixer.Level(decibels: sound.appGain ?? 0) : nil
        audio.laterMic = AudioMixer.Level(decibels: sound.micGain ?? 0)
        audio.mic = sound.isOn(\.mic) ? audio.laterMic : nil
        if chosen.appSource != nil && !takesApp { throw .withoutEffect(.applicationSource, .noApplicationSound) }
        try chosen.check()
        sound.store(into: &self)
    }
}

extension AudioMixer.Level {
    fileprivate init(decibels: Double) {
        self.init(gain: Float(pow(10, decibels / 20)))
    }
}
