import Upload

/// Adding, retrying and removing destinations.
extension BroadcastSession {
    /// Adds a destination to a running session. Its stream starts with a keyframe.
    ///
    /// - Throws: an error if the session has not begun or is ending, if its name, its file or its address is in use, or
    ///   if an encoder cannot be opened.
    package func add(_ plan: DestinationPlan) async throws(SessionError) {
        guard acceptsDestinations else { throw .ending }
        guard progress.hasBegun else { throw .notBegun }
        try await destinations.add(plan) { acceptsDestinations }
    }

    private var acceptsDestinations: Bool { [.starting, .live, .paused].contains(state) }

    /// Suspends until the first connection of a destination has a result: it is live, waits for the next try, or is
    /// over.
    ///
    /// - Returns: its state and figures; nil if there is no destination of this name.
    package func waitUntilAnswered(_ name: String) async -> DestinationSnapshot? {
        guard let destination = destinations.all.last(where: { $0.plan.name == name }) else { return nil }
        await destination.answered.value
        return destination.snapshot()
    }

    /// Ends one destination. The others continue.
    ///
    /// A destination that has failed is only removed from the results.
    ///
    /// - Returns: its last state and figures; nil if there is no destination of this name.
    /// - Throws: `onlyDestination` if it is the last one, `notBegun` if the session has not begun.
    package func remove(named name: String) async throws(SessionError) -> DestinationSnapshot? {
        // A destination that has not started cannot be ended.
        guard progress.hasBegun else { throw .notBegun }
        return try await destinations.remove(named: name)
    }

    /// Undoes an addition whose destination has failed. A destination that had failed under its name before is in the
    /// results again.
    package func withdraw(_ name: String) { destinations.withdraw(name) }

    /// Ends the wait for the next try. Returns the names of the destinations that were waiting.
    ///
    /// - Parameter name: the destination; nil for all.
    package func retry(_ name: String?) -> [String] {
        destinations.all.filter { name == nil || $0.plan.name == name }.filter { $0.retryNow() }.map(\.plan.name)
    }
}
