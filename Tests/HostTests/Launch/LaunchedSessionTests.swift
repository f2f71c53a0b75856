import Control
import Credentials
import Glibc
import Host
import Processes
import Synchronization
import TestSupport
import Testing

/// Tests the child's end of the connection.
@Suite struct LaunchedSessionTests {
    private static let request = LaunchRequest(
        arguments: ["start"], window: nil, secrets: HandedSecrets(addressKey: "a key"))

    /// A connection through which the parent has sent a request.
    ///
    /// The child's descriptor stays open, as in the program: its threads use it up to the end of the process.
    private final class Connection {
        let child: Int32
        private let parent: FileDescriptor

        init(_ line: [UInt8] = ControlJSON.encodeAsIs(LaunchedSessionTests.request) + [0x0a]) throws {
            let pair = try SocketPair()
            parent = FileDescriptor(owning: dup(pair.ours))
            child = dup(pair.theirs)
            try parent.writeAll(line)
        }

        /// Ends the parent's side.
        func endParent() {
            shutdown(parent.raw, Int32(SHUT_RDWR))
        }

        /// Reads the reports up to and including the last one.
        func reports() throws -> [LaunchReport] {
            var bytes: [UInt8] = []
            var reports: [LaunchReport] = []
            while reports.last?.status == nil {
                guard parent.waitUntilReadable(milliseconds: 30_000) else { break }
                let chunk = try parent.read(upTo: 4096)
                guard !chunk.isEmpty else { break }
                bytes += chunk
                reports = bytes.split(separator: 0x0a).compactMap {
                    ControlJSON.decodeAsIs(LaunchReport.self, from: Array($0))
                }
            }
            return reports
        }

        /// True if the child has sent something that was not read.
        var hasMore: Bool { parent.waitUntilReadable(milliseconds: 0) }
    }

    @Test func `The child reads the request`() throws {
        let connection = try Connection()
        let session = try #require(LaunchedSession(descriptor: connection.child))
        #expect(session.request == Self.request && !session.isOver)
        session.reportLive()
        _ = try connection.reports()
    }

    @Test(arguments: ["x\n", "{"])
    func `Without a valid request there is no session`(line: String) throws {
        let connection = try Connection(Array(line.utf8))
        connection.endParent()
        #expect(LaunchedSession(descriptor: connection.child) == nil)
        close(connection.child)
    }

    @Test func `Without a connection there is no session`() {
        #expect(LaunchedSession(descriptor: -1) == nil)
    }

    @Test func `The parent receives lines and one last report`() throws {
        let connection = try Connection()
        let session = try #require(LaunchedSession(descriptor: connection.child))
        session.say("A warning")
        session.reportLive()
        #expect(session.isOver)
        session.say("too late")
        session.show(progress: "too late")
        #expect(!session.reportFailure(status: 70, message: "too late"))
        session.flush()
        #expect(try connection.reports() == [LaunchReport(line: "A warning"), LaunchReport(status: 0)])
        #expect(!connection.hasMore)
    }

    @Test func `The parent receives an error with its exit status`() throws {
        let connection = try Connection()
        let session = try #require(LaunchedSession(descriptor: connection.child))
        #expect(session.reportFailure(status: 69, message: "No server"))
        #expect(try connection.reports() == [LaunchReport(status: 69, message: "No server")])
    }

    @Test(arguments: [false, true])
    func `The end of the parent is reported once if the session is not yet live`(isNoticedLater: Bool) async throws {
        let connection = try Connection()
        let session = try #require(LaunchedSession(descriptor: connection.child))
        let calls = Counter()
        if isNoticedLater { session.whenParentIsGone { calls.count() } }
        connection.endParent()
        if !isNoticedLater { session.whenParentIsGone { calls.count() } }
        try await waitUntil("the call") { calls.value == 1 }
    }

    private final class Counter: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func count() { state.withLock { $0 += 1 } }
    }
}
