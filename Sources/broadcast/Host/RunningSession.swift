import Control

/// A session whose socket is there, asked from another process.
struct RunningSession: Sendable {
    let name: String
    let socket: String

    /// Those whose sockets are there, in the order of their names; a killed session may have left one.
    static func all(_ paths: Paths) -> [RunningSession] {
        paths.sessionNames().map { RunningSession(name: $0, socket: paths.socket(session: $0)) }
    }

    /// What it answers; nil where it does not run. An answer that is an error is one too.
    func ask(_ command: String) async throws(CommandError) -> ControlReply? {
        try await ask(ControlRequest(command: command))
    }

    /// What it answers; nil where it does not run. An answer that is an error is one too.
    func ask(_ request: ControlRequest) async throws(CommandError) -> ControlReply? {
        do throws(ControlClient.Failure) {
            return try await ControlClient.ask(request, at: socket)
        } catch {
            throw CommandError(error, session: name)
        }
    }

    /// Asks all of them at once: one that does not answer keeps nobody waiting for the others. The answers are in the order of `sessions`.
    static func ask(_ command: String, _ sessions: [RunningSession]) async -> [Result<ControlReply?, CommandError>] {
        await withTaskGroup(of: (Int, Result<ControlReply?, CommandError>).self) { group in
            for (index, session) in sessions.enumerated() {
                group.addTask {
                    do throws(CommandError) {
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
