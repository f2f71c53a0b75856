import Foundation
import Processes
import TestSupport
import Testing

struct CommandTests {
    /// Long enough for any program that ends by itself, on any machine.
    private static let long = Command.Deadline(.seconds(60))

    @Test func `The output and the exit status are the program's`() throws {
        let result = try Command.run(Shell.program("echo hello; echo hidden >&2; exit 3"), deadline: Self.long)
        #expect(String(decoding: result.output, as: UTF8.self) == "hello\n")
        #expect(result.end == .exited(3))
    }

    @Test func `The signal that ended a program is in its exit status`() throws {
        #expect(try Command.run(Shell.program("kill -USR1 $$"), deadline: Self.long).end == .killed(signal: SIGUSR1))
    }

    @Test(arguments: [0, 5, 65_536, 200_000]) func `The program reads its input to the end`(count: Int) throws {
        let input = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        let result = try Command.run(Program("cat", arguments: ["cat"]), .isolated(input: input), deadline: Self.long)
        #expect(result.output == input)
        #expect(result.end == .exited(0))
    }

    @Test(arguments: [10, 65_536, 1 << 20]) func `A program that does not read its input ends all the same`(count: Int)
        throws
    {
        let older = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, older) }
        let input = [UInt8](repeating: 0, count: count)
        let result = try Command.run(
            Shell.program("exec 0<&-; echo done"), .isolated(input: input), deadline: Self.long)
        #expect(String(decoding: result.output, as: UTF8.self) == "done\n")
        #expect(result.end == .exited(0))
    }

    @Test func `A menu program reads the list and returns the choice`() throws {
        let result = try Command.run(
            Shell.program("read first; echo \"$first\""), .menu(input: Array("one\ntwo\n".utf8)), deadline: Self.long)
        #expect(String(decoding: result.output, as: UTF8.self) == "one\n")
    }

    @Test func `The output of a program on the terminal is returned too`() throws {
        #expect(
            try Command.run(Shell.program("echo key"), .terminal, deadline: Self.long).output == Array("key\n".utf8))
    }

    @Test func `Output beyond the limit is read and dropped`() throws {
        let result = try Command.run(Shell.program("printf x; head -c 1000001 /dev/zero"), deadline: Self.long)
        #expect(result.output.count == Command.maximumOutput)
        #expect(result.output.first == UInt8(ascii: "x"))
        #expect(result.end == .exited(0))
    }

    @Test func `A program without output is killed at its deadline`() throws {
        let result = try Command.run(
            Program("sleep", arguments: ["sleep", "1000"]),
            deadline: .init(firstOutput: .milliseconds(50), end: .seconds(60)))
        #expect(result.end == .timedOut)
        #expect(result.output == [])
    }

    @Test func `After its first output a program has another deadline`() throws {
        let result = try Command.run(
            Shell.program("echo first; exec sleep 1000"),
            deadline: .init(firstOutput: .seconds(60), end: .milliseconds(50)))
        #expect(result.end == .timedOut)
        #expect(result.output == Array("first\n".utf8))
    }

    @Test func `An interruption kills the program`() throws {
        var polls = 0
        let result = try Command.run(Shell.program("echo started; exec sleep 1000"), deadline: Self.long) {
            polls += 1
            return polls > 2
        }
        #expect(result.end == .interrupted)
    }

    @Test func `At its deadline the whole process group is killed`() async throws {
        let result = try Command.run(
            Shell.program("sh -c 'sleep 1000 & echo $!; wait' & wait"),
            deadline: .init(firstOutput: .seconds(60), end: .milliseconds(50)))
        #expect(result.end == .timedOut)
        let grandchild = try #require(pid_t(String(decoding: result.output, as: UTF8.self).dropLast()))
        try await waitUntil("the grandchild has ended") { !Shell.isRunning(grandchild) }
    }

    @Test func `Processes in the process group of a program end with it`() async throws {
        let result = try Command.run(Shell.program("sleep 1000 >/dev/null & echo $!"), deadline: Self.long)
        #expect(result.end == .exited(0))
        let child = try #require(pid_t(String(decoding: result.output, as: UTF8.self).dropLast()))
        try await waitUntil("the child has ended") { !Shell.isRunning(child) }
    }

    @Test func `A process outside the group that keeps the output open does not delay the end`() throws {
        let result = try Command.run(Shell.program("sleep 1000 & echo key"), deadline: Self.long)
        #expect(result.end == .exited(0))
        #expect(result.output == Array("key\n".utf8))
    }

    @Test func `A program that closes its output early is waited for`() throws {
        let result = try Command.run(
            Shell.program("exec >&-; head -c 3000000 /dev/zero | wc -c >/dev/null; exit 5"), deadline: Self.long)
        #expect(result.end == .exited(5))
    }

    @Test(arguments: 0..<3) func `A program that does not exist is an error`(kind: Int) {
        let surroundings: Command.Surroundings = [.isolated(input: []), .terminal, .menu(input: [])][kind]
        #expect(throws: SystemError(code: ENOENT)) {
            try Command.run(Program("/nowhere/program", arguments: ["program"]), surroundings, deadline: Self.long)
        }
        #expect(throws: SystemError(code: ENOENT)) { try Command.launch(["/nowhere/program"]) }
        #expect(throws: SystemError(code: ENOENT)) { try Command.launch([]) }
    }

    @Test func `A launched program runs in its own session and is reaped`() async throws {
        try await withTemporaryFolder { folder in
            try Command.launch(["sh", "-c", "cut -d' ' -f1,6 /proc/$$/stat > \"$0\"", folder.path + "/session"])
            try await waitUntil("the program has written its session") {
                folder.text(of: "session")?.hasSuffix("\n") == true
            }
            let numbers = try #require(folder.text(of: "session")).split(whereSeparator: \.isWhitespace).compactMap {
                pid_t($0)
            }
            #expect(numbers.count == 2 && numbers.first == numbers.last)
            let process = try #require(numbers.first)
            try await waitUntil("the program is reaped") { !FileManager.default.fileExists(atPath: "/proc/\(process)") }
        }
    }

    @Test(arguments: ["", "trap '' TERM; "])
    func `A launched program and what it started are ended together, whether they follow SIGTERM or not`(start: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            // As xdg-open ends on some desktops, and leaves the viewer.
            let program = try Command.launch([
                "sh", "-c", start + "sleep 1000 & echo $! > \"$0\"", folder.path + "/viewer",
            ])
            #expect(await program.end.value == .exited(0))
            let viewer = try #require(folder.text(of: "viewer").flatMap { pid_t($0.dropLast()) })
            #expect(program.isRunning && Shell.isRunning(viewer))
            await program.endGroup(within: .milliseconds(100))
            #expect(!program.isRunning && !Shell.isRunning(viewer))
        }
    }

    @Test func `A launched program that ends alone leaves nothing that runs`() async throws {
        let program = try Command.launch(["sh", "-c", "exit 3"])
        #expect(await program.end.value == .exited(3))
        #expect(!program.isRunning)
        let killed = try Command.launch(["sh", "-c", "kill -USR1 $$"])
        #expect(await killed.end.value == .killed(signal: SIGUSR1))
    }
}
