import Media

/// The sound of one source on the session's timeline, with drift removed by resampling and gaps filled with silence.
///
/// Positions are in sample frames since the session's start.
struct TrackTimeline {
    /// The error in seconds above which the sound is treated as interrupted and is positioned again.
    static let resynchronisation = 0.05
    /// The maximum length in seconds that the sound can be ahead of the mix. Sound further ahead is dropped, because a
    /// clock must be wrong.
    static let maximumAhead = 10.0

    /// The length of the trial in seconds. The first measurements are imprecise, so their mean over the trial corrects
    /// the position once.
    private static let trial = 0.5
    /// The error in seconds that is not corrected after the trial.
    private static let tolerance = 0.005

    let format: AudioFormat
    private var resampler: StretchingResampler?
    private(set) var drift = DriftEstimator()
    private var samples: [Float] = []
    /// The position of the first frame in `samples`.
    private var start = 0
    /// The end of the sound, or nil before the first sound and after a reset.
    private var end: Int?
    /// The sum of error × frames, and the number of frames, since the sound was positioned. Nil after the trial.
    private var trial: (error: Double, frames: Int)?

    init(format: AudioFormat) {
        self.format = format
        resampler = StretchingResampler(format: format)
    }

    /// The position after the last available frame.
    var availableEnd: Int { end ?? start }

    /// Appends `sound`, whose first frame was recorded at `time`. Sound before `floor`, which is already mixed, is
    /// discarded.
    mutating func append(_ sound: Sound, at time: MediaTime, floor: Int) {
        let rate = Double(format.sampleRate)
        let target = time.seconds * rate
        if let end {
            let error = (target - Double(end + (resampler?.delay ?? 0))) / rate
            if abs(error) > Self.resynchronisation {
                relocate(to: Int(target.rounded()))
            } else {
                follow(error: error, frames: sound.frameCount)
            }
        } else {
            relocate(to: Int(target.rounded()))
        }
        let stretched = resampler?.process(sound.samples) ?? sound.samples
        samples.append(contentsOf: stretched)
        end = start + samples.count / format.channelCount
        discard(before: floor)
        if availableEnd - floor > Int(Self.maximumAhead * rate) { reset(at: floor) }
    }

    /// Processes a measurement. During the trial it is only accumulated; after the trial it controls the resampler.
    private mutating func follow(error: Double, frames: Int) {
        let rate = Double(format.sampleRate)
        guard var trial else {
            resampler?.setStretch(drift.stretch(error: error, duration: Double(frames) / rate))
            return
        }
        trial.error += error * Double(frames)
        trial.frames += frames
        self.trial = trial
        guard Double(trial.frames) >= Self.trial * rate, let end else { return }
        let mean = trial.error / Double(trial.frames)
        if abs(mean) > Self.tolerance { relocate(to: end + Int((mean * rate).rounded())) }
        self.trial = nil
    }

    /// Adds the frames from `position` on to `mix`, multiplied by `gain`. Missing frames are silence. Discards all
    /// frames before `position`.
    mutating func add(to mix: inout [Float], from position: Int, gain: Float) {
        discard(before: position)
        let offset = (start - position) * format.channelCount
        let count = min(samples.count, mix.count - offset)
        guard count > 0, offset >= 0 else { return }
        for index in 0..<count { mix[offset + index] += samples[index] * gain }
    }

    /// Moves the end of the sound to `position`. It fills a gap with silence and cuts an overlap off.
    private mutating func relocate(to position: Int) {
        trial = (0, 0)
        let channels = format.channelCount
        guard end != nil, position >= start, position - start < Int(Self.maximumAhead) * format.sampleRate else {
            samples.removeAll()
            start = position
            end = position
            return
        }
        let length = (position - start) * channels
        if length > samples.count {
            samples.append(contentsOf: repeatElement(0, count: length - samples.count))
        } else {
            samples.removeLast(samples.count - length)
        }
        end = position
    }

    private mutating func reset(at position: Int) {
        samples.removeAll()
        start = position
        end = nil
    }

    private mutating func discard(before position: Int) {
        guard start < position else { return }
        let count = min(samples.count / format.channelCount, position - start)
        samples.removeFirst(count * format.channelCount)
        start += count
        if samples.isEmpty { start = max(start, position) }
        if let end, end < start { self.end = start }
    }
}
