import Control
import Foundation
import TestSupport
import Testing

/// Sessions whose socket or folder is removed while they run.
@Suite struct RemovedSocketTests {
    /// Waits until the session at `path` answers.
    private func waitForAnswer(at path: String) async throws {
        try await waitUntil("an answer at \(path)") {
            try await ControlClient.ask(.status, at: path) != nil
        }
    }

    /// Removes a file or folder in one step. Otherwise the session may create its socket again while the folder is
    /// being emptied.
    private func removeAtOnce(_ path: String) throws {
        try #require(rename(path, path + "-removed") == 0)
        try FileManager.default.removeItem(atPath: path + "-removed")
    }

    @Test
    func `a session whose socket or folder is removed listens there again, and keeps its connections and its name`()
        async throws
    {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/run/default.sock"
            let entry = folder + "/entry"
            try FileManager.default.createDirectory(
                atPath: folder + "/run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let place = ControlServer.Place(path: path, registration: entry)
            let server = try await start(place)
            let client = try LineClient(path: path)
            for removed in [path, path + ".lock", folder + "/run"] {
                try removeAtOnce(removed)
                // A lock alone is not looked for: the socket is.
                if removed.hasSuffix(".lock") { try FileManager.default.removeItem(atPath: path) }
                try await waitForAnswer(at: path)
                client.send("{\"command\":\"status\"}\n")
                #expect(try await client.nextLine()?.contains("\"state\":\"live\"") == true)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder + "/run").sorted() == [
                        "default.sock", "default.sock.lock",
                    ])
                #expect(SessionRegistration.read(entry) == .init(socket: path, process: getpid()))
            }
            var status = stat()
            #expect(stat(folder + "/run", &status) == 0 && status.st_mode & 0o777 == 0o700)
            await server.shutDown()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["run"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/run") == [])
        }
    }

    @Test func `a session whose folder cannot be created again listens at its next path, where clients find it`()
        async throws
    {
        try await withFolder { (folder: String) async throws in
            for name in ["user", "user/run"] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            let place = ControlServer.Place(
                path: folder + "/user/run/default.sock", otherwise: [folder + "/other/default.sock"],
                registration: folder + "/entry")
            let server = try await start(place)
            try removeAtOnce(folder + "/user")
            try await waitForAnswer(at: folder + "/other/default.sock")
            // It answers there before it says so in the entry.
            try await waitUntil("the entry to name the other socket") {
                SessionRegistration.read(folder + "/entry")?.socket == folder + "/other/default.sock"
            }
            // No other session gets the name.
            await #expect(throws: ControlServer.Failure.inUse) {
                try await start(ControlServer.Place(path: folder + "/new.sock", registration: folder + "/entry"))
            }
            await server.shutDown()
            #expect(SessionRegistration.read(folder + "/entry") == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/other") == [])
        }
    }

    @Test func `a session that ends does not listen once more`() async throws {
        try await withFolder { (folder: String) async throws in
            var isTooSlow = true
            // A session that runs for two seconds looks for its socket, and may listen elsewhere.
            for number in 0..<20 where isTooSlow {
                let (user, other) = ("\(folder)/user-\(number)", "\(folder)/other-\(number)")
                try FileManager.default.createDirectory(
                    atPath: user + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let begin = ContinuousClock.now
                let server = try await start(
                    ControlServer.Place(path: user + "/run/a.sock", otherwise: [other + "/a.sock"]))
                try removeAtOnce(user)
                await server.shutDown()
                isTooSlow = .now - begin > .seconds(1.5)
                if !isTooSlow { #expect(!FileManager.default.fileExists(atPath: other)) }
            }
            #expect(!isTooSlow)
        }
    }

    @Test func `an entry is never incomplete while its session updates it`() async throws {
        try await withFolder { (folder: String) async throws in
            let registration = try SessionRegistration(path: folder + "/entry", socket: "/run/short")
            let updates = Task.detached {
                for number in 0..<5000 {
                    registration.update(socket: number % 2 == 0 ? "/run/a/longer/path" : "/run/short")
                }
            }
            var missing = 0
            for _ in 0..<5000 where SessionRegistration.read(folder + "/entry") == nil { missing += 1 }
            await updates.value
            #expect(missing == 0)
        }
    }

    @Test func `only the entry of a killed session is abandoned, and once`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/entry"
            #expect(!SessionRegistration.removeAbandoned(path))
            try "".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(!SessionRegistration.removeAbandoned(path), "It belongs to a session that begins.")
            let registration = try SessionRegistration(path: path, socket: "/run/a")
            #expect(!SessionRegistration.removeAbandoned(path) && SessionRegistration.read(path)?.socket == "/run/a")
            withExtendedLifetime(registration) {}
            try "1 /run/a\n".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(SessionRegistration.removeAbandoned(path))
            #expect(!SessionRegistration.removeAbandoned(path))
        }
    }

    @Test func `an entry of a killed session, or nonsense in its place, is no session`() async throws {
        try await withFolder { (folder: String) async throws in
            let path = folder + "/entry"
            #expect(SessionRegistration.read(path) == nil)
            for text in ["1 /x.sock\n", "", "nonsense", "1 relative\n"] {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                #expect(SessionRegistration.read(path) == nil)
                let server = try await start(ControlServer.Place(path: folder + "/a.sock", registration: path))
                #expect(SessionRegistration.read(path) == .init(socket: folder + "/a.sock", process: getpid()))
                await server.shutDown()
                #expect(!FileManager.default.fileExists(atPath: path))
            }
            // Without a folder for the entry the session runs all the same.
            let server = try await start(
                ControlServer.Place(path: folder + "/a.sock", registration: folder + "/missing/entry"))
            try await waitForAnswer(at: folder + "/a.sock")
            await server.shutDown()
        }
    }

    // MARK: Helpers

    /// Starts a server that answers every request with its state.
    private func start(_ place: ControlServer.Place) async throws -> ControlServer {
        try await ControlServer.listen(
            at: place, events: { AsyncStream { $0.finish() } }, refusal: { ErrorReport(code: 400, message: "\($0)") },
            answer: { _ in .session(Self.session) })
    }

    private static let session = SessionReport(
        session: "default", pid: 1, state: "live", started: "2026-01-02T03:04:05Z", elapsed: 1, title: nil,
        source: SessionReport.Source(kind: "screen", display: ":0", width: nil, height: nil), video: nil,
        audio: SessionReport.Audio(app: nil, mic: nil), destinations: [])

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = "/tmp/broadcast-control-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }
}
