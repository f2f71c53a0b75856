import Control
import UserConfiguration

/// A session that may run, asked from another process.
package struct RunningSession: Sendable {
    package let name: String
    /// The paths at which its socket can be.
    private let sockets: [String]
    /// The path of its entry, which says where its socket is.
    private let registration: String?

    /// The time in which a session listens again after its socket was removed. It looks every second.
    private static let returnTime = Duration.seconds(5)

    /// - Parameter socket: the path of its socket, wherever that is.
    package init(name: String, socket: String) {
        self.name = name
        sockets = [socket]
        registration = nil
    }

    /// The path at which its socket is if nothing was removed.
    package var socket: String { sockets[0] }

    /// The session of that name of this user.
    package init(name: String, _ paths: Paths) {
        self.name = name
        sockets = paths.sockets(session: name)
        registration = paths.registration(session: name)
    }

    /// Those whose sockets or entries are there, in the order of their names; a killed session may have left one.
    package static func all(_ paths: Paths) -> [RunningSession] {
        paths.sessionNames().map { RunningSession(name: $0, paths) }
    }

    /// The names of those that do run.
    package static func names(_ paths: Paths) async -> [String] {
        let sessions = all(paths)
        return zip(sessions, await ask("status", sessions)).compactMap { session, answer in
            switch answer {
            case .success(nil), .failure(.foreign), .failure(.tooLong): nil
            case .success, .failure(.silent): session.name
            }
        }
    }

    /// What it answers; nil where it does not run. An answer that is an error is one too.
    package func ask(_ command: String) async throws(ControlClient.Failure) -> ControlReply? {
        try await ask(ControlRequest(command: command))
    }

    /// What it answers; nil where it does not run. An answer that is an error is one too.
    package func ask(_ request: ControlRequest) async throws(ControlClient.Failure) -> ControlReply? {
        try await first { socket throws(ControlClient.Failure) in try await ControlClient.ask(request, at: socket) }
    }

    /// Its events, one JSON object a line; nil where it does not run.
    package func events() async throws(ControlClient.Failure) -> ControlLines? {
        try await first { socket throws(ControlClient.Failure) in
            try await ControlClient.lines(ControlRequest(command: "events"), at: socket)
        }
    }

    /// What `body` returns for the first socket at which a session listens; nil where none does.
    private func first<Value>(
        _ body: (String) async throws(ControlClient.Failure) -> Value?
    ) async throws(ControlClient.Failure) -> Value? {
        let end = ContinuousClock.now + Self.returnTime
        while true {
            let entry = registration.flatMap(SessionRegistration.read)
            var failure: ControlClient.Failure?
            for socket in [entry?.socket].compactMap(\.self) + sockets.filter({ $0 != entry?.socket }) {
                do throws(ControlClient.Failure) {
                    if let value = try await body(socket) { return value }
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            guard let entry else { return nil }
            // It runs, and its socket is not there: it begins, ends, or listens again soon.
            guard ContinuousClock.now < end else { throw .silent(process: entry.process) }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Asks all of them at once: one that does not answer keeps nobody waiting for the others. The answers are in the order of `sessions`.
    package static func ask(_ command: String, _ sessions: [RunningSession]) async -> [Result<ControlReply?, ControlClient.Failure>] {
        await withTaskGroup(of: (Int, Result<ControlReply?, ControlClient.Failure>).self) { group in
            for (index, session) in sessions.enumerated() {
                group.addTask {
                    do throws(ControlClient.Failure) {
                        return (index, .success(try await session.ask(command)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
