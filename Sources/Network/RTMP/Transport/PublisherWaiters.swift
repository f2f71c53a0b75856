import Media
import NIOCore

/// A task that waits for a result from the event loop.
struct PublisherWaiter: Sendable {
    typealias ID = UInt64
    let id: ID
    let promise: EventLoopPromise<Result<Void, RTMPError>>
}

/// The waiting tasks, in the order in which they started to wait, and how far the connection is, which decides about
/// their results. Each task receives exactly one result. It also holds the packets for which no task waits.
struct PublisherWaiters {
    enum Need {
        /// Waits until the server accepts the stream.
        case live
        /// Waits until the channel is writable. If there is a packet, it is written first, and the waiter then waits
        /// for space for the next one.
        case room(toSend: EncodedPacket?)
        /// Waits until the connection is closed.
        case closed
    }

    struct Entry {
        let waiter: PublisherWaiter
        var need: Need

        var isLive: Bool { if case .live = need { true } else { false } }
        var isRoom: Bool { if case .room = need { true } else { false } }
        var isClosed: Bool { if case .closed = need { true } else { false } }
    }

    private enum Phase {
        case connecting
        /// The server has accepted the stream.
        case live
        /// The end of the stream was requested. Nothing can be sent any more.
        case finishing
        case ended(Result<Void, RTMPError>)
    }

    /// True while the channel is writable.
    var isWritable = true { didSet { updateWindow() } }
    private let window: SendWindow
    private var entries: [Entry] = []
    /// The packets for which no task waits.
    private var posted: [EncodedPacket] = []
    private var phase = Phase.connecting { didSet { updateWindow() } }

    init(window: SendWindow) {
        self.window = window
    }

    private func updateWindow() {
        window.set(isOpen: isLive && isWritable)
    }

    /// Adds a task. Completes it at once if its result is known.
    mutating func add(_ waiter: PublisherWaiter, for need: Need) {
        entries.append(Entry(waiter: waiter, need: need))
        switch phase {
        case .connecting: break
        case .live: answer(.success(())) { $0.isLive }
        case .finishing: refuseRoom()
        case .ended(let result): end(result)
        }
    }

    /// True while packets can be sent.
    var isLive: Bool { if case .live = phase { true } else { false } }

    /// Records that the server has accepted the stream.
    mutating func becomeLive() {
        if case .connecting = phase { phase = .live }
        answer(.success(())) { $0.isLive }
    }

    /// Records that the end of the stream was requested, and completes the tasks that want to send. Returns false if
    /// the connection is finishing already or has ended.
    mutating func beginFinishing() -> Bool {
        switch phase {
        case .finishing, .ended: return false
        case .connecting, .live:
            phase = .finishing
            refuseRoom()
            return true
        }
    }

    private mutating func refuseRoom() {
        answer(.failure(.closed(during: .finishing))) { $0.isRoom }
    }

    /// Adds a packet that entered the window. It was sent before all waiters that need space.
    mutating func post(_ packet: EncodedPacket) {
        if case .ended = phase { return }
        posted.append(packet)
    }

    /// Takes the next packet for which no task waits.
    mutating func takePosted() -> EncodedPacket? {
        guard !posted.isEmpty else { return nil }
        let packet = posted.removeFirst()
        window.leave(byteCount: packet.data.count)
        return packet
    }

    /// Takes the next packet or waiter that needs space; call this when the channel is writable. If the waiter has a
    /// packet, returns the packet, and the waiter continues to wait for space after it. If it has none, completes the
    /// waiter and returns `.some(nil)`. Returns nil if nothing needs space.
    mutating func takeRoom() -> EncodedPacket?? {
        if let packet = takePosted() { return .some(packet) }
        guard let index = entries.firstIndex(where: \.isRoom), case .room(let packet) = entries[index].need else {
            return nil
        }
        if packet == nil {
            entries.remove(at: index).waiter.promise.succeed(.success(()))
        } else {
            entries[index].need = .room(toSend: nil)
        }
        return .some(packet)
    }

    /// Completes all waiters that match.
    mutating func answer(_ result: Result<Void, RTMPError>, where matches: (Entry) -> Bool) {
        let answered = entries.filter(matches)
        entries.removeAll(where: matches)
        for entry in answered { entry.waiter.promise.succeed(result) }
    }

    /// Completes all waiters when the connection has ended with `result`. A waiter for the end gets success.
    mutating func end(_ result: Result<Void, RTMPError>) {
        phase = .ended(result)
        posted.removeAll()
        answer(.success(())) { $0.isClosed }
        if case .failure(let error) = result {
            answer(.failure(error)) { _ in true }
        } else {
            answer(.failure(.closed(during: .finishing))) { _ in true }
        }
    }
}
