/// Waits until the condition holds; asks every 5 ms. Throws `PeerError.deadline` with `what` once the deadline, counted from now, has passed.
nonisolated(nonsending) package func waitUntil(
    _ what: String, deadline: Duration = .seconds(30), condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + deadline
    while try await !condition() {
        guard ContinuousClock.now < end else { throw PeerError.deadline(what, context: "Deadline: \(deadline).") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
