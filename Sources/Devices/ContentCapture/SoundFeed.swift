import Concurrency
import Media
import Synchronization

/// Receives the sound of an application that runs a session in its own process: 48 kHz stereo, in real time.
package final class SoundFeed: Sendable {
    /// Sound that is this much ahead of the session is dropped (`TrackTimeline.maximumAhead`).
    private static let maximumAhead = MediaTime(milliseconds: 10_000)

    private struct State {
        var clock: SessionClock?
        var timeline = ArrivalTimeline(sampleRate: AudioFormat.broadcast.sampleRate)
        var deliver: (@Sendable (SampleBuffer) -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Starts to pass sound to `deliver`.
    package func begin(clock: SessionClock, deliver: @escaping @Sendable (SampleBuffer) -> Void) {
        state.withLock { state in
            state.clock = clock
            state.deliver = deliver
        }
    }

    /// Stops passing sound on.
    package func end() {
        state.withLock { $0.deliver = nil }
    }

    /// Adds interleaved stereo samples, full scale at ±1. Samples before the start of the session are discarded.
    ///
    /// - Returns: false if the last samples are too far ahead of the session, and are dropped.
    @discardableResult package func push(_ samples: [Float]) -> Bool {
        let (sample, deliver, isComplete) = state.withLock {
            state -> (SampleBuffer?, (@Sendable (SampleBuffer) -> Void)?, Bool) in
            guard let clock = state.clock, let deliver = state.deliver, samples.count >= 2 else {
                return (nil, nil, true)
            }
            let now = clock.now
            let time = state.timeline.place(samples.count / 2, now: now)
            let end =
                time + MediaTime(value: Int64(samples.count / 2), timescale: Int64(AudioFormat.broadcast.sampleRate))
            let sound = Sound(format: .broadcast, samples: Array(samples.prefix(samples.count & ~1)))
            return (
                SampleBuffer(track: .app, presentationTime: time, payload: .sound(sound)), deliver,
                end - now <= Self.maximumAhead
            )
        }
        if let sample { deliver?(sample) }
        return isComplete
    }
}
