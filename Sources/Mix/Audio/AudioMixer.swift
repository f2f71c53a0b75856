import Media

/// Lays the sources' sound on one time line and gives it out in blocks, gapless, whatever the sources do.
///
/// A value of one thread, without a clock: the caller says how late it is. A source that gives nothing is silent.
package struct AudioMixer {
    /// How loud a source is in the mix.
    package struct Level: Sendable, Equatable {
        /// A factor on the amplitude.
        package var gain: Float
        package var isMuted: Bool

        package init(gain: Float = 1, isMuted: Bool = false) {
            self.gain = gain
            self.isMuted = isMuted
        }
    }

    /// How long sound that is not there yet is waited for.
    package static let patience = MediaTime(milliseconds: 80)

    package let format: AudioFormat
    package let blockLength: Int
    /// True where the mix is silent, whatever the sources give.
    package var isSilenced = false
    private var timelines: [Track: TrackTimeline] = [:]
    private var levels: [Track: Level] = [:]
    private var active: Set<Track> = []
    private var peaks: [Track: Float] = [:]
    private var limiters: [Track: Limiter] = [:]
    /// The next frame to give out.
    private var position: Int

    /// - Parameters:
    ///   - tracks: the sources, of `app` and `mic`.
    ///   - blockLength: sample frames of each block that comes out.
    ///   - start: the first block is the one that this time lies in.
    package init(
        format: AudioFormat = .broadcast, tracks: [Track], blockLength: Int = AudioTrackFormat.framesPerPacket, start: MediaTime = .zero
    ) {
        self.format = format
        self.blockLength = blockLength
        position = Int(start.value(timescale: Int64(format.sampleRate))) / blockLength * blockLength
        for track in [Track.app, .mic, .mixed] { limiters[track] = Limiter(sampleRate: format.sampleRate) }
        for track in tracks {
            timelines[track] = TrackTimeline(format: format)
            levels[track] = Level()
        }
    }

    /// Lays a piece of sound on the time line of its source.
    package mutating func feed(_ sample: SampleBuffer) {
        guard case .sound(let sound) = sample.payload, timelines[sample.track] != nil else { return }
        active.insert(sample.track)
        peaks[sample.track] = max(peaks[sample.track] ?? 0, sound.samples.reduce(0) { max($0, abs($1)) })
        timelines[sample.track]?.append(sound, at: sample.presentationTime, floor: position)
    }

    /// `track` gives no more sound for now: the mix no longer waits for it.
    package mutating func suspend(_ track: Track) {
        active.remove(track)
    }

    package mutating func setLevel(_ level: Level, of track: Track) {
        levels[track] = level
    }

    package func level(of track: Track) -> Level { levels[track] ?? Level() }

    /// The next block of the mix, or nil where it is not time for it yet: before its end is in the past, or while a source
    /// that is alive may still give sound for it.
    package mutating func nextBlock(now: MediaTime) -> SampleBuffer? {
        nextBlocks(of: [.mixed], now: now).first
    }

    /// The time of the next block, where it is time for it; see `nextBlock`.
    package func nextDueTime(now: MediaTime) -> MediaTime? {
        let end = position + blockLength
        let endTime = MediaTime(value: Int64(end), timescale: Int64(format.sampleRate))
        guard now >= endTime else { return nil }
        let isComplete = active.allSatisfy { (timelines[$0]?.availableEnd ?? end) >= end } && !active.isEmpty
        guard isComplete || now >= endTime + Self.patience else { return nil }
        return MediaTime(value: Int64(position), timescale: Int64(format.sampleRate))
    }

    /// The next blocks, one for each of `wanted`: the mix, and sources by themselves. All of one time; none where it is not time yet.
    package mutating func nextBlocks(of wanted: Set<Track>, now: MediaTime) -> [SampleBuffer] {
        guard nextDueTime(now: now) != nil else { return [] }
        let silence = [Float](repeating: 0, count: blockLength * format.channelCount)
        var blocks: [SampleBuffer] = []
        var mix = silence
        for track in [Track.app, .mic] {
            let level = levels[track] ?? Level()
            let gain = level.isMuted || isSilenced ? 0 : level.gain
            if wanted.contains(track) {
                var own = silence
                timelines[track]?.add(to: &own, from: position, gain: gain)
                for index in mix.indices { mix[index] += own[index] }
                blocks.append(block(own, of: track))
            } else {
                timelines[track]?.add(to: &mix, from: position, gain: gain)
            }
        }
        if wanted.contains(.mixed) { blocks.insert(block(mix, of: .mixed), at: 0) }
        position += blockLength
        return blocks
    }

    private mutating func block(_ samples: [Float], of track: Track) -> SampleBuffer {
        var samples = samples
        limiters[track]?.process(&samples)
        let time = MediaTime(value: Int64(position), timescale: Int64(format.sampleRate))
        return SampleBuffer(track: track, presentationTime: time, payload: .sound(Sound(format: format, samples: samples)))
    }

    /// When the next block is due at the latest.
    package var nextDeadline: MediaTime {
        MediaTime(value: Int64(position + blockLength), timescale: Int64(format.sampleRate)) + Self.patience
    }

    /// The lasting drift of a source's clock in parts per million.
    package func drift(of track: Track) -> Double { timelines[track]?.drift.partsPerMillion ?? 0 }

    /// The highest amplitude that a source gave since the last call, before its gain: 1 is full scale.
    package mutating func takePeak(of track: Track) -> Float { peaks.removeValue(forKey: track) ?? 0 }
}
