import Credentials
import Foundation
import Host
import Processes
import Synchronization
import TestSupport
import Testing

/// Tests the parent of a background session, with a shell script as the child.
struct SessionLauncherTests {
    private static let request = LaunchRequest(
        arguments: ["start", "--to", "x"], window: 7, secrets: HandedSecrets(addressKey: "a key"))

    /// The parent, the reports that it shows, and the files of the child.
    private final class Rig: Sendable {
        let folder: TemporaryFolder
        let launcher: SessionLauncher
        private let shown = Mutex<[LaunchReport]>([])

        /// - Parameter script: what the child does. Descriptor 3 is the connection.
        init(_ script: String, in folder: TemporaryFolder) {
            self.folder = folder
            var program = Program("/bin/sh", arguments: ["sh", "-c", script], folder: folder.path)
            program.group = .session
            launcher = SessionLauncher(program: program, log: folder.path + "/log")
        }

        var reports: [LaunchReport] { shown.withLock { $0 } }

        func run() -> Result<pid_t, LaunchFailure> {
            do throws(LaunchFailure) {
                return .success(
                    try launcher.run(SessionLauncherTests.request) { report in shown.withLock { $0.append(report) } })
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func `The child gets the request, and its reports are shown until it is live`() async throws {
        try await withTemporaryFolder { folder in
            let script = """
                read -r request <&3
                echo "$request" > request
                echo '{"line":"A warning"}' >&3
                echo 'no report' >&3
                echo '{"progress":"00:00:01"}' >&3
                echo '{"status":0}' >&3
                echo '{"line":"too late"}' >&3
                """
            let rig = Rig(script, in: folder)
            let result = rig.run()
            guard case .success(let process) = result else { throw UnexpectedResult(result: result) }
            #expect(process > 0)
            #expect(
                rig.reports == [
                    LaunchReport(line: "A warning"), LaunchReport(progress: "00:00:01"), LaunchReport(status: 0),
                ])
            let received = try JSONDecoder().decode(
                LaunchRequest.self, from: Data(try #require(folder.text(of: "request")).utf8))
            #expect(received == Self.request)
        }
    }

    @Test func `A signal after the session is live does not reach it`() async throws {
        try await withTemporaryFolder { folder in
            let rig = Rig(
                "trap 'touch signalled; exit' TERM; echo '{\"status\":0}' >&3; while [ ! -e end ]; do sleep 0.05; done; touch ended",
                in: folder)
            let result = rig.run()
            guard case .success = result else { throw UnexpectedResult(result: result) }
            rig.launcher.cancel(SIGTERM)
            try Data().write(to: URL(fileURLWithPath: folder.path + "/end"))
            try await waitUntil("the child's end") {
                folder.text(of: "ended") != nil || folder.text(of: "signalled") != nil
            }
            #expect(folder.text(of: "signalled") == nil)
        }
    }

    private struct UnexpectedResult: Error {
        var result: Result<pid_t, LaunchFailure>
    }

    @Test func `The error of the child is the result, with its exit status`() async throws {
        try await withTemporaryFolder { folder in
            let rig = Rig("echo '{\"status\":69,\"message\":\"No server\"}' >&3", in: folder)
            #expect(rig.run() == .failure(.reported(status: 69, message: "No server")))
        }
    }

    @Test func `A child that ends without a last report is a failure, and its standard error is in the log`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let rig = Rig("echo '{\"line\":\"A warning\"}' >&3; echo 'a crash' >&2; exit 1", in: folder)
            #expect(rig.run() == .failure(.ended))
            #expect(rig.reports == [LaunchReport(line: "A warning")])
            // The child wrote to the log before it closed the connection.
            #expect(folder.text(of: "log") == "a crash\n")
        }
    }

    @Test func `A child without a log starts, and what it writes to standard error is discarded`() async throws {
        try await withTemporaryFolder { folder in
            let script = "read -r request <&3; echo lost >&2 && echo '{\"status\":0}' >&3"
            let launcher = SessionLauncher(program: Program("/bin/sh", arguments: ["sh", "-c", script]), log: nil)
            let process = try launcher.run(Self.request) { _ in }
            #expect(process > 0)
        }
    }

    @Test func `A program that does not exist is a failure with its errno`() async throws {
        try await withTemporaryFolder { folder in
            let launcher = SessionLauncher(
                program: Program("/nonexistent/program", arguments: ["x"]), log: folder.path + "/log")
            #expect(throws: LaunchFailure.cannotStart(code: ENOENT)) { try launcher.run(Self.request) { _ in } }
        }
    }

    @Test func `A cancelled start ends the child`() async throws {
        try await withTemporaryFolder { folder in
            // It reports its process identifier, and waits for a line that does not arrive.
            let rig = Rig("read -r request <&3; echo \"{\\\"line\\\":\\\"$$\\\"}\" >&3; read -r never <&3", in: folder)
            let result = Task.detached { rig.run() }
            try await waitUntil("the child's report") { !rig.reports.isEmpty }
            rig.launcher.cancel(SIGINT)
            #expect(await result.value == .failure(.cancelled(signal: SIGINT)))
            let process = try #require(rig.reports.first?.line.flatMap { pid_t($0) })
            #expect(kill(process, 0) == -1 && errno == ESRCH)
        }
    }

    @Test func `A start that was cancelled before the child exists ends the child too`() async throws {
        try await withTemporaryFolder { folder in
            let rig = Rig("read -r request <&3; read -r never <&3", in: folder)
            rig.launcher.cancel(SIGHUP)
            #expect(rig.run() == .failure(.cancelled(signal: SIGHUP)))
        }
    }
}
