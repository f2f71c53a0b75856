import Foundation
import Synchronization
import TestSupport
import Testing

/// Child processes.
struct PeerTests {
    @Test func `A peer's output, errors and status are kept`() async throws {
        try await withPeers { peers in
            let peer = try peers.start("sh", ["sh", "-c", "echo out; echo err >&2; exit 3"])
            #expect(try await peer.waitForExit() == .exited(3))
            #expect(peer.standardOutput == "out\n")
            #expect(peer.standardError == "err\n")
        }
    }

    @Test func `Text that is written to a peer returns through its pipes`() async throws {
        try await withPeers { peers in
            let peer = try peers.start("cat", ["cat"], input: .pipe, output: .pipe)
            try await peer.write(Array("hello".utf8))
            peer.closeInput()
            var text: [UInt8] = []
            while case let bytes = try await peer.read(atMost: 3), !bytes.isEmpty { text += bytes }
            #expect(String(decoding: text, as: UTF8.self) == "hello")
            #expect(try await peer.waitForExit() == .exited(0))
        }
    }

    @Test func `A failing test leaves no process and no folder behind`() async throws {
        struct Failure: Error {}
        var pid: pid_t = 0
        var folder = ""
        await #expect(throws: Failure.self) {
            try await withPeers { peers in
                let peer = try peers.start("sleep", ["sleep", "1000"])
                pid = peer.processIdentifier
                folder = peers.folder
                throw Failure()
            }
        }
        #expect(kill(pid, 0) == -1)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(arguments: [
        ("SEGV", [], true), ("KILL", [], true), ("SEGV", ["sh", "-c", "\"$0\"; exit $?"], true), ("", [], false),
    ])
    func `A program of this project that crashes fails its test`(signal: String, shell: [String], fails: Bool)
        async throws
    {
        let fault = Mutex(false)
        try await withKnownIssue(isIntermittent: true) {
            try await withPeers { peers in
                let program = peers.folder + "/broadcast"
                try "#!/bin/sh\n\(signal.isEmpty ? "exit 3" : "kill -\(signal) $$")\n".write(
                    toFile: program, atomically: false, encoding: .utf8)
                #expect(chmod(program, 0o700) == 0)
                _ = try await peers.start("crash", shell + [program]).waitForExit()
            }
        } matching: { issue in
            fault.withLock { $0 = true }
            return issue.comments.contains { $0.rawValue.contains("killed by signal") }
        }
        #expect(fault.withLock { $0 } == fails)
    }

    @Test func `A signal that the test sends is no crash`() async throws {
        try await withPeers { peers in
            let program = peers.folder + "/broadcast"
            try "#!/bin/sh\nexec sleep 1000\n".write(toFile: program, atomically: false, encoding: .utf8)
            #expect(chmod(program, 0o700) == 0)
            try await peers.start("killed", [program]).killNow()
            _ = try peers.start("left to the end of the test", [program])
        }
    }

    @Test func `Waiting for the output of a peer that has ended fails at once`() async throws {
        try await withPeers { peers in
            let peer = try peers.start("false", ["false"])
            await #expect(throws: PeerError.self) {
                _ = try await peer.waitForErrorLine(containing: "never", deadline: .seconds(1000))
            }
        }
    }

    @Test func `A Pulse server comes back at the same address after a crash`() async throws {
        try await withPeers { peers in
            let pulse = try await PulseServer.start(in: peers, sinks: [.init("one"), .init("two", rate: 44_100)])
            try await pulse.kill()
            try await pulse.restart()
            let sinks = try await pulse.control(["list", "short", "sinks"])
            #expect(sinks.contains("one"))
            #expect(sinks.contains("44100Hz"))
        }
    }
}
