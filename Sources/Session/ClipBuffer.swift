import Media
import Synchronization

/// The last stretch of a broadcast, encoded as it was sent, so that what just happened can still be saved.
///
/// Bounded in time and in memory; what is dropped goes by whole groups of pictures, so that it always begins with a keyframe.
package final class ClipBuffer: Sendable {
    /// More than this is not kept, however long was asked for: about 17 minutes at 4 Mbit/s.
    private static let byteLimit = 512 << 20

    /// A stretch to save: it begins with a keyframe.
    package struct Excerpt: Sendable {
        /// When it began, on the session's clock.
        package var start: MediaTime
        package var duration: MediaTime
        /// With times from the excerpt's start on.
        package var packets: [EncodedPacket]
    }

    private struct State {
        var packets: [EncodedPacket] = []
        var byteCount = 0
    }

    private let length: MediaTime
    private let state = Mutex(State())

    /// - Parameter length: how much is kept.
    package init(length: MediaTime) {
        self.length = length
    }

    package func push(_ packet: EncodedPacket) {
        state.withLock { state in
            if state.packets.isEmpty && !(packet.track == .screen && packet.isKeyframe) { return }
            state.packets.append(packet)
            state.byteCount += packet.data.count
            // Only a keyframe closes the group before it.
            guard packet.track == .screen, packet.isKeyframe else { return }
            while let next = Self.secondGroup(state.packets),
                packet.decodeTime - state.packets[next].decodeTime >= length || state.byteCount > Self.byteLimit
            {
                state.byteCount -= state.packets[..<next].reduce(0) { $0 + $1.data.count }
                state.packets.removeFirst(next)
            }
        }
    }

    /// The last `span` of the broadcast, from the keyframe before it on; nil where there is nothing yet.
    package func excerpt(last span: MediaTime) -> Excerpt? {
        let packets = state.withLock { $0.packets }
        guard let end = packets.last(where: { $0.track == .screen })?.presentationTime else { return nil }
        let wanted = end - span
        let first = packets.lastIndex { $0.track == .screen && $0.isKeyframe && $0.presentationTime <= wanted } ?? packets.startIndex
        let start = packets[first].decodeTime
        // Sound comes later than the picture that it belongs to: by its time, not by its place.
        let chosen = packets[first...].filter { $0.track == .screen || $0.presentationTime >= start }
        return Excerpt(
            start: start, duration: end - start,
            packets: chosen.map { $0.moved(by: -start) })
    }

    private static func secondGroup(_ packets: [EncodedPacket]) -> Int? {
        packets.indices.dropFirst().first { packets[$0].track == .screen && packets[$0].isKeyframe }
    }
}
