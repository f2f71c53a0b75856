import ArgumentParser
import Presentation
import Upload
import UserConfiguration

/// The options for destinations.
struct DestinationOptions: ParsableArguments {
    @Option(
        name: .customLong("to"), parsing: .singleValue,
        help: ArgumentHelp("Where to send the broadcast. Repeatable.", valueName: "destination"))
    var targets: [String] = []
}

/// The options for the pointer, the size and the encoding of the picture.
struct VideoOptions: ParsableArguments {
    @Option(help: ArgumentHelp(SettingCatalog.video.size))
    var size: String?

    @Option(help: ArgumentHelp(SettingCatalog.video.fps))
    var fps: Int?

    @Option(help: ArgumentHelp(SettingCatalog.video.bitrate))
    var bitrate: String?

    @Option(help: ArgumentHelp(SettingCatalog.video.quality))
    var quality: Double?

    @Option(help: ArgumentHelp(SettingCatalog.video.encoder))
    var encoder: String?

    @Option(help: ArgumentHelp(SettingCatalog.video.preset))
    var preset: String?

    @Option(help: ArgumentHelp(SettingCatalog.video.latency))
    var latency: String?

    @Option(help: ArgumentHelp(SettingCatalog.video.chroma))
    var chroma: String?

    @Option(help: ArgumentHelp(SettingCatalog.video.keyframeInterval))
    var keyframeInterval: Double?

    @Option(help: ArgumentHelp(SettingCatalog.video.framePacing))
    var framePacing: String?

    @Flag(inversion: .prefixedNo, help: ArgumentHelp(SettingCatalog.video.cursor))
    var cursor: Bool?

    /// The values of the options.
    func values() throws(CommandError) -> Configuration.Video {
        var values = Configuration.Video()
        values.size = try size.map { text throws(CommandError) in try OptionValue.size(text) }
        values.fps = fps
        values.bitrate = try OptionValue.bitrate(bitrate, of: SettingCatalog.video.bitrate)
        values.quality = quality
        values.encoder = try OptionValue.choice(encoder, of: SettingCatalog.video.encoder)
        values.preset = preset
        values.latency = try OptionValue.choice(latency, of: SettingCatalog.video.latency)
        values.chroma = try OptionValue.choice(
            chroma?.replacing(":", with: ""), of: SettingCatalog.video.chroma)
        values.framePacing = try OptionValue.choice(framePacing, of: SettingCatalog.video.framePacing)
        values.keyframeInterval = keyframeInterval
        values.cursor = cursor
        return values
    }
}

/// The options for sound.
struct AudioOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: ArgumentHelp(SettingCatalog.audio.app))
    var appAudio: Bool?

    @Flag(inversion: .prefixedNo, help: ArgumentHelp(SettingCatalog.audio.mic))
    var mic: Bool?

    @Option(help: ArgumentHelp(SettingCatalog.audio.appSource))
    var appSource: String?

    @Option(help: ArgumentHelp(SettingCatalog.audio.micSource))
    var micSource: String?

    @Option(
        help: ArgumentHelp(
            "Read sound from a WAV file or pipe instead of from applications; - is standard input.", valueName: "file"))
    var wav: String?

    @Option(
        help: ArgumentHelp(
            "mixed: one track. separate: one track for applications and one for the microphone, in files. "
                + "Default: mixed.",
            valueName: "mixed|separate"))
    var audioTracks: AudioTracks?

    @Option(help: ArgumentHelp(SettingCatalog.audio.bitrate))
    var audioBitrate: String?

    /// The values of the options for settings of the configuration.
    func values() throws(CommandError) -> Configuration.Audio {
        var values = Configuration.Audio()
        values.app = appAudio
        values.mic = mic
        values.appSource = appSource
        values.micSource = micSource
        values.bitrate = try OptionValue.bitrate(audioBitrate, of: SettingCatalog.audio.bitrate)
        return values
    }
}

/// The options for the session: its name, its duration, its clips and the format of its files.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The session's name. Default: BROADCAST_SESSION of the environment, or default.", valueName: "name"))
    var session: String?

    @Option(
        help: ArgumentHelp("Use the settings and destinations of [profile.NAME] in the config.", valueName: "name"))
    var profile: String?

    @Flag(help: "Continue in the background; return once every destination is live.")
    var detach = false

    @Flag(help: "Stop the session if it runs, as broadcast stop does; otherwise start it: for a key that does both.")
    var toggle = false

    @Flag(
        help:
            "Wait for the X server or the compositor instead of failing, and take DISPLAY and WAYLAND_DISPLAY from systemd's user manager: for starts at login or at boot."
    )
    var waitForDisplay = false

    @Flag(name: [.short, .long], help: "Show only problems: no status line, and nothing about what works.")
    var quiet = false

    @Option(help: ArgumentHelp("Stop after this time: 90s, 5m, 1h30m, 01:30.", valueName: "time"))
    var duration: String?

    @Option(help: ArgumentHelp("The title of the broadcast, for services and files.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "Keep this much of the broadcast in memory for broadcast clip. Default with --to clips: 60s.",
            valueName: "time"))
    var clipBuffer: String?

    @Option(
        help: ArgumentHelp(
            "The format of files and of stdout: \(ContainerFormat.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "Default: by the file's ending; for stdout, mpegts.",
            valueName: "format"))
    var format: String?
}

/// The audio tracks in files.
enum AudioTracks: String, ExpressibleByArgument, CaseIterable {
    case mixed
    case separate
}

extension ArgumentHelp {
    /// The help of the option of a setting.
    init(_ setting: any DeclaredSetting) {
        self.init(setting.help, valueName: setting.valueName)
    }
}
