import Synchronization

/// The packets of a clip. Each of them is released when it was taken, while the rest waits for a slow disk.
/// Thread-safe.
package final class WaitingPackets: Sendable {
    /// The last one first.
    private let rest: Mutex<[EncodedPacket]>

    package init(_ packets: [EncodedPacket]) {
        rest = Mutex(packets.reversed())
    }

    /// Takes the next packet. Returns nil at the end.
    package func next() -> EncodedPacket? { rest.withLock { $0.popLast() } }
}
