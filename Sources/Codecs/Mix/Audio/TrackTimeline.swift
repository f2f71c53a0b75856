import Media

/// The sound of one source on the session's timeline, with drift removed by resampling and gaps filled with silence.
///
/// Positions are in sample frames since the session's start.
struct TrackTimeline {
    /// The error in seconds above which the sound is treated as interrupted and is positioned again, if the next
    /// measurement has such an error in the same direction. The times of a busy server jitter.
    static let resynchronisation = 0.05
    /// The error in seconds above which the sound is positioned again at once.
    static let interruption = 0.09
    /// The mean error in seconds above which the sound is positioned again, if it is nearly the same in two windows.
    /// Resampling would take many seconds to remove such an error. On an overloaded machine the errors of two windows
    /// differ.
    static let lastingError = 0.02
    /// The difference of two mean errors in seconds that counts as nearly the same.
    static let similarError = 0.006
    /// The maximum length in seconds that the sound can be ahead of the mix. Sound further ahead is dropped: its clock
    /// is wrong, or a program delivers faster than real time.
    static let maximumAhead = 10.0

    /// The length in seconds over which errors are averaged.
    private static let window = 0.5
    /// The mean error in seconds that is not corrected after the first window. The first measurements are imprecise, so
    /// their mean corrects the position once.
    private static let tolerance = 0.005

    let format: AudioFormat
    private var resampler: StretchingResampler?
    private(set) var drift = DriftEstimator()
    private var samples: [Float] = []
    /// The position of the first frame in `samples`.
    private var start = 0
    /// The end of the sound, or nil before the first sound and after a reset.
    private var end: Int?
    /// The sum of error × frames, and the number of frames, in the current window.
    private var errors: (sum: Double, frames: Int) = (0, 0)
    /// The mean error of the window before.
    private var lastMean = 0.0
    /// The last error, if it was above `resynchronisation` and was not corrected.
    private var outlier: Double?
    /// True if the mix has passed the end of the sound, so the next sound is positioned by its time.
    private var isStarved = false
    /// True in the first window after the sound was positioned.
    private var isFirstWindow = true

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
        let limit = floor + Int(Self.maximumAhead * rate)
        guard target < Double(limit) else { return }
        if let end {
            let error = (target - Double(end + (resampler?.delay ?? 0))) / rate
            let isLarge = abs(error) > Self.resynchronisation
            if abs(error) > Self.interruption || isLarge && (isStarved || (outlier ?? 0) * error > 0) {
                relocate(to: Int(target.rounded()))
            } else if isLarge {
                outlier = error
            } else {
                outlier = nil
                follow(error: error, frames: sound.frameCount)
            }
        } else {
            relocate(to: Int(target.rounded()))
        }
        isStarved = false
        let stretched = resampler?.process(sound.samples) ?? sound.samples
        samples.append(contentsOf: stretched)
        end = start + samples.count / format.channelCount
        discard(before: floor)
        drop(after: limit)
    }

    /// Processes a measurement. The mean of a window corrects the position; after the first window, each measurement
    /// also controls the resampler.
    private mutating func follow(error: Double, frames: Int) {
        let rate = Double(format.sampleRate)
        if !isFirstWindow { resampler?.setStretch(drift.stretch(error: error, duration: Double(frames) / rate)) }
        errors.sum += error * Double(frames)
        errors.frames += frames
        guard Double(errors.frames) >= Self.window * rate, let end else { return }
        let mean = errors.sum / Double(errors.frames)
        let isLasting = abs(mean) > Self.lastingError && abs(mean - lastMean) < Self.similarError
        if isFirstWindow ? abs(mean) > Self.tolerance : isLasting { relocate(to: end + Int((mean * rate).rounded())) }
        errors = (0, 0)
        lastMean = mean
        isFirstWindow = false
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

    /// The highest amplitude of `count` frames from `position` on.
    func peak(from position: Int, count: Int) -> Float {
        let first = max(0, position - start) * format.channelCount
        let end = min(samples.count, (position + count - start) * format.channelCount)
        guard first < end else { return 0 }
        return samples[first..<end].reduce(0) { max($0, abs($1)) }
    }

    /// Moves the end of the sound to `position`. It fills a gap with silence and cuts an overlap off.
    private mutating func relocate(to position: Int) {
        errors = (0, 0)
        outlier = nil
        isFirstWindow = true
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

    private mutating func drop(after limit: Int) {
        let excess = min(availableEnd - limit, samples.count / format.channelCount)
        guard excess > 0 else { return }
        samples.removeLast(excess * format.channelCount)
        end = start + samples.count / format.channelCount
    }

    private mutating func discard(before position: Int) {
        guard start < position else { return }
        let count = min(samples.count / format.channelCount, position - start)
        samples.removeFirst(count * format.channelCount)
        start += count
        if samples.isEmpty { start = max(start, position) }
        if let end, end < start {
            self.end = start
            isStarved = true
        }
    }
}
