import Media
import Synchronization

/// Adds each packet to the queue of every destination that takes it. Thread-safe. Encoder threads call it, and no call
/// waits. Destinations can be added and removed at any time.
package final class Distributor: Sendable {
    /// What packets contain.
    package enum Coding: Sendable, CaseIterable {
        /// H.264 and AAC.
        case usual
        case opus
        /// Pixels and PCM.
        case raw
    }

    /// The queue of one destination, and the packets that it takes.
    package struct Outlet: Sendable {
        package var queue: PacketQueue
        /// The tracks that the destination takes.
        package var tracks: Set<Track>
        package var coding: Coding
        /// True if this distributor delivers the pause marks: the distributor of the destination's picture, or that of
        /// its sound if it takes no picture.
        package var carriesMarks: Bool

        package init(queue: PacketQueue, tracks: Set<Track>, coding: Coding = .usual, carriesMarks: Bool) {
            self.queue = queue
            self.tracks = tracks
            self.coding = coding
            self.carriesMarks = carriesMarks
        }
    }

    private struct State {
        var outlets: [Outlet] = []
        /// The current pause, for outlets that join during the pause. Raw and encoded packets can be at different
        /// positions in the stream.
        var pause: [Coding: PauseMark] = [:]
    }

    private let state = Mutex(State())
    private let clips: ClipBuffer?
    private let marksClips: Bool

    /// - Parameters:
    ///   - clips: receives the encoded packets of the screen and of the mixed sound; nil if clips are off.
    ///   - marksClips: true if this distributor tells the clips about pauses: that of the picture.
    package init(clips: ClipBuffer?, marksClips: Bool = true) {
        self.clips = clips
        self.marksClips = marksClips
    }

    /// The clips begin again with the next keyframe after `time`, after `ClipBuffer.forget`.
    package func keepClips(rules revision: Int, after time: MediaTime?) {
        clips?.keep(rules: revision, after: time)
    }

    /// Adds an outlet. If the session is paused, its queue first receives the pause mark.
    package func add(_ outlet: Outlet) {
        state.withLock { state in
            if outlet.carriesMarks, let pause = state.pause[outlet.coding] { outlet.queue.push(pause.element) }
            state.outlets.append(outlet)
        }
    }

    /// Removes the outlet of `queue`.
    package func remove(_ queue: PacketQueue) {
        state.withLock { $0.outlets.removeAll { $0.queue === queue } }
    }

    /// True if there are no outlets.
    package var isEmpty: Bool { state.withLock { $0.outlets.isEmpty } }

    /// Distributes packets. Returns true if a destination needs a keyframe.
    @discardableResult package func distribute(_ packets: [EncodedPacket], _ coding: Coding = .usual) -> Bool {
        guard !packets.isEmpty else { return false }
        let outlets = state.withLock { $0.outlets }
        var isKeyframeWanted = false
        for packet in packets {
            if coding == .usual, packet.track == .screen || packet.track == .mixed { clips?.push(packet) }
            for outlet in outlets
            where outlet.coding == coding && outlet.tracks.contains(packet.track) && outlet.queue.push(packet) {
                isKeyframeWanted = true
            }
        }
        return isKeyframeWanted
    }

    /// Distributes the start or the end of a pause at the current position of the packets with a coding.
    package func distribute(_ mark: PauseMark, _ coding: Coding = .usual) {
        if coding == .usual, marksClips { clips?.note(mark) }
        state.withLock { state in
            if case .paused = mark { state.pause[coding] = mark } else { state.pause[coding] = nil }
            for outlet in state.outlets where outlet.carriesMarks && outlet.coding == coding {
                outlet.queue.push(mark.element)
            }
        }
    }

    /// Returns the tracks that at least one destination takes with a coding. The clip buffer takes `mixed`.
    package func tracks(_ coding: Coding = .usual) -> Set<Track> {
        let wanted = state.withLock { state in
            state.outlets.reduce(into: Set<Track>()) { if $1.coding == coding { $0.formUnion($1.tracks) } }
        }
        return clips != nil && coding == .usual ? wanted.union([.mixed]) : wanted
    }
}
