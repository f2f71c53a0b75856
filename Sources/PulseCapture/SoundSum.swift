import Media

/// Adds up sound that comes in several streams of one server, each in its own pieces.
///
/// A stream is laid on the common line by its time once, and then piece after piece: what the server tells of times wavers by milliseconds,
/// and following that would be heard. Positions are sample frames on that line.
package struct SoundSum {
    /// A stream that has nothing is waited for so long, where others have sound.
    package static let patience = MediaTime(milliseconds: 40)
    /// A piece this far from where the one before ended was interrupted: it is laid anew, in sample frames.
    private static let resynchronisation = 2400
    /// The line follows the first stream's clock by this part of each error.
    private static let gain = 0.02

    private struct Lane {
        var samples: [Float] = []
        /// One past the last frame that is there.
        var end: Int
    }

    package init() {}

    private let format = AudioFormat.broadcast
    private var lanes: [UInt32: Lane] = [:]
    /// When position 0 was heard, in seconds; nil before the first sound.
    private var origin: Double?
    /// The next frame to give out.
    private var position = 0

    /// Lays `sound`, whose first frame was heard at `time`.
    package mutating func add(_ sound: Sound, at time: MediaTime, from stream: UInt32) {
        let rate = Double(format.sampleRate)
        let origin = self.origin ?? time.seconds - Double(position) / rate
        self.origin = origin
        let target = Int(((time.seconds - origin) * rate).rounded())
        // After silence the line goes on where the new sound is.
        if lanes.values.allSatisfy({ $0.end <= position }) && target > position + Self.resynchronisation { position = target }
        var lane = lanes[stream] ?? Lane(end: Int.min / 2)
        if abs(target - lane.end) > Self.resynchronisation {
            lane = Lane(end: target)
        } else if stream == lanes.keys.min() {
            self.origin = origin + Double(target - lane.end) / rate * Self.gain
        }
        lane.samples += sound.samples
        lane.end += sound.frameCount
        lanes[stream] = lane
        discardBeforePosition(of: stream)
    }

    /// `stream` gives no more.
    package mutating func remove(_ stream: UInt32) {
        lanes[stream] = nil
    }

    /// The next piece that all streams have, or that some have had for long enough; nil where it is not time for it.
    package mutating func take(now: MediaTime) -> (sound: Sound, time: MediaTime)? {
        let live = lanes.values.filter { $0.end > position }
        guard let origin, let end = live.map(\.end).min() else { return nil }
        let time = MediaTime(seconds: origin + Double(position) / Double(format.sampleRate))
        guard live.count == lanes.count || now - time >= Self.patience + MediaTime(milliseconds: 20) else { return nil }
        let channels = format.channelCount
        var mix = [Float](repeating: 0, count: (end - position) * channels)
        for lane in live {
            let offset = lane.end * channels - lane.samples.count - position * channels
            for index in 0..<max(0, min(lane.samples.count, mix.count - offset)) { mix[offset + index] += lane.samples[index] }
        }
        position = end
        for stream in lanes.keys { discardBeforePosition(of: stream) }
        return (Sound(format: format, samples: mix), time)
    }

    private mutating func discardBeforePosition(of stream: UInt32) {
        guard let lane = lanes[stream] else { return }
        let excess = lane.samples.count - max(0, lane.end - position) * format.channelCount
        if excess > 0 { lanes[stream]?.samples.removeFirst(min(excess, lane.samples.count)) }
    }
}
