import ExtensionFakes
import Glibc
import Host
import Synchronization
import TestSupport
import Testing
import Upload

/// Tests what a test broadcast finds out about extensions, with shell scripts as extensions.
struct ExtensionTrialTests {
    /// As in the program: if the reader is gone, the write fails with an error.
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    private static let hello = "echo '{\"hello\":1}'\n"

    /// Runs a trial of the script. Its deadlines are long, because the machine can be busy.
    private func trial(
        _ script: String, mode: ExtensionManifest.Mode = .samples, notices: Notices = Notices()
    ) async throws -> ExtensionTrial.Outcome {
        try await withPeers { peers in
            let folder = try ProgramFolder("#!/bin/sh\n" + script, mode: mode, in: peers)
            var launch = folder.launch()
            launch.deadlines = .init()
            return try await ExtensionTrial(manifest: folder.manifest, launch: launch).run { notices.add($0) }
        }
    }

    private final class Notices: Sendable {
        private let state = Mutex<[UploadNotice]>([])
        var all: [UploadNotice] { state.withLock { $0 } }
        func add(_ notice: UploadNotice) { state.withLock { $0.append(notice) } }
    }

    @Test func `An extension that follows the protocol has no findings`() async throws {
        let notices = Notices()
        let outcome = try await trial(
            """
            \(Self.hello)echo '{"watch_url":"http://h/x","viewers":3}'
            echo '{"comment":{"from":"Ada","text":"Hello!"}}'
            echo 'a remark' >&2
            cat > /dev/null

            """,
            notices: notices)
        #expect(outcome.findings == [] && outcome.watchURL == "http://h/x" && outcome.viewers == 3)
        #expect(outcome.commentCount == 1 && outcome.lastComment == ViewerComment(name: "Ada", text: "Hello!"))
        // 6 s at 10 pictures a second, and sound.
        #expect(outcome.callCount > 60 && outcome.byteCount > 10_000)
        #expect(notices.all.contains(.extensionSaid(name: "hostile", line: "a remark")))
    }

    @Test func `A violation is found once, and the broadcast continues`() async throws {
        let outcome = try await trial("\(Self.hello)echo nonsense\necho nonsense\ncat > /dev/null\n")
        #expect(outcome.findings == [.violation(.notAReply)])
        // All of the broadcast was sent.
        #expect(outcome.byteCount > 10_000)
    }

    @Test func `An extension that ends early has failed`() async throws {
        let outcome = try await trial("\(Self.hello)exit 3\n")
        // It depends on the machine whether a write to the pipe or the end of the process is detected first.
        guard case .failed(.extension("hostile", _))? = outcome.findings.first, outcome.findings.count == 1 else {
            Issue.record("\(outcome.findings)")
            return
        }
    }

    @Test func `An error only in a broadcast without a picture is found`() async throws {
        // It fails if it reads less than the test broadcast has.
        let outcome = try await trial("\(Self.hello)test $(wc -c) -gt 10000 || exit 22\n")
        guard
            case .failedWithoutPicture(.extension("hostile", .endedWithError(.exited(22), _)))? = outcome.findings.first
        else {
            Issue.record("\(outcome.findings)")
            return
        }
        #expect(outcome.findings.count == 1)
    }
}
