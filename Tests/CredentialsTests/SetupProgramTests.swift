import Credentials
import Glibc
import Processes
import TestSupport
import Testing
import UserConfiguration

struct SetupProgramTests {
    /// Runs a script as a setup program.
    private func run(_ script: String, known: [String: String] = [:], in folder: TemporaryFolder) throws(SetupProblem)
        -> SetupAnswer
    {
        let path = (try? folder.write("#!/bin/sh\n" + script, to: "sign-in", mode: 0o700)) ?? ""
        return try SetupProgram(path: path, folder: folder.path, environment: ["PATH": "/usr/bin:/bin"]).run(
            name: "mine", known: known)
    }

    private func problem(_ script: String) async throws -> SetupProblem? {
        try await withTemporaryFolder { folder in
            do throws(SetupProblem) {
                _ = try run(script, in: folder)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func `A setup program receives the known answers and returns new ones`() async throws {
        try await withTemporaryFolder { folder in
            let answer = try run(
                #"printf '%s' "$BROADCAST_SETUP" > known; pwd -P > folder; echo '{"setup":{"url":"u"},"secrets":{"token":"t"}}'"#,
                known: ["url": "a/\"b\"", "Title": "ä"], in: folder)
            #expect(answer.setup == ["url": "u"] && answer.secrets == ["token": "t"])
            #expect(folder.text(of: "known") == #"{"name":"mine","setup":{"Title":"ä","url":"a/\"b\""}}"#)
            #expect(folder.text(of: "folder") == folder.path + "\n")
        }
    }

    @Test func `The message of a setup program has priority over its exit status`() async throws {
        for end in ["exit 0", "exit 3", "kill -TERM $$"] {
            #expect(
                try await problem("echo '{\"error\":{\"message\":\"The account is locked.\"}}'; " + end)
                    == .refused(name: "mine", message: "The account is locked."))
        }
    }

    @Test(arguments: ["exit 130", "kill -INT $$", "kill -TERM $$", "kill -HUP $$"])
    func `If the user ends the setup program, the setup is cancelled`(
        script: String
    )
        async throws
    {
        #expect(try await problem("trap - INT; " + script) == .cancelled)
    }

    @Test func `Another end of a setup program is reported`() async throws {
        #expect(try await problem("exit 3") == .programEnded(name: "mine", .exited(3)))
        #expect(try await problem("kill -SEGV $$") == .programEnded(name: "mine", .killed(signal: SIGSEGV)))
        // Also if there is an answer.
        #expect(try await problem("echo '{}'; exit 1") == .programEnded(name: "mine", .exited(1)))
    }

    @Test(arguments: ["", "echo hello", "echo '{\"setup\":[]}'"]) func `Anything but an answer is a problem`(
        script: String
    ) async throws {
        let result = try await problem(script)
        guard case .notAnAnswer(let path) = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(path.hasSuffix("/sign-in"))
    }

    @Test func `A program that cannot be started is a problem`() {
        #expect(throws: SetupProblem.programNotStarted(path: "/nowhere/sign-in", code: ENOENT)) {
            try SetupProgram(path: "/nowhere/sign-in", folder: "/", environment: [:]).run(name: "mine", known: [:])
        }
    }

    @Test func `Interrupts end the program only while it runs`() async throws {
        let older = signal(SIGINT, SIG_DFL)
        defer { signal(SIGINT, older) }
        _ = try await problem("exit 0")
        #expect(signal(SIGINT, SIG_DFL) == nil)
    }
}

struct KeyCommandTests {
    private func result(_ command: String, isInterrupted: Bool = false) -> Result<String, CredentialProblem> {
        Result { () throws(CredentialProblem) in
            try KeyCommand(command: command, destination: "mine").key { isInterrupted }
        }
    }

    @Test(arguments: [
        ("echo key", "key"), ("printf 'key\\r\\nmore\\n'", "key"), ("printf 'ä b'", "ä b"), ("echo k | tr k x", "x"),
    ])
    func `The key is the first line`(command: String, key: String) {
        #expect(result(command) == .success(key))
    }

    @Test(
        arguments: [
            ("echo key; exit 3", 3), ("false", 1), ("exit 127", 127), ("$NOTHING no-such-command 2>/dev/null", 127),
        ] as [(String, Int32)])
    func `A command that fails is a problem with its exit status, also if it printed a key`(
        command: String, status: Int32
    ) {
        #expect(result(command) == .failure(.keyCommand(destination: "mine", .failed(status: status))))
    }

    @Test func `A command that a signal ends is a problem with the signal`() {
        #expect(
            result("echo key; kill -TERM $$") == .failure(.keyCommand(destination: "mine", .killed(signal: SIGTERM))))
    }

    @Test(arguments: ["true", "echo", "printf '\\377'", "head -c 65537 /dev/zero | tr '\\0' k"])
    func `Without a key there is a problem`(command: String) {
        #expect(result(command) == .failure(.keyCommand(destination: "mine", .withoutKey)))
    }

    @Test func `A program that is not installed is named, also before it runs`() {
        #expect(
            result("no-such-command-anywhere key 2>/dev/null")
                == .failure(.keyCommand(destination: "mine", .missing(program: "no-such-command-anywhere"))))
        func missing(_ command: String) -> String? { KeyCommand(command: command, destination: "mine").missingProgram }
        #expect(missing("no-such-command-anywhere show mine") == "no-such-command-anywhere")
        #expect(missing("/nowhere/pass show mine") == "/nowhere/pass")
        for command in [
            "cat file", "/bin/cat file", "echo key", "if true; then echo key; fi", "$PASS key", "'quoted name' key", "",
        ] {
            #expect(missing(command) == nil, "\(command)")
        }
    }

    @Test func `The longest key has 64 KiB`() {
        #expect(result("head -c 65536 /dev/zero | tr '\\0' k") == .success(String(repeating: "k", count: 65_536)))
    }

    @Test func `An interruption is a problem of its own`() {
        #expect(result("kill -INT $$") == .failure(.keyCommand(destination: "mine", .interrupted(signal: SIGINT))))
        #expect(
            result("exec sleep 1000", isInterrupted: true)
                == .failure(.keyCommand(destination: "mine", .interrupted(signal: nil))))
    }
}
