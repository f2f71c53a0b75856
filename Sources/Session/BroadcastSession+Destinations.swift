import Concurrency
import Destinations
import Glibc
import Media
import Upload

/// Adding, starting, retrying and removing destinations.
extension BroadcastSession {
    /// Adds a destination to a running session. Its stream starts with a keyframe.
    ///
    /// - Throws: an error if the session has not begun or is ending, if its name or its file is in use, or if an encoder
    ///   cannot be opened.
    package func add(_ plan: DestinationPlan) async throws(SessionError) {
        guard [.starting, .live, .paused].contains(state) else { throw .ending }
        guard progress.hasBegun else { throw .notBegun }
        if let path = plan.path, await isWriting(path) { throw .pathInUse(path) }
        let destination = makeDestination(plan)
        let isTaken = members.withLock { members -> Bool in
            if members.contains(where: { $0.destination.plan.name == plan.name && !$0.destination.state.isOver }) { return true }
            members.removeAll { $0.destination.plan.name == plan.name }
            members.append(Member(destination: destination))
            return false
        }
        if isTaken { throw .nameInUse(plan.name) }
        do throws(SessionError) {
            // If the session started to end before the destination was added, nothing would end the destination.
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

    /// Suspends until the first connection of a destination has a result: it is live, waits for the next try, or is over.
    ///
    /// - Returns: its state and figures; nil if there is no destination of this name.
    package func waitUntilAnswered(_ name: String) async -> DestinationSnapshot? {
        guard let destination = destinations.last(where: { $0.plan.name == name }) else { return nil }
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
        // If two destinations are removed at the same time, each call must see that the other one is leaving.
        let (member, isLast) = members.withLock { members -> (Member?, Bool) in
            let staying = members.indices.filter { !members[$0].destination.state.isOver && !members[$0].isLeaving }
            guard let index = staying.first(where: { members[$0].destination.plan.name == name }) else { return (nil, false) }
            let isLast = staying.count == 1
            if !isLast { members[index].isLeaving = true }
            return (members[index], isLast)
        }
        guard let member else { return forget(name) }
        guard !isLast else { throw .onlyDestination(name) }
        await pipeline.detach(member.destination.queue, from: member.rendition)
        await DestinationShutdown(of: [member.destination], clock: clock).run(.asked)
        return member.destination.snapshot()
    }

    /// Removes a destination that has failed from the results of the session.
    ///
    /// - Returns: its last state and figures; nil if there is no such destination.
    @discardableResult package func forget(_ name: String) -> DestinationSnapshot? {
        members.withLock { members in
            guard let index = members.lastIndex(where: { $0.destination.plan.name == name && $0.destination.state == .failed }) else { return nil }
            return members.remove(at: index).destination.snapshot()
        }
    }

    /// Ends the wait for the next try. Returns the names of the destinations that were waiting.
    ///
    /// - Parameter name: the destination; nil for all.
    package func retry(_ name: String?) -> [String] {
        destinations.filter { name == nil || $0.plan.name == name }.filter { $0.retryNow() }.map(\.plan.name)
    }

    /// Returns true if a destination of the session writes the file at `path`, also if it has another path to that file.
    func isWriting(_ path: String) async -> Bool {
        let own = destinations.filter { !$0.state.isOver }.compactMap(\.plan.path)
        if own.contains(path) { return true }
        // stat(2) can block as long as a disk does not answer.
        return await NamedThread.run(name: "file check") {
            guard let wanted = FileIdentity(path) else { return false }
            return own.contains { FileIdentity($0) == wanted }
        }
    }

    /// Records which rendition serves a destination.
    func adopt(_ rendition: Rendition?, for destination: Destination) {
        members.withLock { members in
            for index in members.indices where members[index].destination === destination { members[index].rendition = rendition }
        }
    }

    /// Starts a destination. The session ends when all destinations are over.
    func start(_ destination: Destination, stream: StreamDescription, rendition: Rendition?, joinsLate: Bool = false) {
        destination.start(stream, joinsLate: joinsLate, requestKeyframe: { rendition?.requestKeyframe() })
        Task { [weak self] in
            await destination.waitUntilOver()
            guard let self else { return }
            if destinations.allSatisfy({ $0.state.isOver }) {
                ending.set(.destinationsEnded)
            } else {
                // Its rendition may have no other destination.
                await pipeline.detach(destination.queue, from: rendition)
            }
        }
    }
}

/// The identity of the file at a path. Two paths of the same file have equal identities.
private struct FileIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil if there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
