import ArgumentParser
import Control
import FoundationEssentials
import Media
import Presentation
import Terminal
import UserConfiguration

/// `broadcast clip`
struct ClipCommand: AsyncParsableCommand, NotifyingCommand {
    static let configuration = CommandConfiguration(
        commandName: "clip", abstract: "Save the last seconds as a playable MP4 while the broadcast continues.",
        discussion: """
            The session must keep a clip buffer: start it with --clip-buffer 60s, or with --to clips. The arguments are \
            the length of the clip, as in 30s or 1m30s, and the file to write. Prints the path of the file.
            """)

    @Option(help: ArgumentHelp("The length of the clip: 30s, 2m. Default: 30s.", valueName: "time"))
    var last: String?

    @OptionGroup var name: SessionName
    @OptionGroup var notice: NotifyOption

    @Argument(
        help: ArgumentHelp(
            "The length of the clip, and the file to write. Default: a name with the date, in the current folder.",
            valueName: "time|file"))
    var arguments: [String] = []

    func run() async throws {
        // A file that is called like a time can be given as ./30s.
        let times = arguments.filter { MediaTime(text: $0) != nil } + [last].compactMap(\.self)
        let files = arguments.filter { MediaTime(text: $0) == nil }
        guard times.count <= 1, files.count <= 1 else {
            throw CommandError(.usage, "A clip has one length and one file. Run: broadcast clip 30s FILE.mp4")
        }
        let span = try OptionValue.duration(times.first ?? "30s", name: "--last")
        let path = Self.absolute(files.first ?? Self.newName())
        guard let clip = try await name.ask(.clip(last: span.seconds, path: path)).clip else { return }
        try Output.answer(clip.path)
        if clip.duration < span.seconds - 0.5 { Output.note(ClipSentences.shorter(clip.duration)) }
    }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// A name with the date and, for a further clip within the same second, a number.
    static func newName() -> String {
        let stem = "clip-\(FileDate.text(Date()))"
        let names = [stem + ".mp4"] + (2...99).map { "\(stem)-\($0).mp4" }
        return names.first { !FileManager.default.fileExists(atPath: $0) } ?? names[0]
    }
}
