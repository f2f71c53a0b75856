import ArgumentParser
import Control
import FoundationEssentials
import UserConfiguration

/// `broadcast clip`
struct ClipCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clip", abstract: "Save the last seconds as a playable MP4 while the broadcast continues.",
        discussion: """
            The session must keep a clip buffer: start it with --clip-buffer 60s, or with --to clips. Prints the path \
            of the file.
            """)

    @Option(help: ArgumentHelp("The length of the clip: 30s, 2m.", valueName: "time"))
    var last = "30s"

    @OptionGroup var name: SessionName

    @Argument(
        help: ArgumentHelp(
            "The file to write. Default: a name with the date, in the current folder.", valueName: "file"))
    var file: String?

    func run() async throws {
        let span = try OptionValue.duration(last, name: "--last")
        var path = file ?? "clip-\(FileDate.text(Date())).mp4"
        if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
        var request = ControlRequest(command: "clip")
        request.last = span.seconds
        request.path = path
        let reply = try await name.ask(request)
        if let clip = reply.clip { try Output.answer(clip.path) }
    }
}
