import Media
import Synchronization

/// Passes each packet to every destination that takes it. Encoder threads call it; nothing waits. Destinations come and go meanwhile.
package final class Distributor: Sendable {
    /// One destination's queue, and which packets belong into it.
    package struct Outlet: Sendable {
        package var queue: PacketQueue
        package var tracks: Set<Track>
        /// True if it takes pixels or PCM instead of encoded packets.
        package var isRaw: Bool
        /// True if pauses reach it through this distributor: the one of its picture, or of its sound if it takes no picture.
        package var carriesMarks: Bool

        package init(queue: PacketQueue, tracks: Set<Track>, isRaw: Bool, carriesMarks: Bool) {
            self.queue = queue
            self.tracks = tracks
            self.isRaw = isRaw
            self.carriesMarks = carriesMarks
        }
    }

    private struct State {
        var outlets: [Outlet] = []
        /// The pause that is on, for outlets that join during it: encoded and raw packets may be at different places of the stream.
        var pause: [Bool: PauseMark] = [:]
    }

    private let state = Mutex(State())
    private let clips: ClipBuffer?

    /// - Parameter clips: keeps the last stretch of everything that is encoded.
    package init(clips: ClipBuffer?) {
        self.clips = clips
    }

    package func add(_ outlet: Outlet) {
        state.withLock { state in
            if outlet.carriesMarks, let pause = state.pause[outlet.isRaw] { outlet.queue.push(pause.element) }
            state.outlets.append(outlet)
        }
    }

    package func remove(_ queue: PacketQueue) {
        state.withLock { $0.outlets.removeAll { $0.queue === queue } }
    }

    package var isEmpty: Bool { state.withLock { $0.outlets.isEmpty } }

    /// Encoded packets, for the destinations that take them. True if a keyframe would help one of them.
    package func distribute(_ packets: [EncodedPacket]) -> Bool {
        guard !packets.isEmpty else { return false }
        let outlets = state.withLock { $0.outlets }
        var isKeyframeWanted = false
        for packet in packets {
            if packet.track == .screen || packet.track == .mixed { clips?.push(packet) }
            for outlet in outlets where !outlet.isRaw && outlet.tracks.contains(packet.track) && outlet.queue.push(packet) { isKeyframeWanted = true }
        }
        return isKeyframeWanted
    }

    /// Pixels or PCM, for the destinations that take them.
    package func distributeRaw(_ packet: EncodedPacket) {
        for outlet in state.withLock({ $0.outlets }) where outlet.isRaw && outlet.tracks.contains(packet.track) { outlet.queue.push(packet) }
    }

    /// The start or end of a pause, at this place of the stream of raw or of encoded packets.
    package func distribute(_ mark: PauseMark, raw: Bool) {
        state.withLock { state in
            if case .paused = mark { state.pause[raw] = mark } else { state.pause[raw] = nil }
            for outlet in state.outlets where outlet.carriesMarks && outlet.isRaw == raw { outlet.queue.push(mark.element) }
        }
    }

    /// The tracks that a destination takes, raw or encoded. What is kept for clips counts as `mixed`.
    package func tracks(raw: Bool) -> Set<Track> {
        let wanted = state.withLock { state in
            state.outlets.reduce(into: Set<Track>()) { if $1.isRaw == raw { $0.formUnion($1.tracks) } }
        }
        return clips != nil && !raw ? wanted.union([.mixed]) : wanted
    }
}
