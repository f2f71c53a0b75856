/// `TestScreen`, painting.
package enum PaintedScreen {
    /// Starts it (`["clock", "--beep"]`) and waits for its first frame. The sound goes to `pulse`'s default sink.
    /// `more` is added to its environment.
    @discardableResult
    nonisolated(nonsending) package static func start(
        _ arguments: [String], on display: String? = nil, pulse: PulseServer? = nil,
        environment more: [String: String] = [:], in peers: Peers
    ) async throws -> Peer {
        let environment = (pulse?.environment ?? [:]).merging(display.map { ["DISPLAY": $0] } ?? [:]) { $1 }.merging(
            more
        ) { $1 }
        let peer = try peers.start(
            "testscreen", [try BuiltPrograms.path(of: "TestScreen")] + arguments, environment: environment)
        _ = try await peer.waitForOutputLine(containing: "ready")
        return peer
    }
}
