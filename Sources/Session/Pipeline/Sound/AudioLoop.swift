import Capture
import Concurrency
import ContentCapture
import Encode
import Media
import Mix
import Opus
import PulseCapture
import Synchronization
import WindowPrivacy

/// The sound of a session: its recording threads, and the thread that mixes and encodes.
///
/// The mixer follows the session's clock, so the sound has no gaps even if PulseAudio stops.
final class AudioLoop: Sendable {
    private static let blockDuration = MediaTime(
        value: Int64(AudioTrackFormat.framesPerPacket), timescale: Int64(AudioFormat.broadcast.sampleRate))

    /// The number of packets that are delivered together at most, for example after the thread was stopped for seconds.
    private static let maximumPackets = 8

    private let configuration: MediaConfiguration.Audio
    private let distributor: Distributor
    private let disclosure: Disclosure
    private let inbox: SoundInbox
    private let recorder: SoundRecorder
    /// The rules that mute the sound of applications; nil if nothing does.
    private let mutingRules: HiddenWindowRules?
    /// The session's clock, and the time at which the sound starts. Nil until `begin` or `stop`.
    private let start = Monitor<(clock: SessionClock, time: MediaTime)?>(nil)

    /// - Parameters:
    ///   - mutedWindows: the windows whose programs are not recorded; nil if all programs are recorded.
    ///   - content: the timeline that a file's sound shares with the session's pictures.
    init(
        configuration: MediaConfiguration.Audio, mutedWindows: HiddenWindowRules?, content: ContentClock,
        distributor: Distributor, disclosure: Disclosure
    ) {
        self.configuration = configuration
        self.distributor = distributor
        self.disclosure = disclosure
        var wanted: Set<Track> = []
        if configuration.app != nil { wanted.insert(.app) }
        if configuration.mic != nil { wanted.insert(.mic) }
        inbox = SoundInbox(wanted: wanted)
        mutingRules =
            if case .system = configuration.content,
                PulseRequest(track: .app, sourceName: configuration.appSource, mutedWindows: mutedWindows)
                    .takesSingleStreams
            { mutedWindows } else { nil }
        recorder = SoundRecorder(
            configuration: configuration, mutedWindows: mutedWindows, content: content, inbox: inbox)
    }

    /// Returns the status of a track; nil if it is not recorded.
    func status(of track: Track) -> SoundStatus? { inbox.status(of: track) }

    /// Turns the microphone on or off. While it is off, its stream is closed.
    ///
    /// - Parameter choose: receives true if it is on, and returns true if it should be.
    /// - Returns: true if it is on now.
    func setMicrophone(_ choose: (Bool) -> Bool) -> Bool { inbox.setWanted(.mic, choose) }

    /// Sets whether the screen is locked. While it is locked, all sound is silent.
    func setLocked(_ locked: Bool) { inbox.setLocked(locked) }

    /// Opens the encoder on its thread. Returns the thread and the format of the packets. Sound starts with `begin`.
    ///
    /// - Parameter onFailure: called on the encoder's thread. It must not block.
    func open(onFailure: @escaping @Sendable (EncodeError) -> Void) async throws(EncodeError) -> (
        NamedThread, AudioTrackFormat
    ) {
        try await NamedThread.open(name: "audio encoder") {
            [self] (opened: (Result<AudioTrackFormat, EncodeError>) -> Void) in
            let encoder: AACEncoder
            do throws(EncodeError) {
                encoder = try AACEncoder(track: .mixed, bitrate: configuration.bitrate)
            } catch {
                opened(.failure(error))
                return
            }
            opened(.success(encoder.format))
            do throws(EncodeError) {
                try run([.mixed: encoder])
            } catch {
                onFailure(error)
            }
            recorder.stop()
        }
    }

    /// Starts the sound at `time`. Returns the recording threads.
    ///
    /// - Parameter report: called on the recording threads. It must not block.
    func begin(clock: SessionClock, at time: MediaTime, report: @escaping @Sendable (SoundRecorder.Event) -> Void)
        -> [NamedThread]
    {
        start.update { $0 = (clock, time) }
        return recorder.begin(clock: clock, report: report)
    }

    /// Ends the sound at `time`, and then all threads. Returns at once.
    func stop(at time: MediaTime) {
        start.update { if $0 == nil { $0 = (SessionClock(), .zero) } }
        inbox.end(at: time)
    }

    // MARK: The mixing thread

    private func run(_ opened: [Track: AACEncoder]) throws(EncodeError) {
        guard let (clock, time) = start.wait(for: { $0 }) else { return }
        var mix = Mixing(encoders: opened, mixer: AudioMixer(tracks: [.app, .mic], start: time))
        if let level = configuration.app { mix.mixer.setLevel(level, of: .app) }
        mix.mixer.setLevel(configuration.mic ?? configuration.laterMic, of: .mic)
        defer { deliver(&mix) }
        while true {
            let work = inbox.take(until: clock.origin + mix.mixer.nextDeadline.nanoseconds)
            for sample in work.samples { mix.mixer.feed(sample) }
            for track in work.suspended { mix.mixer.suspend(track) }
            mix.mixer.awaitsSound = work.isRecording
            while let first = mix.mixer.nextDueTime(now: clock.now) {
                if let end = work.end, first >= end, mix.mixer.isAtWholeBlock {
                    for encoder in mix.encoders.values { mix.packets += try encoder.finish() }
                    for encoder in mix.opus.values { mix.opusPackets += encoder.finish() }
                    return
                }
                try mixBlock(at: first, isLocked: work.isLocked, now: clock.now, &mix)
            }
            deliver(&mix)
            inbox.publish { track in
                (mix.meter.level(of: track), mix.mixer.drift(of: track), mix.mixer.level(of: track).isMuted)
            }
        }
    }

    /// The state of the thread from one block to the next.
    private struct Mixing {
        var encoders: [Track: AACEncoder]
        var opus: [Track: OpusTrackEncoder] = [:]
        var raw: [Track: RawAudioPacketizer] = [:]
        /// What joins halves for AAC.
        var whole: [Track: WholeBlocks] = [:]
        /// The packets of the blocks that were due, which wake a destination once.
        var packets: [EncodedPacket] = []
        var opusPackets: [EncodedPacket] = []
        var mixer: AudioMixer
        var meter = LevelMeter()
        var isPaused = false
    }

    private func mixBlock(at time: MediaTime, isLocked: Bool, now: MediaTime, _ mix: inout Mixing) throws(EncodeError) {
        // A block that is partly in a pause is completely silent. A pause begins and ends with a whole block.
        let isPaused = mix.mixer.isAtWholeBlock ? disclosure.pauses.isPaused(at: time) : mix.isPaused
        let isSilenced =
            disclosure.pauses.isSilenced(at: time) || disclosure.pauses.isSilenced(at: time + Self.blockDuration)
        mix.mixer.isSilenced = isSilenced || isLocked || disclosure.isDesktopLocked.load(ordering: .relaxed)
        // A new rule takes effect at once. The recorder follows it a little later.
        let isMutePending = mutingRules?.isSoundPending(at: time) ?? false
        mix.mixer.silencedTracks = isMutePending ? [.app] : []
        if isPaused != mix.isPaused {
            mix.isPaused = isPaused
            deliver(&mix)
            let mark = isPaused ? PauseMark.paused(at: time) : .resumed(at: time)
            for coding in Distributor.Coding.allCases { distributor.distribute(mark, coding) }
        }
        let encoded = distributor.tracks()
        let plain = distributor.tracks(.raw)
        let opus = distributor.tracks(.opus)
        // What takes PCM or Opus plays it to people who see the picture a few frames old.
        mix.mixer.isHalved = !opus.isEmpty || !plain.isEmpty
        for block in mix.mixer.nextBlocks(of: encoded.union(plain).union(opus), now: now) {
            if opus.contains(block.track) { try encodeOpus(block, &mix) }
            if plain.contains(block.track),
                let packet = mix.raw[block.track, default: RawAudioPacketizer(track: block.track)].packet(for: block)
            {
                distributor.distribute([packet], .raw)
            }
            guard encoded.contains(block.track),
                let block = mix.whole[block.track, default: WholeBlocks()].add(block)
            else { continue }
            let encoder: AACEncoder
            if let open = mix.encoders[block.track] {
                encoder = open
            } else {
                encoder = try AACEncoder(track: block.track, bitrate: configuration.bitrate)
                mix.encoders[block.track] = encoder
            }
            mix.packets += try encoder.encode(block)
        }
        if max(mix.packets.count, mix.opusPackets.count) >= Self.maximumPackets { deliver(&mix) }
        if mix.mixer.isAtWholeBlock { mix.meter.note(&mix.mixer, tracks: [.app, .mic]) }
    }

    private func encodeOpus(_ block: SampleBuffer, _ mix: inout Mixing) throws(EncodeError) {
        let open = mix.opus[block.track] ?? OpusTrackEncoder(track: block.track, bitrate: configuration.bitrate)
        guard let open else { throw .cannotOpenAudio(.outOfMemory) }
        mix.opus[block.track] = open
        mix.opusPackets += open.encode(block)
    }

    private func deliver(_ mix: inout Mixing) {
        distributor.distribute(mix.packets)
        distributor.distribute(mix.opusPackets, .opus)
        mix.packets.removeAll()
        mix.opusPackets.removeAll()
    }
}
