import Concurrency
import Media

/// The status of a sound track.
package struct SoundStatus: Sendable {
    /// The PulseAudio source, file or program; nil while no source is open.
    package var name: String?
    /// Why no source is open; nil while one is, and before that is known.
    package var problem: PipelineNotice?
    /// The highest peak of the last second in dB below full scale; nil if there was no sound.
    package var level: Double?
    /// The difference between the source's clock and the session's clock, in ppm.
    package var drift = 0.0
    package var isMuted = false
}

/// Passes sound from the recording threads to the mixing thread, and commands of the session to both. Thread-safe.
/// Writers never wait.
///
/// A recording thread puts pieces of 48 kHz stereo with their times. It calls `started` when its source delivers sound,
/// and `suspend` when it does not.
package final class SoundInbox: Sendable {
    /// The items that the mixing thread takes at a time.
    package struct Work {
        package var samples: [SampleBuffer] = []
        /// The tracks whose sources deliver no sound at present.
        package var suspended: Set<Track> = []
        /// The time up to which sound is mixed; nil before the end of the session.
        package var end: MediaTime?
        package var isLocked = false
        /// True if at least one track is recorded.
        package var isRecording = false
    }

    private struct State {
        var work = Work()
        var statuses: [Track: SoundStatus] = [:]
        /// The tracks that are recorded at present.
        var wanted: Set<Track>
    }

    private let state: Monitor<State>

    /// - Parameter wanted: the tracks that are recorded from the start.
    package init(wanted: Set<Track>) {
        state = Monitor(State(wanted: wanted))
    }

    // MARK: The recording threads

    /// Adds sound. Discards it if its track is not recorded.
    package func put(_ sample: SampleBuffer) {
        state.update { if $0.wanted.contains(sample.track) { $0.work.samples.append(sample) } }
    }

    /// Sets the name of the source of `track`.
    package func started(_ track: Track, name: String) {
        state.withLock { state in
            state.statuses[track, default: SoundStatus()].name = name
            state.statuses[track]?.problem = nil
        }
    }

    /// Reports that the sources of `tracks` deliver no sound at present.
    package func suspend(_ tracks: [Track], because problem: PipelineNotice?) {
        state.update { state in
            for track in tracks {
                state.statuses[track, default: SoundStatus()].name = nil
                state.statuses[track]?.problem = problem
                state.work.suspended.insert(track)
            }
        }
    }

    /// The tracks that are recorded at present.
    package var wanted: Set<Track> { state.withLock { $0.wanted } }

    /// Waits until `track` is recorded. Returns false at the end of the session.
    package func waitUntilWanted(_ track: Track) -> Bool {
        state.wait { $0.work.end != nil ? false : $0.wanted.contains(track) ? true : nil } ?? false
    }

    // MARK: The mixing thread

    /// Takes all items. Waits for sound, at most until `deadline` in nanoseconds of `CLOCK_MONOTONIC`.
    package func take(until deadline: Int64) -> Work {
        let take = { (state: inout State) -> Work in
            defer {
                state.work.samples = []
                state.work.suspended = []
            }
            state.work.isRecording = !state.wanted.isEmpty
            return state.work
        }
        let work = state.wait(until: deadline) { state in
            state.work.samples.isEmpty && state.work.suspended.isEmpty ? nil : take(&state)
        }
        return work ?? state.withLock { take(&$0) }
    }

    /// Sets the figures of the recorded tracks.
    package func publish(_ figures: (Track) -> (level: Double?, drift: Double, isMuted: Bool)) {
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

    /// Returns the status of a track; nil if it is not recorded.
    package func status(of track: Track) -> SoundStatus? {
        state.withLock { $0.wanted.contains(track) ? $0.statuses[track] ?? SoundStatus() : nil }
    }

    /// Starts or stops the recording of `track`. At a stop, the track's sound in the inbox is discarded.
    ///
    /// - Parameter choose: receives true if the track is recorded, and returns true if it should be.
    /// - Returns: true if the track is recorded from now on.
    package func setWanted(_ track: Track, _ choose: (Bool) -> Bool) -> Bool {
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

    /// Sets whether the screen is locked. While it is locked, all sound is silent.
    package func setLocked(_ locked: Bool) {
        state.update { $0.work.isLocked = locked }
    }

    /// Ends the sound at `time`. Later calls change nothing.
    package func end(at time: MediaTime) {
        state.update { $0.work.end = $0.work.end ?? time }
    }
}
