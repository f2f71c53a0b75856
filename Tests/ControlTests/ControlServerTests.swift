import Control
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct ControlServerTests {
    // MARK: Requests

    @Test func `a client receives the session's answer`() async throws {
        try await withServer { (path: String) async throws in
            let reply = try await ControlClient.ask(.status, at: path)
            #expect(reply == .session(session(state: "live")))
        }
    }

    @Test func `an unknown command is answered with an error`() async throws {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            client.send("{\"command\":\"dance\"}\n")
            let line = try #require(try await client.nextLine())
            let expected = ControlReply.error(ErrorReport(code: 404, message: "There is no command dance."))
            #expect(ControlJSON.decode(ControlReply.self, from: Array(line.utf8)) == expected)
        }
    }

    @Test func `unknown fields are ignored`() async throws {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            client.send("{\"future\": {\"x\": [1, null]}, \"command\": \"status\", \"n\": 1e3}\n")
            let line = try #require(try await client.nextLine())
            #expect(ControlJSON.decode(ControlReply.self, from: Array(line.utf8)) == .session(session(state: "live")))
        }
    }

    @Test func `one connection carries several requests, even in pieces`() async throws {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            for _ in 0..<3 {
                for piece in ["{\"comm", "and\":\"sta", "tus\"}", "\n"] {
                    client.send(piece)
                    try await Task.sleep(for: .milliseconds(2))
                }
                #expect(try await client.nextLine()?.contains("\"state\":\"live\"") == true)
            }
        }
    }

    @Test func `requests on one connection are answered in their order, also wrong ones and many at once`() async throws
    {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            client.send(
                "{\"command\":\"stop\"}\n{\"command\":\"status\"}\n{\"command\":\"stop\"}\nhello\n{\"command\":\"dance\"}\n"
            )
            for word in [
                "\"state\":\"slow\"", "\"state\":\"live\"", "\"state\":\"slow\"", "\"code\":400", "\"code\":404",
            ] {
                #expect(try await client.nextLine()?.contains(word) == true, "\(word)")
            }
            // More than the server keeps.
            let commands = (0..<3000).map { $0 % 7 == 0 ? "dance\($0)" : "status" }
            let text = commands.map { "{\"command\":\"\($0)\"}\n" }.joined()
            #expect(client.send(text))
            for command in commands {
                let line = try #require(try await client.nextLine())
                #expect(line.contains(command == "status" ? "live" : "no command \(command).\""), "\(command)")
            }
        }
    }

    @Test func `a reply may be longer than a request`() async throws {
        try await withFolder { (folder: String) async throws in
            let title = String(repeating: "x", count: 1 << 20)
            let server = try await listen(at: folder + "/a.sock") { _ in
                var report = session(state: "live")
                report.title = title
                return .session(report)
            }
            #expect(try await ControlClient.ask(.status, at: folder + "/a.sock")?.session?.title == title)
            await server.shutDown()
        }
    }

    @Test func `a client that does not take its events does not collect them`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let taken = Mutex(0)
            let server = try await ControlServer.listen(
                at: path,
                events: {
                    // The server takes an event when it can send it.
                    var event = EventReport(time: "t", event: "warning", session: "default")
                    event.message = String(repeating: "x", count: 1000)
                    let endless = event
                    return AsyncStream {
                        taken.withLock { $0 += 1 }
                        await Task.yield()
                        return endless
                    }
                }, refusal: report, answer: { _ in .session(session(state: "live")) })
            var lines = try await ControlClient.lines(.events, at: path)
            // As soon as buffers are full the server takes no more. A client that collects events lets it go on for
            // ever.
            let deadline = ContinuousClock.now + .seconds(30)
            var (before, equalReadings) = (0, 0)
            // A server that is not scheduled for half a second takes none either, so one equal reading says little.
            while equalReadings < 3, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(500))
                let now = taken.withLock { $0 }
                equalReadings = now > 0 && now == before ? equalReadings + 1 : 0
                before = now
            }
            #expect(equalReadings == 3, "\(before) events")
            // What was sent is there, and then more comes.
            var received = 0
            for await line in try #require(lines) {
                #expect(line.count > 1000)
                received += 1
                if received > before + 10 { break }
            }
            #expect(received > before + 10)
            lines = nil
            await server.shutDown()
        }
    }

    static let garbage = [
        "", "hello", "{", "[]", "null", "42", "{}", "{\"command\":7}", "{\"command\":null}", "{\"Command\":\"status\"}",
        "\"status\"",
        "{\"command\":\"status\"", "{\"command\":\"status\"}}", "\u{0}\u{1}\u{7F}",
        String(repeating: "[", count: 60_000),
    ]

    @Test(arguments: garbage) func `an invalid request is answered with an error, and the connection remains open`(
        line: String
    ) async throws {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            client.send(line + "\n")
            let answer = try #require(try await client.nextLine())
            let reply = ControlJSON.decode(ControlReply.self, from: Array(answer.utf8))
            #expect(reply?.session == nil)
            #expect(reply?.error?.code == 400)
            client.send("{\"command\":\"status\"}\n")
            #expect(try await client.nextLine()?.contains("\"state\":\"live\"") == true)
        }
    }

    @Test func `invalid UTF-8 is answered with an error`() async throws {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            client.send([0xFF, 0xFE, 0x80, 0x00, 0xC0, 0x0A])
            #expect(try await client.nextLine()?.contains("\"code\":400") == true)
        }
    }

    @Test func `a line over 64 KiB closes only its own connection`() async throws {
        try await withServer { (path: String) async throws in
            let endless = try LineClient(path: path)
            let long = try LineClient(path: path)
            let other = try LineClient(path: path)
            endless.send(String(repeating: "x", count: 65_537))
            #expect(try await endless.nextLine() == nil)
            long.send("{\"command\":\"" + String(repeating: "x", count: 65_537) + "\"}\n")
            #expect(try await long.nextLine() == nil)
            other.send("{\"command\":\"status\"}\n")
            #expect(try await other.nextLine()?.contains("\"state\":\"live\"") == true)
        }
    }

    @Test func `a line of exactly 64 KiB is accepted`() async throws {
        try await withServer { (path: String) async throws in
            let client = try LineClient(path: path)
            let request = "{\"command\":\"status\",\"filler\":\""
            client.send(request + String(repeating: "x", count: 65_536 - request.utf8.count - 2) + "\"}\n")
            #expect(try await client.nextLine()?.contains("\"state\":\"live\"") == true)
        }
    }

    @Test func `a client that disconnects before its answer does not affect others`() async throws {
        try await withServer { (path: String) async throws in
            for _ in 0..<20 {
                let client = try LineClient(path: path)
                client.send("{\"command\":\"stop\"}\n{\"command\":")
            }
            #expect(try await ControlClient.ask(.status, at: path)?.session?.state == "live")
        }
    }

    @Test func `a request transfers its values unchanged`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let received = Mutex<[Result<ControlRequest, InvalidRequest>]>([])
            let server = try await listen(at: path) { request in
                received.withLock { $0.append(request) }
                return .microphone(isOn: true, session(state: "live"))
            }
            let requests: [ControlRequest] = [
                .microphone(.toggle), .annotate(["songTitle": "Ænima", "song_title": "x=y", "": "empty"]),
            ]
            for request in requests { #expect(try await ControlClient.ask(request, at: path)?.microphone == true) }
            #expect(received.withLock { $0 } == requests.map { .success($0) })
            await server.shutDown()
        }
    }

    @Test func `a client that requests events receives each event as a line`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let (events, continuation) = AsyncStream.makeStream(of: EventReport.self)
            let server = try await ControlServer.listen(
                at: path, events: { events }, refusal: report, answer: { _ in .session(session(state: "live")) })
            let client = try LineClient(path: path)
            client.send("{\"command\":\"events\"}\n")
            for state in ["live", "paused"] {
                var event = EventReport(time: "2026-01-02T03:04:05Z", event: "state", session: "default")
                event.state = state
                continuation.yield(event)
                let line = try await client.nextLine()
                #expect(
                    line
                        == "{\"event\":\"state\",\"session\":\"default\",\"state\":\"\(state)\",\"time\":\"2026-01-02T03:04:05Z\"}"
                )
            }
            continuation.finish()
            #expect(try await client.nextLine() == nil)
            await server.shutDown()
        }
    }

    @Test func `the lines of an events request end with the session`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let (events, continuation) = AsyncStream.makeStream(of: EventReport.self)
            let server = try await ControlServer.listen(
                at: path, events: { events }, refusal: report, answer: { _ in .session(session(state: "live")) })
            let lines = try #require(try await ControlClient.lines(.events, at: path))
            for _ in 0..<3 { continuation.yield(EventReport(time: "t", event: "statistics", session: "default")) }
            continuation.finish()
            var received: [String] = []
            for await line in lines { received.append(String(decoding: line, as: UTF8.self)) }
            #expect(
                received
                    == Array(repeating: "{\"event\":\"statistics\",\"session\":\"default\",\"time\":\"t\"}", count: 3))
            await server.shutDown()
            #expect(try await ControlClient.lines(.events, at: path) == nil)
        }
    }

    @Test func `many simultaneous clients are all answered`() async throws {
        try await withServer { (path: String) async throws in
            let states = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<40 { group.addTask { (try? await ControlClient.ask(.status, at: path))??.session?.state } }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(states.count == 40)
            #expect(states.allSatisfy { $0 == "live" })
        }
    }

    @Test func `without a listener there is no answer`() async throws {
        try await withFolder { (folder: String) async throws in
            #expect(try await ControlClient.ask(.status, at: folder + "/none.sock") == nil)
            #expect(LineClient.leaveStaleSocket(at: folder + "/stale.sock"))
            #expect(try await ControlClient.ask(.status, at: folder + "/stale.sock") == nil)
        }
    }

    // MARK: The socket

    @Test func `only the owner can access the socket and its lock`() async throws {
        try await withServer { (path: String) async throws in
            for file in [path, path + ".lock"] {
                var status = stat()
                #expect(stat(file, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600, "\(file)")
                #expect(status.st_uid == getuid())
            }
        }
    }

    @Test func `a second session with the same name is rejected, and the first continues`() async throws {
        try await withServer { (path: String) async throws in
            await #expect(throws: ControlServer.Failure.inUse) {
                try await listen(at: path) { _ in .session(session(state: "second")) }
            }
            #expect(try await ControlClient.ask(.status, at: path)?.session?.state == "live")
        }
    }

    @Test func `of many simultaneous sessions, exactly one acquires the name`() async throws {
        try await withFolder { (folder: String) async throws in
            let servers = await withTaskGroup(of: ControlServer?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try? await listen(at: folder + "/one.sock") { _ in .session(session(state: "live")) }
                    }
                }
                return await group.reduce(into: [ControlServer]()) { if let server = $1 { $0.append(server) } }
            }
            #expect(servers.count == 1)
            #expect(try await ControlClient.ask(.status, at: folder + "/one.sock")?.session?.state == "live")
            for server in servers { await server.shutDown() }
        }
    }

    @Test func `files of a killed session do not prevent a start`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            #expect(LineClient.leaveStaleSocket(at: path))
            #expect(FileManager.default.createFile(atPath: path + ".lock", contents: nil))
            let server = try await listen(at: path) { _ in .session(session(state: "live")) }
            #expect(try await ControlClient.ask(.status, at: path)?.session?.state == "live")
            await server.shutDown()
        }
    }

    @Test func `after the end, the socket is deleted and the name is free`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            for state in ["first", "second"] {
                let server = try await listen(at: path) { _ in .session(session(state: state)) }
                #expect(try await ControlClient.ask(.status, at: path)?.session?.state == state)
                await server.shutDown()
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            }
        }
    }

    @Test func `two sessions never have the same name, even if many start and end`() async throws {
        try await withFolder { (folder: String) async throws in
            let holders = Holders()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<25 { await holders.take(folder + "/one.sock") }
                    }
                }
            }
            #expect(holders.most.withLock { $0 } == 1)
            #expect(holders.total.withLock { $0 } > 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test func `if the socket cannot be created, no lock or thread remains`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/" + String(repeating: "x", count: 150)
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            _ = try? await listen(at: path) { _ in .session(session(state: "live")) }
            let before = try threads()
            for _ in 0..<40 { _ = try? await listen(at: path) { _ in .session(session(state: "live")) } }
            // Dispatch and the thread pool have some temporary threads. A leak would be 40 permanent ones.
            try await waitUntil("the temporary threads to end") { try threads() <= before + 4 }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    // MARK: Sessions that do not answer

    @Test func `a stopped session times out, and its process is reported`() async throws {
        try await withFolder { (folder: String) async throws in
            let stopped = try SilentListener(path: folder + "/stopped.sock")
            for request in [ControlRequest.status, .stop, .clip(last: nil, path: "/clip.mp4")] {
                await #expect(throws: ControlClient.Failure.silent(process: getpid()), "\(request)") {
                    try await ControlClient.ask(request, at: stopped.path, answerTimeout: .milliseconds(100))
                }
            }
            await #expect(throws: ControlClient.Failure.silent(process: getpid())) {
                try await ControlClient.lines(.events, at: stopped.path, answerTimeout: .milliseconds(100))
            }
        }
    }

    @Test func `a slow answer is waited for while the session answers status requests`() async throws {
        try await withFolder { (folder: String) async throws in
            // The client asks for the status when its time for the first answer has ended.
            let (asked, question) = AsyncStream.makeStream(of: Void.self)
            let server = try await listen(at: folder + "/a.sock") { request in
                if request == .success(.stop) { for await _ in asked { break } } else { question.yield() }
                return .session(session(state: request == .success(.stop) ? "finished" : "finishing"))
            }
            let reply = try await ControlClient.ask(.stop, at: folder + "/a.sock")
            #expect(reply?.session?.state == "finished")
            await server.shutDown()
        }
    }

    @Test func `a request over the maximum length is not sent`() async throws {
        try await withFolder { (folder: String) async throws in
            let long = ControlRequest.annotate(["k": String(repeating: "x", count: 65_536)])
            await #expect(throws: ControlClient.Failure.tooLong) {
                try await ControlClient.ask(long, at: folder + "/none.sock")
            }
        }
    }

    // MARK: Followers

    @Test func `a connection can request events once, and the number of such clients is limited`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let server = try await ControlServer.listen(
                at: path,
                events: { AsyncStream { $0.yield(EventReport(time: "t", event: "state", session: "default")) } },
                refusal: report, answer: { _ in .session(session(state: "live")) })
            var clients: [LineClient] = []
            for _ in 0..<32 {
                let client = try LineClient(path: path)
                client.send("{\"command\":\"events\"}\n")
                #expect(try await client.nextLine()?.contains("\"event\":\"state\"") == true)
                clients.append(client)
            }
            clients[0].send("{\"command\":\"events\"}\n")
            #expect(try await clients[0].nextLine()?.contains("\"code\":429") == true)
            let refused = try LineClient(path: path)
            refused.send("{\"command\":\"events\"}\n")
            #expect(try await refused.nextLine()?.contains("tooManyFollowers(limit: 32)") == true)
            // A client that disconnects frees its slot.
            clients.removeLast()
            try await waitUntil("a free place") {
                refused.send("{\"command\":\"events\"}\n")
                return try await refused.nextLine()?.contains("\"event\"") == true
            }
            clients = []
            await server.shutDown()
        }
    }

    @Test func `a pending answer is sent before the end`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let isAsked = Mutex(false)
            let server = try await listen(at: path) { _ in
                isAsked.withLock { $0 = true }
                try? await Task.sleep(for: .milliseconds(100))
                return .session(session(state: "finished"))
            }
            async let reply = ControlClient.ask(.stop, at: path)
            try await waitUntil("the request") { isAsked.withLock { $0 } }
            await server.shutDown()
            #expect(try await reply?.session?.state == "finished")
        }
    }

    @Test func `a path where no socket can be created is a typed error`() async throws {
        try await withFolder { (folder: String) async throws in
            await #expect {
                _ = try await listen(at: folder + "/missing/default.sock") { _ in .session(session(state: "live")) }
            } throws: { error in
                if case .cannotBind? = error as? ControlServer.Failure { true } else { false }
            }
            // Longer than sun_path, which has 108 bytes.
            await #expect(throws: ControlServer.Failure.cannotBind(code: ENAMETOOLONG)) {
                _ = try await listen(at: folder + "/" + String(repeating: "x", count: 150)) { _ in
                    .session(session(state: "live"))
                }
            }
            #expect(ControlServer.maximumPath == 107)
        }
    }

    // MARK: Helpers

    /// Starts a server that supports `status` and `stop`, which answers late.
    private func withServer(_ body: (String) async throws -> Void) async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/default.sock"
            let server = try await listen(at: path) { request in
                switch request {
                case .success(.status): return .session(session(state: "live"))
                case .success(.stop):
                    try? await Task.sleep(for: .milliseconds(20))
                    return .session(session(state: "slow"))
                case .failure(.unknownCommand(let name)):
                    return .error(ErrorReport(code: 404, message: "There is no command \(name)."))
                default: return .error(ErrorReport(code: 400, message: "\(request)"))
                }
            }
            do {
                try await body(path)
            } catch {
                await server.shutDown()
                throw error
            }
            await server.shutDown()
        }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = "/tmp/broadcast-control-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }
}

/// Counts the sessions that have a name at the same time.
private final class Holders: Sendable {
    private let now = Mutex(0)
    let most = Mutex(0)
    let total = Mutex(0)

    func take(_ path: String) async {
        guard let server = try? await listen(at: path, answer: { _ in .session(session(state: "live")) }) else {
            return
        }
        let count = now.withLock { now in
            now += 1
            return now
        }
        most.withLock { $0 = max($0, count) }
        total.withLock { $0 += 1 }
        await Task.yield()
        now.withLock { $0 -= 1 }
        await server.shutDown()
    }
}

/// Starts a server whose event stream ends immediately.
private func listen(
    at path: String, answer: @escaping @Sendable (Result<ControlRequest, InvalidRequest>) async -> ControlReply
) async throws(ControlServer.Failure) -> ControlServer {
    try await ControlServer.listen(at: path, events: { AsyncStream { $0.finish() } }, refusal: report, answer: answer)
}

/// Reports a refusal as its name.
private func report(_ refusal: ControlServer.Refusal) -> ErrorReport {
    ErrorReport(code: refusal == .notARequest ? 400 : 429, message: "\(refusal)")
}

private func session(state: String) -> SessionReport {
    SessionReport(
        session: "default", pid: 1, state: state, started: "2026-01-02T03:04:05Z", elapsed: 1, title: nil,
        source: SessionReport.Source(kind: "screen", display: ":0", width: nil, height: nil), video: nil,
        audio: SessionReport.Audio(app: nil, mic: nil), destinations: [])
}
