import Media
import NIOCore

/// A task that waits for a result from the event loop.
struct PublisherWaiter: Sendable {
    typealias ID = UInt64
    let id: ID
    let promise: EventLoopPromise<Result<Void, RTMPError>>
}

/// The waiting tasks, in the order in which they started to wait.
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

    private var entries: [Entry] = []

    mutating func add(_ waiter: PublisherWaiter, for need: Need) {
        entries.append(Entry(waiter: waiter, need: need))
    }

    /// Takes the next waiter that needs space; call this when the channel is writable. If the waiter has a packet,
    /// returns the packet, and the waiter continues to wait for space after it. If it has none, completes the waiter
    /// and returns `.some(nil)`. Returns nil if no waiter needs space.
    mutating func takeRoom() -> EncodedPacket?? {
        guard let index = entries.firstIndex(where: \.isRoom), case .room(let packet) = entries[index].need else { return nil }
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
        answer(.success(())) { $0.isClosed }
        if case .failure(let error) = result {
            answer(.failure(error)) { _ in true }
        } else {
            answer(.failure(.closed(during: .finishing))) { _ in true }
        }
    }
}
