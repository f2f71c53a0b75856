import Foundation

/// The status of running sessions, read from their control sockets. This costs less than a millisecond; `broadcast
/// status` costs a process.
extension BroadcastCommand {
    /// Runs `broadcast start` in the foreground and returns when it reports that the session is live.
    nonisolated(nonsending) package func startLive(_ arguments: [String], session: String = "default") async throws
        -> Peer
    {
        let peer = try start(["start"] + arguments + (session == "default" ? [] : ["--session", session]))
        _ = try await peer.waitForErrorLine(containing: "session \(session): live")
        return peer
    }

    /// Runs `broadcast stop`, waits for the end of the session's process, and gives the session as it ended. Throws
    /// unless both end with status 0.
    nonisolated(nonsending) package func stop(_ peer: Peer, session: String = "default") async throws -> SessionStatus {
        let result = try await run(["stop", "--session", session, "--json"])
        guard result.status == .exited(0) else {
            throw PeerError.ended("broadcast stop", status: result.status, errors: result.errors)
        }
        let status = try await peer.waitForExit()
        guard status == .exited(0) else { throw PeerError.ended(peer.name, status: status, errors: peer.standardError) }
        guard let report = try StatusAnswer(json: result.output).sessions.first else {
            throw PeerError.answer("no session in \(result.output)")
        }
        return report
    }

    /// The path of a session's control socket.
    package func controlSocket(of session: String = "default") -> String {
        (environment["XDG_RUNTIME_DIR"] ?? home + "/run") + "/broadcast/\(session).sock"
    }

    /// The status of a session as the JSON object that its control socket sends, or an empty string if no session of
    /// that name answers. Throws if the session accepts the request and does not answer within 10 s.
    nonisolated(nonsending) package func statusText(of session: String = "default") async throws -> String {
        try await ControlSocket.ask(#"{"command":"status"}"#, at: controlSocket(of: session)) ?? ""
    }

    /// The status of a session, or nil if no session of that name answers.
    nonisolated(nonsending) package func status(of session: String = "default") async throws -> SessionStatus? {
        let text = try await statusText(of: session)
        return text.isEmpty ? nil : try ControlAnswer(json: text).session
    }

    /// For how many seconds the session has run, by its own clock; 0 if no session of that name answers.
    nonisolated(nonsending) package func elapsed(of session: String = "default") async throws -> Double {
        try await status(of: session)?.elapsed ?? 0
    }

    /// Returns when the session has run for `seconds`, by its own clock. Throws if `peer` ends earlier.
    ///
    /// Asks the session for its clock once, sleeps for the rest, and asks once more to check.
    nonisolated(nonsending) package func waitUntilElapsed(_ seconds: Double, of peer: Peer, session: String = "default")
        async throws
    {
        let end = ContinuousClock.now + .seconds(seconds + 30)
        while true {
            let ended = peer.status
            let elapsed = try await elapsed(of: session)
            if elapsed >= seconds { return }
            if let ended {
                throw PeerError.ended(peer.name, status: ended, errors: String(peer.standardError.suffix(2000)))
            }
            guard ContinuousClock.now < end else {
                throw PeerError.deadline("\(seconds) s of broadcast", context: "The session has run for \(elapsed) s.")
            }
            // A session that has not started answers 0: ask again soon.
            let rest = elapsed == 0 ? min(seconds, 0.1) : seconds - elapsed
            try await Task.sleep(for: .seconds(max(rest, 0.005)))
        }
    }

    /// Returns when the session has run for `seconds` more, by its own clock. Throws if `peer` ends earlier.
    nonisolated(nonsending) package func waitForMoreSeconds(
        _ seconds: Double, of peer: Peer, session: String = "default"
    ) async throws {
        try await waitUntilElapsed(try await elapsed(of: session) + seconds, of: peer, session: session)
    }
}
