import Media
import Upload

/// Destinations that come and go, and how each of them ends.
extension BroadcastSession {
    /// How long a destination may take to write out and close at the end.
    private static let finishDeadline = Duration.seconds(8)

    /// Adds a destination to a broadcast that runs. It begins with a keyframe of its own.
    package func add(_ plan: DestinationPlan) async throws(SessionError) {
        guard [.starting, .live, .paused].contains(state) else { throw .conflict("The broadcast is ending.") }
        // Those that it begins with are started by somebody else.
        guard hasBegun else { throw .conflict("The broadcast is only just starting. Try again.") }
        if let path = plan.path, destinations.contains(where: { !$0.state.isOver && $0.plan.path.map { FileIdentity.areOne($0, path) } ?? false }) {
            throw .conflict("\(path) is part of this broadcast already.")
        }
        let destination = Destination(plan: plan) { [observer] in observer(.destination($0)) }
        let isTaken = members.withLock { members -> Bool in
            if members.contains(where: { $0.destination.plan.name == plan.name && !$0.destination.state.isOver }) { return true }
            members.removeAll { $0.destination.plan.name == plan.name }
            members.append(Member(destination: destination))
            return false
        }
        if isTaken { throw .conflict("\(plan.name) is part of this broadcast already.") }
        do throws(SessionError) {
            let (stream, rendition) = try await pipeline.attach(destination.queue, for: plan)
            members.withLock { members in
                for index in members.indices where members[index].destination === destination { members[index].rendition = rendition }
            }
            if state == .paused { destination.queue.push(.paused(at: now)) }
            start(destination, stream: stream, rendition: rendition)
            rendition?.requestKeyframe()
        } catch {
            members.withLock { $0.removeAll { $0.destination === destination } }
            throw error
        }
    }

    /// Ends one destination; the others do not notice. Gives how it ended, or nil where there is none of that name.
    package func remove(named name: String) async throws(SessionError) -> SessionSnapshot.Destination? {
        // Two that are removed at once must not both find the other still there.
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
        await finish([member.destination])
        return member.destination.snapshot()
    }

    /// Tries to connect again now; nil stands for all that wait for that. Gives the names of those that did.
    package func retry(_ name: String?) -> [String] {
        destinations.filter { name == nil || $0.plan.name == name }.filter { $0.retryNow() }.map(\.plan.name)
    }

    /// Brings destinations to their end: what waits is written out and closed, and who takes too long is given up.
    ///
    /// - Parameter isAsked: somebody wants the end now: what never stood need not have.
    func finish(_ destinations: [Destination], isAsked: Bool = true) async {
        for destination in destinations { destination.end(isAsked: isAsked) }
        let deadline = Task {
            try await Task.sleep(for: Self.finishDeadline)
            for destination in destinations where !destination.state.isOver {
                destination.fail(.unreachable("\(destination.plan.name) did not finish in time and was given up."))
                destination.abandon()
            }
        }
        let hurry = Task {
            // A viewer's server that takes nothing any more does not hold up the end.
            try await Task.sleep(for: .milliseconds(800))
            for destination in destinations where destination.plan.isLive && !destination.state.isOver && !destination.isPatient {
                destination.queue.discardAll()
                destination.abandon()
            }
            // Nor does a named pipe that nobody reads from; one whose reader goes on gets all that is left.
            for destination in destinations where !destination.plan.isLive && (destination.isWaitingToStart || !destination.isPatient) {
                destination.abandon()
            }
            // An extension has some seconds of its own to write out; one that does not read by then is ended.
            try await Task.sleep(for: .milliseconds(5900))
            for destination in destinations where destination.isPatient && !destination.state.isOver { destination.abandon() }
        }
        // A handler that blocks in a system call cannot be ended; its destination can.
        for destination in destinations { await destination.waitUntilOver() }
        deadline.cancel()
        hurry.cancel()
    }

    // MARK: The network

    /// Gives each encode the bitrate that suits the slowest of those who take it.
    func fitBitrates() {
        let now = self.now
        let audioBitrate = configuration.audio.bitrate
        // Where nobody has an opinion the bitrate stays as it is.
        let votes = members.withLock { members -> [(Rendition, Int, String)] in
            members.indices.compactMap { index in
                let member = members[index]
                // What was learned of a network is kept over a pause and an outage.
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
            let slowest = votes.filter { $0.0 === rendition }.min { $0.1 < $1.1 }
            let hasViewers = members.withLock { members in
                members.contains { $0.rendition === rendition && $0.destination.plan.isLive && !$0.destination.state.isOver }
            }
            guard let bitrate = slowest?.1 ?? (hasViewers ? nil : wanted), bitrate != before else { continue }
            rendition.setBitrate(bitrate)
            if bitrate < before, before == wanted, let name = slowest?.2 {
                observer(.warning("\(name) does not take \(wanted) kbit/s: the bitrate follows what gets through, \(bitrate) kbit/s for now."))
            } else if bitrate == wanted {
                observer(.warning("The bitrate is back at \(wanted) kbit/s."))
            }
        }
    }
}
