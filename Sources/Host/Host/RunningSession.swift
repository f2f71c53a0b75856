import Control
import UserConfiguration

/// A session of another process, which possibly does not run any more.
package struct RunningSession: Sendable {
    package let name: String
    /// The paths at which its socket can exist.
    private let sockets: [String]
    /// The path of its entry, which contains the path of its socket.
    private let registration: String?

    /// The time limit in which a session creates its socket again after it was removed. It checks every two seconds.
    private static let returnTime = Duration.seconds(5)

    /// - Parameter socket: the path of its socket.
    package init(name: String, socket: String) {
        self.name = name
        sockets = [socket]
        registration = nil
    }

    /// The normal path of its socket.
    package var socket: String { sockets[0] }

    /// Creates the session of this name and this user.
    package init(name: String, _ paths: Paths) {
        self.name = name
        sockets = paths.sockets(session: name)
        registration = paths.registration(session: name)
    }

    /// Returns the sessions with a socket or an entry, in the order of their names. A killed session can have left one.
    package static func all(_ paths: Paths) -> [RunningSession] {
        paths.sessionNames().map { RunningSession(name: $0, paths) }
    }

    /// Forgets the sessions that were killed, or crashed. Returns their names: once, because nothing is left then.
    package static func removeAbandoned(_ paths: Paths) -> [String] {
        paths.registeredNames().filter { SessionRegistration.removeAbandoned(paths.registration(session: $0)) }.sorted()
    }

    /// Several sessions run, and a command that acts on one did not name it.
    package struct Ambiguity: Error, Equatable {
        package let names: [String]

        package init(names: [String]) { self.names = names }
    }

    /// Returns the session on which a command without a session's name acts: the one with the standard name if it runs,
    /// or else the only one that runs. Without a running session, returns the one with the standard name.
    package static func unnamed(_ paths: Paths) async throws(Ambiguity) -> RunningSession {
        let standard = RunningSession(name: SessionNaming.standard, paths)
        // A different session that does not answer must not delay a command for this one.
        if await !names(of: all(paths).filter({ $0.name == standard.name })).isEmpty { return standard }
        let others = await names(paths).filter { $0 != standard.name }
        guard others.count < 2 else { throw Ambiguity(names: others) }
        return others.first.map { RunningSession(name: $0, paths) } ?? standard
    }

    /// Returns the names of the sessions that run.
    package static func names(_ paths: Paths) async -> [String] {
        await names(of: all(paths))
    }

    private static func names(of sessions: [RunningSession]) async -> [String] {
        zip(sessions, await ask(.status, sessions)).compactMap { session, answer in
            switch answer {
            case .success(nil), .failure(.foreign), .failure(.tooLong): nil
            case .success, .failure(.silent): session.name
            }
        }
    }

    /// Sends a request. Returns the reply, which can be an error; nil if the session does not run.
    package func ask(_ request: ControlRequest) async throws(ControlClient.Failure) -> ControlReply? {
        try await first { socket throws(ControlClient.Failure) in try await ControlClient.ask(request, at: socket) }
    }

    /// Returns its events, one JSON object per line; nil if the session does not run.
    package func events() async throws(ControlClient.Failure) -> ControlLines? {
        try await first { socket throws(ControlClient.Failure) in
            try await ControlClient.lines(.events, at: socket)
        }
    }

    /// Returns the result of `body` for the first socket at which a session listens; nil if no session listens.
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
            // The session runs without a socket: it starts, ends, or will listen again soon.
            guard ContinuousClock.now < end else { throw .silent(process: entry.process) }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Sends a request to all sessions at the same time, so that one that does not answer does not delay the others.
    /// The answers are in the order of `sessions`.
    package static func ask(_ request: ControlRequest, _ sessions: [RunningSession]) async -> [Result<
        ControlReply?, ControlClient.Failure
    >] {
        await withTaskGroup(of: Answer.self) { group in
            for (place, session) in sessions.enumerated() {
                group.addTask { await session.answer(to: request, place: place) }
            }
            var answers: [Answer] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.place < $1.place }.map(\.result)
        }
    }

    /// An answer, and the place of its session in a list.
    private struct Answer: Sendable {
        let place: Int
        let result: Result<ControlReply?, ControlClient.Failure>
    }

    private func answer(to request: ControlRequest, place: Int) async -> Answer {
        do throws(ControlClient.Failure) {
            return Answer(place: place, result: .success(try await ask(request)))
        } catch {
            return Answer(place: place, result: .failure(error))
        }
    }
}
