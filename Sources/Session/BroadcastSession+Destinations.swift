import Encode
import Glibc
import Media
import Upload

/// Destinations that come and go, and how each of them ends.
extension BroadcastSession {
    /// Adds a destination to a running broadcast. It begins with a keyframe of its own.
    package func add(_ plan: DestinationPlan) async throws(SessionError) {
        guard [.starting, .live, .paused].contains(state) else { throw .ending }
        guard hasBegun else { throw .notBegun }
        if let path = plan.path, writes(path) { throw .pathInUse(path) }
        let destination = makeDestination(plan)
        let isTaken = members.withLock { members -> Bool in
            if members.contains(where: { $0.destination.plan.name == plan.name && !$0.destination.state.isOver }) { return true }
            members.removeAll { $0.destination.plan.name == plan.name }
            members.append(Member(destination: destination))
            return false
        }
        if isTaken { throw .nameInUse(plan.name) }
        do throws(SessionError) {
            // If the end began before it was a member, nothing would end it.
            guard [.starting, .live, .paused].contains(state) else { throw .ending }
            let (stream, rendition) = try await pipeline.attach(destination.queue, for: plan)
            adopt(rendition, for: destination)
            start(destination, stream: stream, rendition: rendition, joinsLate: true)
            rendition?.requestKeyframe()
        } catch {
            members.withLock { $0.removeAll { $0.destination === destination } }
            destination.discard()
            throw error
        }
    }

    /// Suspends until the destination of that name is live, waits to connect again, or is over, and returns it; nil if there is none.
    package func waitUntilAnswered(_ name: String) async -> SessionSnapshot.Destination? {
        guard let destination = destinations.last(where: { $0.plan.name == name }) else { return nil }
        await destination.answered.value
        return destination.snapshot()
    }

    /// Ends one destination; the others go on. Returns how it ended, or nil if there is none of that name.
    package func remove(named name: String) async throws(SessionError) -> SessionSnapshot.Destination? {
        // What has not started cannot be ended.
        guard hasBegun else { throw .notBegun }
        // Of two that are removed at once, each must see that the other is leaving.
        let (member, isLast) = members.withLock { members -> (Member?, Bool) in
            let staying = members.indices.filter { !members[$0].destination.state.isOver && !members[$0].isLeaving }
            guard let index = staying.first(where: { members[$0].destination.plan.name == name }) else { return (nil, false) }
            let isLast = staying.count == 1
            if !isLast { members[index].isLeaving = true }
            return (members[index], isLast)
        }
        guard let member else { return nil }
        guard !isLast else { throw .onlyDestination(name) }
        await pipeline.detach(member.destination.queue, from: member.rendition)
        await finish([member.destination], .asked)
        return member.destination.snapshot()
    }

    /// Tries to connect again now. Returns the names of the destinations that waited for that.
    ///
    /// - Parameter name: nil for all of them.
    package func retry(_ name: String?) -> [String] {
        destinations.filter { name == nil || $0.plan.name == name }.filter { $0.retryNow() }.map(\.plan.name)
    }

    /// Whether a destination of the session writes the file at `path`, however it is spelled.
    func writes(_ path: String) -> Bool {
        destinations.contains { destination in
            guard !destination.state.isOver, let own = destination.plan.path else { return false }
            if own == path { return true }
            guard let one = FileIdentity(own), let other = FileIdentity(path) else { return false }
            return one == other
        }
    }

    /// Notes which encode serves a destination.
    func adopt(_ rendition: Rendition?, for destination: Destination) {
        members.withLock { members in
            for index in members.indices where members[index].destination === destination { members[index].rendition = rendition }
        }
    }

    /// Lets a destination begin. The session ends by itself once none is left.
    func start(_ destination: Destination, stream: StreamDescription, rendition: Rendition?, joinsLate: Bool = false) {
        destination.start(stream, joinsLate: joinsLate, requestKeyframe: { rendition?.requestKeyframe() })
        Task { [weak self] in
            await destination.waitUntilOver()
            guard let self else { return }
            if destinations.allSatisfy({ $0.state.isOver }) {
                ending.set(.destinationsEnded)
            } else {
                // Its encode may serve no other.
                await pipeline.detach(destination.queue, from: rendition)
            }
        }
    }

    /// Ends destinations: each sends what is in its queue and closes; one that takes too long is abandoned (`ShutdownTimetable`).
    func finish(_ destinations: [Destination], _ end: Destination.End) async {
        for destination in destinations { destination.end(end) }
        let hurry = Task {
            let start = ContinuousClock.now
            let before = destinations.map(\.byteCount)
            try await Task.sleep(until: start + ShutdownTimetable.backlogDiscarded)
            for (destination, before) in zip(destinations, before) where !destination.state.isOver {
                let isExtension = if case .program = destination.plan.kind { true } else { false }
                guard destination.isWaitingToStart && !destination.plan.isLive || !isExtension else { continue }
                if destination.plan.isLive { destination.queue.discardAll() }
                // A server that accepts data slowly gets the time for the end of the stream.
                guard destination.plan.kind != .rtmp || destination.byteCount == before else { continue }
                destination.abandon()
            }
            try await Task.sleep(until: start + ShutdownTimetable.slowAbandoned)
            for destination in destinations where !destination.state.isOver && destination.plan.kind == .rtmp { destination.abandon() }
            try await Task.sleep(until: start + ShutdownTimetable.extensionAbandoned)
            for destination in destinations where !destination.state.isOver { destination.abandon() }
            try await Task.sleep(until: start + ShutdownTimetable.everythingAbandoned)
            // A handler that blocks in a system call cannot be ended; its destination can.
            for destination in destinations where !destination.state.isOver {
                destination.fail(.notFinishedInTime)
                destination.abandon()
            }
        }
        for destination in destinations { await destination.waitUntilOver() }
        hurry.cancel()
    }

    // MARK: The network

    /// Gives each encode the bitrate that suits the slowest of its live destinations.
    func fitBitrates() {
        let now = self.now
        let audioBitrate = configuration.audio.bitrate
        let votes = members.withLock { members -> [(rendition: Rendition, bitrate: Int, name: String)] in
            members.indices.compactMap { index in
                let member = members[index]
                // What was learned about a network is kept over a pause and an outage.
                guard member.destination.plan.isLive, member.destination.state == .live, let rendition = member.rendition,
                    let wanted = rendition.wantedBitrate
                else { return nil }
                var controller = member.congestion ?? CongestionController(wanted: wanted, audio: audioBitrate)
                let vote = controller.note(backlog: member.destination.backlog, bytes: member.destination.byteCount, at: now)
                members[index].congestion = controller
                return vote.map { (rendition, $0, member.destination.plan.name) }
            }
        }
        for rendition in pipeline.renditions {
            guard let wanted = rendition.wantedBitrate, let before = rendition.bitrate else { continue }
            let slowest = votes.filter { $0.rendition === rendition }.min { $0.bitrate < $1.bitrate }
            let hasViewers = members.withLock { members in
                members.contains { $0.rendition === rendition && $0.destination.plan.isLive && !$0.destination.state.isOver }
            }
            // Without a vote the bitrate stays as it is.
            guard let bitrate = slowest?.bitrate ?? (hasViewers ? nil : wanted), bitrate != before else { continue }
            rendition.setBitrate(bitrate)
            if bitrate < before, before == wanted, let name = slowest?.name {
                channel.send(.bitrateLowered(destination: name, from: wanted, to: bitrate))
            } else if bitrate == wanted {
                channel.send(.bitrateRestored(wanted))
            }
        }
    }
}

/// The file that a path leads to, however the path is spelled; nil if there is none.
private struct FileIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
