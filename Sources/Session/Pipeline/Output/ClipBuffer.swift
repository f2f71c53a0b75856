import Media
import Synchronization

/// The last part of a broadcast as encoded packets, from which clips are saved. Thread-safe.
///
/// Its duration and its size are limited. It removes whole groups of pictures, so it always starts with a keyframe.
/// Pauses are left out, as in a recording.
package final class ClipBuffer: Sendable {
    /// The maximum size, which has priority over the duration: about 17 minutes at 4 Mbit/s.
    private static let byteLimit = 512 << 20

    /// A part to save. It starts with a keyframe.
    package struct Excerpt: Sendable {
        /// The session's time at its start.
        package var start: MediaTime
        package var duration: MediaTime
        /// Their times are relative to `start`.
        package var packets: [EncodedPacket]
    }

    /// A packet without the pauses before it.
    private struct Entry {
        var packet: EncodedPacket
        /// The duration of these pauses.
        var paused: MediaTime
    }

    private struct State {
        var entries: [Entry] = []
        var byteCount = 0
        /// An encoder with lookahead delivers sound before the picture and the mark of its time.
        var hold = SoundHold()
        var timeline = PauseTimeline()
        /// The revision of the rules for hidden windows whose `forget` was last. The rules of the start are revision
        /// zero.
        var wantedRules = 0
        /// The revision whose `keep` was last.
        var keptRules = 0
        /// True from `forget` until `keep` of the same revision.
        var isBlocked: Bool { keptRules < wantedRules }
        /// Pictures up to this time are not kept; nil for no limit.
        var end: MediaTime?
    }

    private let length: MediaTime
    private let state = Mutex(State())

    /// - Parameter length: the duration to keep.
    package init(length: MediaTime) {
        self.length = length
    }

    /// Adds a packet of the screen or of the mixed sound, and removes packets that are older than the duration.
    package func push(_ packet: EncodedPacket) {
        state.withLock { state in
            for packet in state.hold.add(packet) { keep(packet, &state) }
        }
    }

    private func keep(_ packet: EncodedPacket, _ state: inout State) {
        guard let placed = state.timeline.place(packet), !state.isBlocked else { return }
        if state.entries.isEmpty {
            guard packet.track == .screen, packet.isKeyframe, state.end.map({ packet.presentationTime > $0 }) ?? true
            else { return }
        }
        state.entries.append(Entry(packet: placed, paused: packet.presentationTime - placed.presentationTime))
        state.byteCount += placed.data.count
        // A group of pictures is complete when the next keyframe arrives.
        guard packet.track == .screen, packet.isKeyframe else { return }
        while let next = Self.secondGroup(state.entries),
            placed.decodeTime - state.entries[next].packet.decodeTime >= length || state.byteCount > Self.byteLimit
        {
            state.byteCount -= state.entries[..<next].reduce(0) { $0 + $1.packet.data.count }
            state.entries.removeFirst(next)
        }
    }

    /// Notes the start or the end of a pause, before the first picture that it concerns.
    package func note(_ mark: PauseMark) {
        state.withLock { state in
            switch mark {
            case .paused(let time): state.timeline.pause(at: time)
            case .resumed(let time): state.timeline.resume(at: time)
            }
        }
    }

    /// Forgets everything, because the user hides something that it shows. Nothing is kept until `keep` of that
    /// revision. Does nothing if it was called for that revision before.
    ///
    /// - Parameter revision: the revision of the rules for hidden windows in which something was hidden last. Call this
    ///   before a picture can follow that revision.
    package func forget(rules revision: Int) {
        state.withLock { state in
            guard revision > state.wantedRules else { return }
            state.wantedRules = revision
            state.entries = []
            state.byteCount = 0
        }
    }

    /// Keeps what is later than `time`, from the next keyframe on. A picture of the encoder's delay is not.
    ///
    /// - Parameter revision: the revision that each later picture follows.
    package func keep(rules revision: Int, after time: MediaTime?) {
        state.withLock { state in
            state.keptRules = max(revision, state.keptRules)
            state.end = time
        }
    }

    /// Returns the last `span` of the broadcast, from the keyframe before it. Returns nil if there are fewer than
    /// two pictures yet.
    ///
    /// - Parameter time: the session's time at which the excerpt ends; nil for the newest picture.
    package func excerpt(last span: MediaTime, until time: MediaTime? = nil) -> Excerpt? {
        var entries = state.withLock { $0.entries }
        if let time, let later = entries.firstIndex(where: { $0.packet.presentationTime + $0.paused > time }) {
            entries.removeSubrange(later...)
        }
        let packets = entries.map(\.packet)
        guard let end = packets.last(where: { $0.track == .screen })?.presentationTime else { return nil }
        let wanted = end - span
        let first =
            packets.lastIndex {
                $0.track == .screen && $0.isKeyframe && $0.presentationTime <= wanted && $0.presentationTime < end
            } ?? packets.startIndex
        let start = packets[first].decodeTime
        guard end > packets[first].presentationTime else { return nil }
        // Sound is behind the pictures of the same time, so its time is compared and not its position.
        let chosen = packets[first...].filter { $0.track == .screen || $0.presentationTime >= start }
        return Excerpt(
            start: start + entries[first].paused, duration: end - start,
            packets: chosen.map { $0.moved(by: -start) })
    }

    private static func secondGroup(_ entries: [Entry]) -> Int? {
        entries.indices.dropFirst().first { entries[$0].packet.track == .screen && entries[$0].packet.isKeyframe }
    }
}
