import ArgumentParser
import CommandModels
import Glibc
import Terminal

/// `broadcast complete`, for the completion scripts in `completions/`.
struct CompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Print the candidates for the last word of a command line.",
        discussion: """
            For completion scripts. WORDS are the words after broadcast, up to the cursor. The first line of the \
            answer is values, files or folders: whether the shell adds names of files or folders. Each other line is a \
            candidate, with a description after a tab. The shell selects the candidates that match.
            """,
        shouldDisplay: false)

    /// The limit for all queries of the system. A shell waits for the answer.
    private static let limit: UInt32 = 2

    @Argument(parsing: .captureForPassthrough, help: "The words.")
    var words: [String] = []

    func run() async throws {
        // An X server that hangs must not block the shell.
        signal(SIGALRM) { _ in _exit(0) }
        alarm(Self.limit)
        guard let root = CommandTree(dump: Broadcast._dumpHelp()) else { return }
        let line = CompletionLine(words: words.first == "--" ? Array(words.dropFirst()) : words, root: root)
        let completion: Completion?
        if case .value(let argument) = line.target {
            completion = await CompletionValues(line: line, root: root).completion(of: argument)
        } else {
            completion = Completion.names(for: line)
        }
        if let completion { try Output.answer(completion.text) }
    }
}
