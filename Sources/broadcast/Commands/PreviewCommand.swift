import ArgumentParser
import Glibc
import Presentation
import Session
import UserConfiguration

/// `broadcast preview`
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Look at what viewers would see, before going live.",
        discussion: """
            Takes one picture with the options that broadcast start takes for the source, the video and privacy: with hidden windows painted \
            over, the pointer, and the black bars of --size. It is written as PNG into FILE, or to standard output for -; without FILE it is \
            shown on the terminal where that knows kitty's graphics protocol or sixels, else in the desktop's viewer.
            """)

    @Argument(help: ArgumentHelp("The file to write, or - for standard output. Default: show it.", valueName: "file.png"))
    var file: String?

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Privacy") var privacy: PrivacyOptions

    func run() async throws {
        if file == "-" && isatty(STDOUT_FILENO) != 0 {
            throw CommandError(.usage, "Standard output is a terminal, and would show a PNG as noise. Give a file, or leave - out.")
        }
        let context = try CommandContext()
        var settings = try SessionSettings(
            source: source, video: video, audio: try AudioOptions.parse([]), privacy: privacy, session: try SessionOptions.parse([]))
        try source.refuseWayland(context)
        if try source.selection() == nil { settings.source = .screen(display: source.display, .window(try source.pickWindow())) }
        let configuration = try presenting { [settings] () throws(ConfigurationError) in try SessionConfiguration(settings, over: context.configuration) }
        let picture = try await PreviewPicture.take(configuration)
        switch file {
        case nil: _ = try picture.show(context)
        case "-": try picture.writeToOutput()
        case .some(let path): try picture.write(to: path)
        }
    }
}
