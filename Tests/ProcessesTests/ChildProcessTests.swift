import Foundation
import Processes
import TestSupport
import Testing

struct ChildProcessTests {
    /// Runs `body` with a program that is this script.
    private func withChild(
        _ script: String, environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        _ body: (ChildProcess, TemporaryFolder) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("#!/bin/sh\n" + script, to: "program", mode: 0o700)
            let child = try ChildProcess(path: path, folder: folder.path, environment: environment)
            defer { child.signal(SIGKILL) }
            try await body(child, folder)
        }
    }

    /// Our ends of the pipes, which are closed with it.
    private final class Ends {
        /// -1 once it is closed.
        private(set) var input: Int32
        let output: Int32
        let errors: Int32
        let ended: Int32

        init(_ child: ChildProcess) throws {
            guard var streams = child.takeStreams() else { throw SystemError(code: EBADF) }
            input = streams.input.take()?.release() ?? -1
            output = streams.output.take()?.release() ?? -1
            errors = streams.errors.take()?.release() ?? -1
            ended = streams.ended.take()?.release() ?? -1
        }

        func closeInput() {
            close(input)
            input = -1
        }

        deinit {
            for descriptor in [input, output, errors, ended] where descriptor >= 0 { close(descriptor) }
        }
    }

    @Test func `Three pipes connect to the program, and the fourth reports its end`() async throws {
        try await withChild("read line; echo \"got $line\"; echo oops >&2; exit 7") { child, _ in
            let ends = try Ends(child)
            #expect(throws: SystemError(code: EBADF)) { try Ends(child) }
            for descriptor in [ends.input, ends.output, ends.errors, ends.ended] {
                #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            }
            try FileDescriptor.writeAll(Array("hello\n".utf8), to: ends.input)
            ends.closeInput()
            #expect(try Shell.readAll(ends.output) == "got hello\n")
            #expect(try Shell.readAll(ends.errors) == "oops\n")
            #expect(try Shell.readAll(ends.ended) == "")
            #expect(child.exitStatus == .exited(7))
        }
    }

    @Test func `The program runs in its folder with nothing but the given environment`() async throws {
        try await withChild("pwd -P; exec /usr/bin/env", environment: ["ONLY": "this"]) { child, folder in
            let ends = try Ends(child)
            let text = try Shell.readAll(ends.output)
            let lines = Set(text.split(separator: "\n").map(String.init))
            // A shell adds its own PWD.
            #expect(lines.subtracting(["PWD=" + folder.path, "OLDPWD=" + folder.path]) == [folder.path, "ONLY=this"])
        }
    }

    @Test func `A signal ends the program and the processes that it started`() async throws {
        try await withChild("sleep 1000 & echo $!; wait") { child, _ in
            let ends = try Ends(child)
            let reader = FileDescriptor(borrowing: ends.output)
            #expect(child.exitStatus == nil)
            let hasOutput = reader.waitUntilReadable(milliseconds: 30_000)
            #expect(hasOutput)
            let line = String(decoding: try reader.read(upTo: 100), as: UTF8.self)
            let grandchild = try #require(pid_t(line.dropLast()))
            child.signal(SIGTERM)
            #expect(try Shell.readAll(ends.ended) == "")
            #expect(child.exitStatus == .killed(signal: SIGTERM))
            try await waitUntil("the grandchild has ended") { !Shell.isRunning(grandchild) }
            // Nothing is sent to a number that may belong to another process now.
            child.signal(SIGKILL)
            #expect(child.exitStatus == .killed(signal: SIGTERM))
        }
    }

    @Test func `Processes that the program leaves behind end with it`() async throws {
        try await withChild("sleep 1000 >/dev/null 2>&1 & echo $!") { child, _ in
            let ends = try Ends(child)
            let line = try Shell.readAll(ends.output)
            let left = try #require(pid_t(line.dropLast()))
            #expect(try Shell.readAll(ends.ended) == "")
            #expect(child.exitStatus == .exited(0))
            try await waitUntil("the rest of the group has ended") { !Shell.isRunning(left) }
        }
    }

    @Test func `A program that cannot be started is an error and leaves no descriptor open`() async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("#!/bin/sh\n", to: "program", mode: 0o600)
            let before = Self.openDescriptors
            let rounds = 20
            for _ in 0..<rounds {
                #expect(throws: SystemError(code: EACCES)) {
                    _ = try ChildProcess(path: path, folder: folder.path, environment: [:])
                }
                #expect(throws: SystemError(code: ENOENT)) {
                    _ = try ChildProcess(path: path + "-", folder: folder.path, environment: [:])
                }
                #expect(throws: SystemError(code: ENOENT)) {
                    _ = try ChildProcess(path: "/bin/true", folder: "/nowhere", environment: [:])
                }
            }
            // The thread that started it closes the last one. The runtime and other tests open descriptors too, once
            // and for good; a leak of one descriptor in any of the three cases is at least as many as there are rounds.
            try await waitUntil("the descriptors are closed") { Self.openDescriptors < before + rounds }
        }
    }

    private static var openDescriptors: Int {
        (0..<1024).count { Shell.isOpen($0) }
    }
}
