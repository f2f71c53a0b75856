import Credentials
import Glibc
import Presentation
import Terminal
import Testing

/// Questions on a terminal, and secrets from standard input. Each test is a process of its own.
struct TerminalPromptTests {
    /// What the user answered, as text.
    private static func text(_ answer: TerminalPrompt.Answer) -> String {
        switch answer {
        case .line(let line): "line \(line)"
        case .cancelled: "cancelled"
        case .tooLong: "too long"
        case .severalLines: "several lines"
        }
    }

    @Test(
        arguments: [
            ("anna\n", "line anna"), ("\n", "line "), ("anné\u{7f}a\n", "line anna"), ("\u{8}\u{7f}x\n", "line x"),
            ("wrong\u{15}anna\n", "line anna"), ("an\u{4}na\n", "line anna"), ("an\u{3}", "cancelled"),
            ("\u{1c}", "cancelled"),
            ("\u{4}", "cancelled"),
        ])
    func `A line can be edited and cancelled, and the terminal is restored`(typed: String, answer: String) async {
        await #expect(processExitsWith: .success) { [typed, answer] in
            let terminal = PseudoTerminal()
            terminal.answer("User: ", with: typed)
            let result = Self.text(TerminalPrompt.ask("User", isSecret: false))
            #expect(result == answer)
            #expect(terminal.isOrdinary)
        }
    }

    @Test func `What was typed before the question is no answer`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.typeBefore("wrong\n")
            terminal.answer("User: ", with: "anna\n")
            #expect(Self.text(TerminalPrompt.ask("User", isSecret: false)) == "line anna")
        }
    }

    /// An arrow in a secret, which is not shown, would store a wrong key.
    @Test(arguments: [
        "an\u{1b}[Ana\n", "\u{1b}OHanna\u{1b}[3~\n", "an\u{1b}[1;5Cna\n", "an\u{1b}na\n", "an\u{1b}[[Ana\n",
        "an\u{1b}[\u{1b}[Ana\n", "anna\u{1b}[\n",
    ])
    func `Keys without a character are no part of the answer`(typed: String) async {
        await #expect(processExitsWith: .success) { [typed] in
            let terminal = PseudoTerminal()
            terminal.answer("Key: ", with: typed)
            #expect(Self.text(TerminalPrompt.ask("Key", isSecret: true)) == "line anna")
        }
    }

    @Test func `What is typed is shown, and what is erased disappears`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.answer("User: ", with: "ab\u{7f}c\u{15}d\n")
            _ = TerminalPrompt.ask("User", isSecret: false)
            let erase = "\u{8} \u{8}"
            #expect(terminal.wait(for: "User: ab\(erase)c\(erase)\(erase)d\n"), "\(terminal.text)")
        }
    }

    @Test func `A secret is never shown`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.answer("Key: ", with: "s3\u{7f}3cret\n")
            #expect(Self.text(TerminalPrompt.ask("Key", isSecret: true)) == "line s3cret")
            #expect(terminal.wait(for: "Key: \n"))
            #expect(terminal.text == "Key: \n" && terminal.isOrdinary)
        }
    }

    @Test func `A secret of several lines, or of too many bytes, is rejected, and the shell gets none of it`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.answer("Key: ", with: "first\nrm -r important\n")
            #expect(Self.text(TerminalPrompt.ask("Key", isSecret: true)) == "several lines")
            var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            #expect(poll(&request, 1, 0) == 0)
        }
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.answer("Key: ", with: String(repeating: "x", count: CredentialStore.maximumSecret + 1) + "\n")
            #expect(Self.text(TerminalPrompt.ask("Key", isSecret: true)) == "too long")
        }
    }

    @Test func `Without a terminal no question is asked`() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.feed("anna\n")
            #expect(Self.text(TerminalPrompt.ask("User", isSecret: false)) == "cancelled")
        }
    }

    @Test func `A signal during a question restores the terminal and ends the command`() async {
        await #expect(processExitsWith: .exitCode(1)) {
            let terminal = PseudoTerminal()
            terminal.whenShown("Key: ") { kill(getpid(), SIGTERM) }
            _ = TerminalPrompt.ask("Key", isSecret: true)
            exit(2)
        }
    }

    // MARK: Secrets

    /// The secret, or the status and the message of the error.
    private static func read() -> String {
        do throws(CommandError) {
            return try SecretInput.read("Key", way: "give it with < FILE", consequence: "Nothing was stored.")
        } catch {
            return "\(error.status.rawValue): \(error.message)"
        }
    }

    @Test(
        arguments: [
            (" s3cret \n\n", "s3cret"),
            ("-----BEGIN-----\nabc\n-----END-----\n", "-----BEGIN-----\nabc\n-----END-----"), ("", ""),
        ])
    func `A secret from a file has no white space around it, and may have several lines`(input: String, secret: String)
        async
    {
        await #expect(processExitsWith: .success) { [input, secret] in
            StandardStreams.feed(input)
            #expect(Self.read() == secret)
        }
    }

    @Test func `Input that is no secret is an error that says what did not happen`() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.feed([0xff, 0xfe])
            #expect(Self.read() == "64: The secret on standard input is not UTF-8 text. Nothing was stored.")
            StandardStreams.feed([UInt8](repeating: 0x78, count: CredentialStore.maximumSecret + 1))
            #expect(
                Self.read()
                    == "64: A secret may have \(CredentialStore.maximumSecret / 1024) KiB at most. Nothing was stored.")
            close(STDIN_FILENO)
            #expect(Self.read() == "66: Cannot read standard input: Bad file descriptor. Nothing was stored.")
        }
    }

    @Test(
        arguments: [
            (" s3cret\n", "s3cret"), ("\u{3}", "1: Nothing was stored."),
            (
                "a\nb\n",
                "64: The secret has several lines. Put it into a file, and give it with < FILE. Nothing was stored."
            ),
        ])
    func `A secret from a terminal is asked for`(typed: String, result: String) async {
        await #expect(processExitsWith: .success) { [typed, result] in
            let terminal = PseudoTerminal()
            terminal.answer("Key: ", with: typed)
            #expect(Self.read() == result)
        }
    }
}
