import Concurrency
import Media

/// How a source of sound is doing.
struct SoundStatus: Sendable {
    /// The PulseAudio source, file or program; nil while there is none.
    var name: String?
    /// The highest peak of the last second in dB below full scale; nil if nothing was heard.
    var level: Double?
    /// ppm between the source's clock and the session's.
    var drift = 0.0
    var isMuted = false
}

/// What the recording threads leave for the mixing thread, and what the session asks of both. Nothing waits to put something in.
final class SoundInbox: Sendable {
    /// What the mixing thread takes at once.
    struct Work {
        var samples: [SampleBuffer] = []
        /// Tracks that give nothing for now.
        var suspended: Set<Track> = []
        /// The time up to which sound is still wanted; nil while the session goes on.
        var end: MediaTime?
        var isLocked = false
    }

    private struct State {
        var work = Work()
        var statuses: [Track: SoundStatus] = [:]
        /// The tracks that are recorded now.
        var wanted: Set<Track>
    }

    private let state: Monitor<State>

    /// - Parameter wanted: the tracks that are recorded from the start.
    init(wanted: Set<Track>) {
        state = Monitor(State(wanted: wanted))
    }

    // MARK: The recording threads

    func put(_ sample: SampleBuffer) {
        state.update { if $0.wanted.contains(sample.track) { $0.work.samples.append(sample) } }
    }

    /// `track` comes from the source of this name.
    func started(_ track: Track, name: String) {
        state.withLock { $0.statuses[track, default: SoundStatus()].name = name }
    }

    /// `tracks` give no sound for now.
    func suspend(_ tracks: [Track]) {
        state.update { state in
            for track in tracks {
                state.statuses[track]?.name = nil
                state.work.suspended.insert(track)
            }
        }
    }

    /// The tracks that are recorded now.
    var wanted: Set<Track> { state.withLock { $0.wanted } }

    /// Returns when a track is wanted, at the end, or after 100 ms.
    func waitUntilWanted(_ track: Track) {
        _ = state.wait(until: SessionClock.monotonic() + 100_000_000) { $0.wanted.contains(track) || $0.work.end != nil ? true : nil }
    }

    // MARK: The mixing thread

    /// Waits for sound, at most until `deadline` on `CLOCK_MONOTONIC`, and takes what there is.
    func take(until deadline: Int64) -> Work {
        let take = { (state: inout State) -> Work in
            defer {
                state.work.samples = []
                state.work.suspended = []
            }
            return state.work
        }
        let work = state.wait(until: deadline) { state in
            state.work.samples.isEmpty && state.work.suspended.isEmpty ? nil : take(&state)
        }
        return work ?? state.withLock { take(&$0) }
    }

    /// Publishes figures of the recorded tracks.
    func publish(_ figures: (Track) -> (level: Double?, drift: Double, isMuted: Bool)) {
        state.withLock { state in
            for track in state.wanted {
                let (level, drift, isMuted) = figures(track)
                state.statuses[track, default: SoundStatus()].level = level
                state.statuses[track, default: SoundStatus()].drift = drift
                state.statuses[track, default: SoundStatus()].isMuted = isMuted
            }
        }
    }

    // MARK: The session

    /// Nil if the track is not recorded.
    func status(of track: Track) -> SoundStatus? {
        state.withLock { $0.wanted.contains(track) ? $0.statuses[track] ?? SoundStatus() : nil }
    }

    /// Starts or stops to record `track`. When it stops, sound of the track in the inbox is discarded.
    ///
    /// - Parameter choose: gets whether it is recorded now, returns whether it should be.
    /// - Returns: whether it is recorded from now on.
    func setWanted(_ track: Track, _ choose: (Bool) -> Bool) -> Bool {
        state.update { state in
            let isOn = choose(state.wanted.contains(track))
            if isOn {
                state.wanted.insert(track)
            } else {
                state.wanted.remove(track)
                state.work.suspended.insert(track)
                state.work.samples.removeAll { $0.track == track }
            }
            return isOn
        }
    }

    /// While the screen is locked everything is silent.
    func setLocked(_ locked: Bool) {
        state.update { $0.work.isLocked = locked }
    }

    /// Sound is mixed up to `time`.
    func end(at time: MediaTime) {
        state.update { $0.work.end = $0.work.end ?? time }
    }
}
