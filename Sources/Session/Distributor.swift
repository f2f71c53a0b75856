import Media
import Synchronization

/// Hands each packet to every destination that wants it. Encoders call it; nobody waits. Destinations come and go meanwhile.
final class Distributor: Sendable {
    /// One destination's queue, and which packets belong in it.
    struct Outlet: Sendable {
        var queue: PacketQueue
        var tracks: Set<Track>
        /// True where it takes pixels or PCM instead of what is encoded.
        var isRaw: Bool
    }

    private let outlets = Mutex<[Outlet]>([])
    private let clips: ClipBuffer?

    /// - Parameter clips: keeps the last stretch of everything that is encoded.
    init(clips: ClipBuffer?) {
        self.clips = clips
    }

    func add(_ outlet: Outlet) {
        outlets.withLock { $0.append(outlet) }
    }

    func remove(_ queue: PacketQueue) {
        outlets.withLock { $0.removeAll { $0.queue === queue } }
    }

    var isEmpty: Bool { outlets.withLock { $0.isEmpty } }

    /// Encoded packets, for those who take them. True where a keyframe would help one of them.
    func distribute(_ packets: [EncodedPacket]) -> Bool {
        guard !packets.isEmpty else { return false }
        let outlets = outlets.withLock { $0 }
        var isKeyframeWanted = false
        for packet in packets {
            if packet.track == .screen || packet.track == .mixed { clips?.push(packet) }
            for outlet in outlets where !outlet.isRaw && outlet.tracks.contains(packet.track) && outlet.queue.push(packet) { isKeyframeWanted = true }
        }
        return isKeyframeWanted
    }

    /// Pixels or PCM, for those who take them.
    func distributeRaw(_ packet: EncodedPacket) {
        for outlet in outlets.withLock({ $0 }) where outlet.isRaw && outlet.tracks.contains(packet.track) { outlet.queue.push(packet) }
    }

    /// The tracks that somebody takes, raw or encoded; what is kept for clips counts as `mixed`.
    func tracks(raw: Bool) -> Set<Track> {
        let wanted = outlets.withLock { outlets in
            outlets.reduce(into: Set<Track>()) { if $1.isRaw == raw { $0.formUnion($1.tracks) } }
        }
        return clips != nil && !raw ? wanted.union([.mixed]) : wanted
    }
}
