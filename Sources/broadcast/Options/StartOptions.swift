import ArgumentParser
import Upload

/// The options for destinations.
struct DestinationOptions: ParsableArguments {
    @Option(
        name: .customLong("to"), parsing: .singleValue, help: ArgumentHelp("Where to send the broadcast. Repeatable.", valueName: "destination"))
    var targets: [String] = []
}

/// The options for the pointer, the size and the encoding of the picture.
struct VideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The output size, as in 1280x720 or 720p; the picture keeps its aspect ratio. Default: the size of the source.",
            valueName: "WxH"))
    var size: String?

    @Option(help: ArgumentHelp("The maximum frame rate in frames per second. Default: 30.", valueName: "n"))
    var fps: Int?

    @Option(
        help: ArgumentHelp(
            "The video bitrate in kbit/s, or with a unit, as in 6M. Default with a live destination: chosen by size.",
            valueName: "kbit/s"))
    var bitrate: String?

    @Option(
        help: ArgumentHelp(
            "Constant quality instead of a bitrate: x264's CRF, 0 is lossless. Default if only files are written: 23.",
            valueName: "crf"))
    var quality: Double?

    @Option(help: ArgumentHelp("x264's preset. Default: veryfast.", valueName: "name"))
    var preset: String?

    @Option(
        help: ArgumentHelp(
            "low: send each frame at once. normal: better quality at the same bitrate, with more delay. Default: low.",
            valueName: "low|normal"))
    var latency: String?

    @Option(
        help: ArgumentHelp(
            "Chroma subsampling: 420 works in every player; 444 keeps small coloured text sharp, for files only. "
                + "Default: 420.",
            valueName: "420|444"))
    var chroma: String?

    @Option(help: ArgumentHelp("Seconds between keyframes. Default: 2.", valueName: "seconds"))
    var keyframeInterval: Double?

    @Option(
        help: ArgumentHelp(
            "constant: send a frame at every tick. variable: send a frame when the picture changed. "
                + "Default: constant for RTMP, stdout, .h264 files and extensions of the mode stream, otherwise variable.",
            valueName: "mode"))
    var framePacing: String?

    @Flag(inversion: .prefixedNo, help: "Show the mouse pointer. Default: shown.")
    var cursor: Bool?
}

/// The options for sound.
struct AudioOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Capture the sound of applications. Default: on.")
    var appAudio: Bool?

    @Flag(inversion: .prefixedNo, help: "Capture the microphone. Default: off.")
    var mic: Bool?

    @Option(
        help: ArgumentHelp(
            "The PulseAudio source of the applications' sound, or app:NAME for one application. "
                + "Default: the monitor of the default sink.",
            valueName: "name|app:name"))
    var appSource: String?

    @Option(
        help: ArgumentHelp(
            "The PulseAudio source for the microphone. Default: the default source.", valueName: "name"))
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

    @Option(help: ArgumentHelp("The audio bitrate in kbit/s. Default: 160.", valueName: "kbit/s"))
    var audioBitrate: String?
}

/// The options for the session: its name, its duration, its clips and the format of its files.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The session's name. Default: BROADCAST_SESSION of the environment, or default.", valueName: "name"))
    var session: String?

    @Flag(help: "Continue in the background; return once every destination is live.")
    var detach = false

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
