import Foundation
import Glibc
import Presentation
import Terminal
import TestSupport
import Testing
import UserConfiguration

/// The standard descriptors of the command. Tests that replace them are processes of their own.
struct OutputTests {
    @Test func `Answers go to standard output, and notes to standard error`() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try Output.answer("one")
            try Output.answer("two", newline: false)
            try Output.answer(Array("{}".utf8))
            try Output.answer(bytes: [0x41, 0x0a])
            Output.note("a note")
            Output.raw("raw")
            Output.echo(0x21)
            Output.flush()
        }
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self) == "one\ntwo{}\nA\n")
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("a note\nraw!"))
    }

    @Test func `A reader that ends is no error, and a full disk is one`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            close(ends[0])
            dup2(ends[1], STDOUT_FILENO)
            #expect(throws: CommandError.quiet) { try Output.answer("one") }
            dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO)
            #expect(
                throws: CommandError(
                    .ioError, "Cannot write to standard output: No space left on device. Redirect it to another file.")
            ) { try Output.answer("one") }
        }
    }

    @Test func `Without a terminal, text has 80 columns`() async {
        await #expect(processExitsWith: .success) {
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
            #expect(Output.width == 80 && !Output.isTerminal)
        }
    }

    @Test func `A closed descriptor is replaced, so that no file gets its number`() async {
        await #expect(processExitsWith: .success) {
            close(STDIN_FILENO)
            close(STDOUT_FILENO)
            StandardDescriptors.open()
            #expect(StandardDescriptors.wasOutputClosed && StandardDescriptors.outputState == .closed)
            #expect(open("/dev/null", O_RDONLY) > STDERR_FILENO)
            var byte: UInt8 = 0
            #expect(read(STDIN_FILENO, &byte, 1) == 0 && write(STDOUT_FILENO, &byte, 1) == 1)
        }
        await #expect(processExitsWith: .success) {
            StandardDescriptors.open()
            #expect(!StandardDescriptors.wasOutputClosed)
            let null = open("/dev/null", O_WRONLY)
            dup2(null, STDOUT_FILENO)
            #expect(StandardDescriptors.outputState == .usable)
            _ = PseudoTerminal()
            dup2(STDERR_FILENO, STDOUT_FILENO)
            #expect(StandardDescriptors.outputState == .terminal)
        }
    }

    // MARK: Menus

    @Test(
        arguments: [
            ("sed -n 2p", "two"), ("printf 'one\\r\\nrest'", "one"), ("cat >/dev/null", nil), ("cat; false", nil),
            ("exec /nonexistent/menu 2>/dev/null", nil), ("sed -n 3p", "th?[2Jree"),
        ] as [(String, String?)])
    func `A menu program chooses a line, and its failure chooses nothing`(command: String, choice: String?) throws {
        #expect(try MenuProgram(command: command).choose(from: ["one", "two", "th\u{1b}[2Jree"]) == choice)
    }
}
