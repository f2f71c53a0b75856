import Media

/// Mixes the sound of several sources on one timeline and returns it in blocks without gaps.
///
/// A source that delivers no sound is silent. Use the mixer on one thread. It does not read a clock: the caller passes
/// the time.
package struct AudioMixer {
    /// The level of a source in the mix.
    package struct Level: Sendable, Equatable {
        /// A linear factor for the amplitude.
        package var gain: Float
        package var isMuted: Bool

        package init(gain: Float = 1, isMuted: Bool = false) {
            self.gain = gain
            self.isMuted = isMuted
        }
    }

    /// The maximum time to wait for sound of an active source.
    package static let soundTimeout = MediaTime(milliseconds: 80)
    /// The number of blocks that are returned together while nothing is recorded, so that silence needs few wake-ups.
    private static let silentBlocks = 4

    package let format: AudioFormat
    /// The length of a whole block in sample frames.
    package let blockLength: Int
    /// If true, blocks are halves, so that an encoder with short packets gets sound earlier. Takes effect with the next
    /// whole block.
    package var isHalved = false
    /// If true, the mix is silent.
    package var isSilenced = false
    /// The sources that are silent.
    package var silencedTracks: Set<Track> = []
    /// False if no source is recorded, so that there is no sound to wait for.
    package var awaitsSound = true
    private var timelines: [Track: TrackTimeline] = [:]
    private var levels: [Track: Level] = [:]
    private var active: Set<Track> = []
    private var peaks: [Track: Float] = [:]
    private var limiters: [Track: Limiter] = [:]
    /// The next frame to return, in sample frames since the session's start.
    private var position: Int

    /// - Parameters:
    ///   - tracks: the sources, `app` and `mic`.
    ///   - blockLength: the length of a whole block in sample frames. Even.
    ///   - start: the first block is the block that contains this time.
    package init(
        format: AudioFormat = .broadcast, tracks: [Track], blockLength: Int = AudioTrackFormat.framesPerPacket,
        start: MediaTime = .zero
    ) {
        self.format = format
        precondition(blockLength.isMultiple(of: 2))
        self.blockLength = blockLength
        position = Int(start.value(timescale: Int64(format.sampleRate))) / blockLength * blockLength
        for track in [Track.app, .mic, .mixed] { limiters[track] = Limiter(sampleRate: format.sampleRate) }
        for track in tracks {
            timelines[track] = TrackTimeline(format: format)
            levels[track] = Level()
        }
    }

    /// True if the next block begins a whole one.
    package var isAtWholeBlock: Bool { position.isMultiple(of: blockLength) }

    /// The length of the next block.
    private var nextLength: Int { isAtWholeBlock && !isHalved ? blockLength : blockLength / 2 }

    /// Adds a piece of sound to the timeline of its source.
    package mutating func feed(_ sample: SampleBuffer) {
        guard case .sound(var sound) = sample.payload, timelines[sample.track] != nil else { return }
        sound = sound.sanitized
        active.insert(sample.track)
        timelines[sample.track]?.append(sound, at: sample.presentationTime, floor: position)
    }

    /// Marks `track` as inactive: the mixer no longer waits for its sound.
    package mutating func suspend(_ track: Track) {
        active.remove(track)
    }

    package mutating func setLevel(_ level: Level, of track: Track) {
        levels[track] = level
    }

    package func level(of track: Track) -> Level { levels[track] ?? Level() }

    /// Returns the start of the next block; nil if the end of the block is in the future, or if an active source can
    /// still deliver sound for it.
    package func nextDueTime(now: MediaTime) -> MediaTime? {
        let end = position + nextLength
        let endTime = MediaTime(value: Int64(end), timescale: Int64(format.sampleRate))
        guard now >= endTime else { return nil }
        let isComplete = active.allSatisfy { (timelines[$0]?.availableEnd ?? end) >= end } && !active.isEmpty
        guard isComplete || !awaitsSound || now >= endTime + Self.soundTimeout else { return nil }
        return MediaTime(value: Int64(position), timescale: Int64(format.sampleRate))
    }

    /// Returns the next block of each track in `wanted`: the mix, or a single source. All blocks start at the same
    /// time. Returns an empty array if no block is due.
    package mutating func nextBlocks(of wanted: Set<Track>, now: MediaTime) -> [SampleBuffer] {
        guard nextDueTime(now: now) != nil else { return [] }
        let length = nextLength
        let silence = [Float](repeating: 0, count: length * format.channelCount)
        var blocks: [SampleBuffer] = []
        var mix = silence
        for track in [Track.app, .mic] {
            let level = levels[track] ?? Level()
            let gain = level.isMuted || isSilenced || silencedTracks.contains(track) ? 0 : level.gain
            // The meter shows what viewers hear now. A player can be seconds ahead.
            let peak = timelines[track]?.peak(from: position, count: length) ?? 0
            peaks[track] = max(peaks[track] ?? 0, peak)
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
        position += length
        return blocks
    }

    private mutating func block(_ samples: [Float], of track: Track) -> SampleBuffer {
        var samples = samples
        limiters[track]?.process(&samples)
        let time = MediaTime(value: Int64(position), timescale: Int64(format.sampleRate))
        return SampleBuffer(
            track: track, presentationTime: time, payload: .sound(Sound(format: format, samples: samples)))
    }

    /// The time at which the next block should be returned even if sound is missing.
    package var nextDeadline: MediaTime {
        guard awaitsSound else {
            return MediaTime(
                value: Int64(position + Self.silentBlocks * blockLength), timescale: Int64(format.sampleRate))
        }
        return MediaTime(value: Int64(position + nextLength), timescale: Int64(format.sampleRate)) + Self.soundTimeout
    }

    /// The long-term drift of a source's clock in parts per million. It is positive if the source's clock is slow.
    package func drift(of track: Track) -> Double { timelines[track]?.drift.partsPerMillion ?? 0 }

    /// Returns the highest amplitude of a source in the blocks that were returned since the last call, before its gain.
    /// Full scale is 1.
    package mutating func takePeak(of track: Track) -> Float { peaks.removeValue(forKey: track) ?? 0 }
}
