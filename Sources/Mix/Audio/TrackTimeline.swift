import Media

/// One source's sound, laid on the session's time line: drift resampled away, gaps filled with silence.
///
/// Positions are sample frames since the session's start.
struct TrackTimeline {
    /// Sound this far from where it should lie was interrupted, not merely late: it is laid anew.
    static let resynchronisation = 0.05
    /// Sound that runs further ahead of the mix than this is dropped: someone's clock is broken.
    static let maximumAhead = 10.0

    /// The first measurements after a start are the roughest: their mean over so many seconds sets the sound right once.
    private static let trial = 0.5
    /// Sound that lies this near is left where it is.
    private static let tolerance = 0.005

    let format: AudioFormat
    private var resampler: StretchingResampler?
    private(set) var drift = DriftEstimator()
    private var samples: [Float] = []
    /// The position of the first frame of `samples`.
    private var start = 0
    /// The end of what has been laid; nil before the first sound and after a reset.
    private var end: Int?
    /// The sum of errors times frames, and the frames, since the sound was laid anew; nil once it has been set right.
    private var trial: (error: Double, frames: Int)?

    init(format: AudioFormat) {
        self.format = format
        resampler = StretchingResampler(format: format)
    }

    /// One past the last frame that is there.
    var availableEnd: Int { end ?? start }

    /// Lays `sound`, whose first frame was heard at `time`. Nothing is laid before `floor`, which has been mixed already.
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

    /// Takes a measurement: during the trial it is only noted, then it is followed.
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

    /// Adds the frames from `position` on to `mix`, times `gain`; what is missing is silence. What was before is forgotten.
    mutating func add(to mix: inout [Float], from position: Int, gain: Float) {
        discard(before: position)
        let offset = (start - position) * format.channelCount
        let count = min(samples.count, mix.count - offset)
        guard count > 0, offset >= 0 else { return }
        for index in 0..<count { mix[offset + index] += samples[index] * gain }
    }

    /// Moves the end of what was laid to `position`: silence fills a gap, an overlap is cut off.
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
