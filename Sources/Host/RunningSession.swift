import Control
import UserConfiguration

/// A session whose socket is there, asked from another process.
package struct RunningSession: Sendable {
    package let name: String
    package let socket: String

    package init(name: String, socket: String) {
        self.name = name
        self.socket = socket
    }

    /// Those whose sockets are there, in the order of their names; a killed session may have left one.
    package static func all(_ paths: Paths) -> [RunningSession] {
        paths.sessionNames().map { RunningSession(name: $0, socket: paths.socket(session: $0)) }
    }

    /// What it answers; nil where it does not run. An answer that is an error is one too.
    package func ask(_ command: String) async throws(ControlClient.Failure) -> ControlReply? {
        try await ask(ControlRequest(command: command))
    }

    /// What it answers; nil where it does not run. An answer that is an error is one too.
    package func ask(_ request: ControlRequest) async throws(ControlClient.Failure) -> ControlReply? {
        try await ControlClient.ask(request, at: socket)
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
