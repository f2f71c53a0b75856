import ArgumentParser
import Glibc
import Pipeline
import Presentation
import Session
import Terminal
import UserConfiguration

/// `broadcast preview`
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show what viewers would see, before you go live.",
        discussion: """
            Captures one picture with the options of broadcast start for source, video and privacy. It shows hidden \
            windows painted over, the pointer, and the black bars of --size. The command writes it as PNG into FILE, \
            or to standard output for -, and prints the name of the file. Without FILE it shows the picture on the terminal if the terminal supports \
            kitty's graphics protocol or sixels, and otherwise in the desktop's image viewer. The viewer reads a file \
            that only you can read and that the command removes before it exits. The exit status is 69 if the \
            picture cannot be shown.
            """)

    @Argument(
        help: ArgumentHelp(
            "The file to write, or - for standard output. Default: show the picture.", valueName: "file.png"))
    var file: String?

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Privacy") var privacy: PrivacyOptions

    func run() async throws {
        if file == "-" && isatty(STDOUT_FILENO) != 0 {
            throw CommandError(
                .usage, "Standard output is a terminal, which cannot show a PNG file. Name a file, or omit -.")
        }
        if let file, let error = PreviewSentences.otherFormat(file) { throw error }
        let context = try CommandContext()
        var settings = try SessionSettings(
            source: source, video: video, audio: try AudioOptions.parse([]), privacy: privacy,
            session: try SessionOptions.parse([]))
        if try source.usesPortal(context) {
            settings.source = .portal(try source.portalRequest(context, isAttended: source.isAttended(context)))
        } else if try source.selection() == nil {
            settings.source = .screen(display: source.display, .window(try source.pickWindow()))
        }
        let configuration = try presenting { [settings] () throws(ConfigurationError) in
            try SessionConfiguration(settings, over: context.configuration)
        }
        if let note = OptionValue.roundingNote(size: video.size, region: source.region) { Output.note(note) }
        if file == nil && Output.isTerminal { Output.note(PreviewSentences.preparing) }
        let picture = try await PreviewPicture.taken(configuration.media)
        switch file {
        case nil: try await Self.show(picture, context)
        case "-": try picture.writeToOutput()
        case .some(let path):
            try picture.write(to: path)
            try Output.answer(path)
        }
    }

    /// Shows the picture. An image viewer keeps its file until the user presses Enter, or for some seconds if there is
    /// no terminal.
    private static func show(_ picture: PreviewPicture, _ context: CommandContext) async throws(CommandError) {
        guard case .viewer(let file) = try await picture.show(context.terminal, paths: context.paths) else { return }
        defer { file.remove() }
        if isatty(STDIN_FILENO) != 0 && Output.isTerminal {
            TypedAhead.discard()
            Output.raw(PreviewSentences.inViewer(file.path) + " Press Enter to remove the file. ")
            _ = readLine()
        } else {
            Output.note("\(PreviewSentences.inViewer(file.path)) The file is removed after \(ViewedPicture.grace) s.")
            sleep(ViewedPicture.grace)
        }
    }
}

extension PreviewPicture {
    /// Captures the picture from the source.
    static func taken(_ configuration: MediaConfiguration) async throws(CommandError) -> PreviewPicture {
        do throws(PipelineError) {
            return PreviewPicture(try await Preview.take(configuration) { Output.note("broadcast: " + $0.sentence) })
        } catch {
            throw CommandError(error)
        }
    }
}
