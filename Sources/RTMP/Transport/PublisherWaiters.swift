import Media
import NIOCore

/// A task that waits for the event loop's answer.
struct PublisherWaiter: Sendable {
    typealias ID = UInt64
    let id: ID
    let promise: EventLoopPromise<Result<Void, RTMPError>>
}

/// Those who wait, in the order in which they came.
struct PublisherWaiters {
    enum Need {
        /// For the server to take the stream.
        case live
        /// For room in the channel; with a packet, that is written first and the room is then the next one's.
        case room(toSend: EncodedPacket?)
        /// For the end of the connection.
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

    /// There is room: gives the packet of the first who waits for it, which then waits for the room behind it. One
    /// without a packet is answered, and the result holds no packet. nil where nobody waits for room.
    mutating func takeRoom() -> EncodedPacket?? {
        guard let index = entries.firstIndex(where: \.isRoom), case .room(let packet) = entries[index].need else { return nil }
        if packet == nil {
            entries.remove(at: index).waiter.promise.succeed(.success(()))
        } else {
            entries[index].need = .room(toSend: nil)
        }
        return .some(packet)
    }

    /// Answers all that match.
    mutating func answer(_ result: Result<Void, RTMPError>, where matches: (Entry) -> Bool) {
        let answered = entries.filter(matches)
        entries.removeAll(where: matches)
        for entry in answered { entry.waiter.promise.succeed(result) }
    }
}
