import Media
import Upload

/// The end of several destinations at the same time.
///
/// Each destination sends what its queue holds and closes. A destination that needs more time than `ShutdownTimetable`
/// allows is abandoned.
package struct DestinationShutdown: Sendable {
    private let destinations: [Destination]
    private let clock: any Clock<Duration>

    /// - Parameter clock: measures the times of `ShutdownTimetable`.
    package init(of destinations: [Destination], clock: any Clock<Duration> = ContinuousClock()) {
        self.destinations = destinations
        self.clock = clock
    }

    /// Ends the destinations. Returns when all of them are over.
    package func run(_ end: Destination.End) async {
        let before = destinations.map(\.byteCount)
        for destination in destinations { destination.end(end) }
        let timetable = Task { try await followTimetable(bytesBefore: before) }
        for destination in destinations { await destination.waitUntilOver() }
        timetable.cancel()
    }

    /// Abandons the destinations that are not over in time. Throws if its task is cancelled.
    ///
    /// - Parameter before: the destinations' byte counts when the end began.
    private func followTimetable(bytesBefore before: [Int]) async throws {
        try await clock.sleep(for: ShutdownTimetable.backlogDiscarded)
        for (destination, before) in zip(destinations, before) where !destination.state.isOver {
            discardBacklog(of: destination, bytesBefore: before)
        }
        try await clock.sleep(for: ShutdownTimetable.slowAbandoned - ShutdownTimetable.backlogDiscarded)
        var counts = destinations.map(\.byteCount)
        for destination in destinations where !destination.state.isOver && destination.plan.kind.sendsToServer {
            destination.abandon()
        }
        try await clock.sleep(for: ShutdownTimetable.extensionAbandoned - ShutdownTimetable.slowAbandoned)
        for destination in destinations where !destination.state.isOver { destination.abandon() }
        try await clock.sleep(for: ShutdownTimetable.everythingAbandoned - ShutdownTimetable.extensionAbandoned)
        while !destinations.allSatisfy(\.state.isOver) {
            let newCounts = destinations.map(\.byteCount)
            for (destination, (before, now)) in zip(destinations, zip(counts, newCounts))
            where !destination.state.isOver {
                // A slow disk still accepts the waiting data.
                if destination.isOnDisk, now > before { continue }
                // A handler that is blocked in a system call cannot be ended, but its destination can.
                destination.fail(.notFinishedInTime)
                destination.abandon()
            }
            counts = newCounts
            try await clock.sleep(for: ShutdownTimetable.recordingProgress)
        }
    }

    /// Discards the backlog of a live destination and abandons the destination. Does nothing for an extension that
    /// runs: it has until `extensionAbandoned`. A server that has accepted data since the end began is not abandoned
    /// yet: it gets the time for the end of the stream.
    ///
    /// - Parameter bytesBefore: the destination's byte count when the end began.
    private func discardBacklog(of destination: Destination, bytesBefore: Int) {
        let plan = destination.plan
        if plan.kind.isProgram && (plan.isLive || !destination.isWaitingToStart) { return }
        if plan.isLive { destination.queue.discardAll() }
        guard !plan.kind.sendsToServer || destination.byteCount == bytesBefore else { return }
        destination.abandon()
    }
}
