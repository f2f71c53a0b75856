import ArgumentParser
import Media
import Upload

/// How the picture is made.
struct VideoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The size that is sent; the picture keeps its aspect. Default: the source's.", valueName: "WxH"))
    var size: String?

    @Option(help: ArgumentHelp("Frames a second, at most. Default: 30.", valueName: "n"))
    var fps: Int?

    @Option(help: ArgumentHelp("The bitrate in kbit/s. The default where anything is live, by size.", valueName: "kbit/s"))
    var bitrate: Int?

    @Option(help: ArgumentHelp("The quality as x264's CRF; 0 is lossless. The default where only files are written: 23.", valueName: "crf"))
    var quality: Double?

    @Option(help: ArgumentHelp("x264's preset. Default: veryfast.", valueName: "name"))
    var preset: String?

    @Option(help: ArgumentHelp("low: each frame at once. normal: more quality a bit. Default: low.", valueName: "low|normal"))
    var latency: String?

    @Option(
        help: ArgumentHelp(
            "How finely colours are kept: 420, as every player takes it, or 444, for files in which every letter counts. Default: 420.",
            valueName: "420|444"))
    var chroma: String?

    @Option(help: ArgumentHelp("Seconds between keyframes. Default: 2.", valueName: "seconds"))
    var keyframeInterval: Double?

    @Option(
        help: ArgumentHelp(
            "constant: every tick. variable: when something changed. Default: constant for live and stdout, variable for files.", valueName: "mode"))
    var framePacing: String?

    @Flag(inversion: .prefixedNo, help: "Show the mouse pointer. Default: shown.")
    var cursor: Bool?
}

/// What is heard.
struct AudioOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Take what the applications play. Default: taken.")
    var appAudio: Bool?

    @Flag(inversion: .prefixedNo, help: "Take the microphone. Default: off.")
    var mic: Bool?

    @Option(
        help: ArgumentHelp(
            "The PulseAudio source for the applications' sound, or app:NAME for one application's. Default: the monitor of the default sink.",
            valueName: "name|app:name"))
    var appSource: String?

    @Option(help: ArgumentHelp("The PulseAudio source for the microphone. Default: the default source.", valueName: "name"))
    var micSource: String?

    @Option(
        help: ArgumentHelp("Sound from a WAV file or pipe instead of what the applications play; - is standard input.", valueName: "file"))
    var wav: String?

    @Option(
        help: ArgumentHelp(
            "mixed: one track. separate: the applications and the microphone as tracks of their own, in files. Default: mixed.",
            valueName: "mixed|separate"))
    var audioTracks: AudioTracks?

    @Option(help: ArgumentHelp("The sound's bitrate in kbit/s. Default: 160.", valueName: "kbit/s"))
    var audioBitrate: Int?
}

/// What a session is called, and when it ends.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The session's name.", valueName: "name"))
    var session = "default"

    @Flag(help: "Go on in the background; return once every destination is live.")
    var detach = false

    @Option(help: ArgumentHelp("End by itself after so long: 90s, 5m, 1h.", valueName: "time"))
    var duration: String?

    @Option(help: ArgumentHelp("What the broadcast is called, for services and files.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("Keep so much of the past for broadcast clip. Default with --to clips: 60s.", valueName: "time"))
    var clipBuffer: String?

    @Option(
        help: ArgumentHelp(
            "The format of files and of stdout: \(ContainerFormat.allCases.map(\.rawValue).joined(separator: ", ")). Default: by the file's ending; stdout: mpegts.", valueName: "format"))
    var format: String?
}

/// How the sound is laid out in files.
enum AudioTracks: String, ExpressibleByArgument, CaseIterable {
    case mixed
    case separate
}
