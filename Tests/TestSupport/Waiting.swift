/// Waits until the condition holds. Throws `PeerError.deadline` with `what` when the deadline, counted from now, has
/// passed.
///
/// Checks every 5 ms at first, so that a short wait ends soon, and every 50 ms in the end, so that a long one leaves
/// the machine to the peers.
nonisolated(nonsending) package func waitUntil(
    _ what: String, deadline: Duration = .seconds(30), condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + deadline
    var interval = Duration.milliseconds(5)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw PeerError.deadline(what, context: "Deadline: \(deadline).") }
        try await Task.sleep(for: interval)
        interval = min(interval * 5 / 4, .milliseconds(50))
    }
}
