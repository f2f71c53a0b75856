import Media

/// Adds up the sound of several streams of one server, which arrives in separate pieces.
///
/// A stream is positioned on the common timeline once by its time. Its later pieces follow without a gap, because the
/// server's times jitter by milliseconds and corrections would be audible. Positions are sample frames on that
/// timeline.
package struct SoundSum {
    /// The maximum time to wait for a stream without sound while other streams have sound.
    package static let streamTimeout = MediaTime(milliseconds: 40)
    /// A stream that has delivered nothing for this many sample frames, such as a player that is paused, is not waited
    /// for.
    private static let absence = 9600
    /// The distance in sample frames from the end of the previous piece above which a piece is treated as interrupted
    /// and is positioned again.
    private static let resynchronisation = 2400
    /// The fraction of each error by which the timeline follows the clock of the first stream that is not absent.
    private static let gain = 0.02

    private struct Lane {
        var samples: [Float] = []
        /// The position after the last available frame.
        var end: Int
    }

    package init() {}

    private let format = AudioFormat.broadcast
    private var lanes: [UInt32: Lane] = [:]
    /// The time of position 0 in seconds, or nil before the first sound.
    private var origin: Double?
    /// The next frame to return.
    private var position = 0

    /// Adds `sound`, whose first frame was recorded at `time`.
    package mutating func add(_ sound: Sound, at time: MediaTime, from stream: UInt32) {
        let rate = Double(format.sampleRate)
        let origin = self.origin ?? time.seconds - Double(position) / rate
        self.origin = origin
        let target = Int(((time.seconds - origin) * rate).rounded())
        // After silence, the timeline continues at the new sound.
        if lanes.values.allSatisfy({ $0.end <= position }) && target > position + Self.resynchronisation {
            position = target
        }
        var lane = lanes[stream] ?? Lane(end: Int.min / 2)
        if abs(target - lane.end) > Self.resynchronisation {
            lane = Lane(end: target)
        } else if stream == presentLanes.keys.min() {
            self.origin = origin + Double(target - lane.end) / rate * Self.gain
        }
        lane.samples += sound.samples
        lane.end += sound.frameCount
        lanes[stream] = lane
        discardBeforePosition(of: stream)
    }

    /// Removes `stream`, which delivers no more sound.
    package mutating func remove(_ stream: UInt32) {
        lanes[stream] = nil
    }

    /// Returns the next piece that all streams have, or that is available for long enough from some of them. Returns
    /// nil if no piece is due.
    package mutating func take(now: MediaTime) -> (sound: Sound, time: MediaTime)? {
        let live = lanes.values.filter { $0.end > position }
        guard let origin, let end = live.map(\.end).min() else { return nil }
        let time = MediaTime(seconds: origin + Double(position) / Double(format.sampleRate))
        let awaited = presentLanes.count
        guard live.count == awaited || now - time >= Self.streamTimeout + MediaTime(milliseconds: 20) else {
            return nil
        }
        let channels = format.channelCount
        var mix = [Float](repeating: 0, count: (end - position) * channels)
        for lane in live {
            let offset = lane.end * channels - lane.samples.count - position * channels
            for index in 0..<max(0, min(lane.samples.count, mix.count - offset)) {
                mix[offset + index] += lane.samples[index]
            }
        }
        position = end
        for stream in lanes.keys { discardBeforePosition(of: stream) }
        return (Sound(format: format, samples: mix), time)
    }

    /// The streams that have delivered something recently.
    private var presentLanes: [UInt32: Lane] { lanes.filter { $0.value.end > position - Self.absence } }

    private mutating func discardBeforePosition(of stream: UInt32) {
        guard let lane = lanes[stream] else { return }
        let excess = lane.samples.count - max(0, lane.end - position) * format.channelCount
        if excess > 0 { lanes[stream]?.samples.removeFirst(min(excess, lane.samples.count)) }
    }
}
