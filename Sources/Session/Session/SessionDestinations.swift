import Concurrency
import Media
import Pipeline
import Processes
import Synchronization
import Upload

/// The destinations of a session, and the rendition that serves each of them. Thread-safe.
///
/// It ends the session when all destinations are over.
final class SessionDestinations: Sendable {
    /// A destination, and the rendition that serves it.
    struct Member: Sendable {
        var destination: Destination
        /// Nil before the start, and for a destination without pictures.
        var rendition: Rendition?
        /// True if the user removed the destination, and it is ending.
        var isLeaving = false
        /// The one of the same name that was over, and whose result counts again if this one is withdrawn: one at most.
        var replaced: [Member] = []
    }

    private let members = Mutex<[Member]>([])
    private let pipeline: MediaPipeline
    private let clock: any Clock<Duration>
    private let ending: Once<EndReason>
    private let make: @Sendable (DestinationPlan) -> Destination

    /// - Parameters:
    ///   - ending: set to `destinationsEnded` when all destinations are over.
    ///   - make: returns a destination that has not started.
    init(
        _ plans: [DestinationPlan], pipeline: MediaPipeline, clock: any Clock<Duration>, ending: Once<EndReason>,
        make: @escaping @Sendable (DestinationPlan) -> Destination
    ) {
        self.pipeline = pipeline
        self.clock = clock
        self.ending = ending
        self.make = make
        let first = plans.map { Member(destination: make($0)) }
        members.withLock { $0 = first }
    }

    // MARK: Members

    /// The destinations, in the order in which they were added.
    var all: [Destination] { members.withLock { $0.map(\.destination) } }

    /// The destinations, each with its rendition.
    var withRenditions: [Member] { members.withLock { $0 } }

    /// The destinations to report. One that the user removed is included unless it failed.
    var reported: [Destination] {
        members.withLock { members in
            members.filter { !($0.isLeaving && $0.destination.state == .failed) }.map(\.destination)
        }
    }

    /// True if every destination has ended without an error. One that the user removed has ended as asked, however it
    /// ended.
    var allFinished: Bool { members.withLock { $0.allSatisfy { $0.isLeaving || $0.destination.state == .finished } } }

    /// Returns true if a destination writes the file at `path`, also if it has another path to that file.
    func isWriting(_ path: String) async -> Bool {
        let own = all.filter { !$0.state.isOver }.compactMap(\.plan.path)
        if own.contains(path) { return true }
        // stat(2) can block as long as a disk does not answer.
        return await NamedThread.run(name: "file check") {
            guard let wanted = FileIdentity(path) else { return false }
            return own.contains { FileIdentity($0) == wanted }
        }
    }

    // MARK: Start and end

    /// Starts the destinations that the session began with.
    func startAll() async throws(SessionError) {
        for destination in all { try await start(destination) }
    }

    /// Adds a destination to a running session, and starts it.
    ///
    /// - Parameter mayStart: called after the destination was added to the list. If the session started to end before
    ///   that, nothing would end the destination.
    /// - Throws: an error if its name, its file or its address is in use, or if an encoder cannot be opened.
    func add(_ plan: DestinationPlan, if mayStart: () -> Bool) async throws(SessionError) {
        if let path = plan.path, await isWriting(path) { throw .pathInUse(path) }
        let destination = make(plan)
        let problem = members.withLock { members -> SessionError? in
            let others = members.map(\.destination).filter { !$0.state.isOver }
            if others.contains(where: { $0.plan.name == plan.name }) { return .nameInUse(plan.name) }
            if let address = plan.address, let other = others.first(where: { $0.plan.address == address }) {
                return .addressInUse(by: other.plan.name)
            }
            var member = Member(destination: destination)
            if let index = members.lastIndex(where: { $0.destination.plan.name == plan.name }) {
                member.replaced = [members.remove(at: index)]
                member.replaced[0].replaced = []
            }
            members.append(member)
            return nil
        }
        if let problem { throw problem }
        do throws(SessionError) {
            guard mayStart() else { throw .ending }
            try await start(destination, joinsLate: true)?.requestKeyframe()
        } catch {
            withdraw { $0 === destination }
            destination.discard()
            throw error
        }
    }

    /// Undoes an addition whose destination has failed: what had its name before is in the results again.
    func withdraw(_ name: String) {
        withdraw { $0.plan.name == name && $0.state == .failed }
    }

    private func withdraw(_ isMeant: (Destination) -> Bool) {
        members.withLock { members in
            guard let index = members.lastIndex(where: { isMeant($0.destination) }) else { return }
            members += members.remove(at: index).replaced
        }
    }

    /// Ends one destination. One that has failed is only forgotten.
    ///
    /// - Returns: its last state and figures; nil if there is no destination of this name.
    /// - Throws: `onlyDestination` if it is the last one.
    func remove(named name: String) async throws(SessionError) -> DestinationSnapshot? {
        // If two destinations are removed at the same time, each call must see that the other one is leaving.
        let (member, isLast) = members.withLock { members -> (Member?, Bool) in
            let staying = members.indices.filter { !members[$0].destination.state.isOver && !members[$0].isLeaving }
            guard let index = staying.first(where: { members[$0].destination.plan.name == name }) else {
                return (nil, false)
            }
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

    /// Forgets a destination that has failed. Returns its last state and figures; nil if there is no such destination.
    private func forget(_ name: String) -> DestinationSnapshot? {
        members.withLock { members in
            guard
                let index = members.lastIndex(where: {
                    $0.destination.plan.name == name && $0.destination.state == .failed
                })
            else { return nil }
            return members.remove(at: index).destination.snapshot()
        }
    }

    /// Starts a destination. Returns the rendition that serves it.
    @discardableResult
    private func start(_ destination: Destination, joinsLate: Bool = false) async throws(SessionError) -> Rendition? {
        let (stream, rendition) = try await attach(destination)
        members.withLock { members in
            for index in members.indices where members[index].destination === destination {
                members[index].rendition = rendition
            }
        }
        destination.start(
            stream, joinsLate: joinsLate, clockOrigin: { [pipeline] in pipeline.clockOrigin },
            requestKeyframe: { rendition?.requestKeyframe() })
        Task { [weak self] in
            await destination.waitUntilOver()
            guard let self else { return }
            if all.allSatisfy({ $0.state.isOver }) {
                ending.set(.destinationsEnded)
            } else {
                // Its rendition may have no other destination.
                await pipeline.detach(destination.queue, from: rendition)
            }
        }
        return rendition
    }

    private func attach(_ destination: Destination) async throws(SessionError) -> (StreamDescription, Rendition?) {
        do throws(PipelineError) {
            return try await pipeline.attach(destination.queue, for: destination.plan.requirements)
        } catch {
            throw error == .notOpen ? .notBegun : .pipeline(error)
        }
    }
}
