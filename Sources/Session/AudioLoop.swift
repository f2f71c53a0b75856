import Capture
import Encode
import Media
import Mix
import Synchronization
import Threads

/// Sound: one thread turns PulseAudio, or reads an application's own; another mixes and encodes what came.
///
/// The mixer goes by the session's clock, so sound is continuous also where PulseAudio is not.
final class AudioLoop: Sendable {
    /// How a source is doing.
    struct SourceStatus: Sendable {
        var name: String?
        var level: Double?
        var drift = 0.0
        var isMuted = false
    }

    private struct Inbox {
        var samples: [SampleBuffer] = []
        var suspended: Set<Track> = []
        /// The time up to which sound is still wanted; nil while the session goes on.
        var end: MediaTime?
        var sources: [Track: SourceStatus] = [:]
        var isPaused = false
        var isLocked = false
        /// The sources that are listened to now.
        var wanted: Set<Track> = []
    }

    private let configuration: SessionConfiguration.Audio
    private let distributor: Distributor
    private let inbox = Monitor(Inbox())
    private let stopping = Atomic(false)

    init(configuration: SessionConfiguration.Audio, distributor: Distributor) {
        self.configuration = configuration
        self.distributor = distributor
        inbox.withLock { inbox in
            if configuration.app != nil { inbox.wanted.insert(.app) }
            if configuration.mic != nil { inbox.wanted.insert(.mic) }
        }
    }

    /// Nil where the source is not listened to.
    func status(of track: Track) -> SourceStatus? {
        inbox.withLock { $0.wanted.contains(track) ? $0.sources[track] ?? SourceStatus() : nil }
    }

    /// Listens to the microphone, or no longer: then its stream is closed and nothing is recorded.
    ///
    /// - Parameter choose: whether it is to be on, by whether it is.
    /// - Returns: whether it is on now.
    func setMicrophone(_ choose: (Bool) -> Bool) -> Bool {
        inbox.update { inbox in
            let isOn = choose(inbox.wanted.contains(.mic))
            if isOn {
                inbox.wanted.insert(.mic)
            } else {
                inbox.wanted.remove(.mic)
                inbox.suspended.insert(.mic)
                inbox.samples.removeAll { $0.track == .mic }
            }
            return isOn
        }
    }

    /// Opens the encoder on its thread, and gives the format of what it makes; sound flows after `begin`.
    func start(onFailure: @escaping @Sendable (EncodeError) -> Void) async throws(EncodeError) -> (NamedThread, AudioTrackFormat) {
        try await NamedThread.open(name: "audio encoder") { [self] (opened: (Result<AudioTrackFormat, EncodeError>) -> Void) in
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
        }
    }

    /// The session's clock, and the time from which on there is sound.
    private let start = Monitor<(clock: SessionClock, time: MediaTime)?>(nil)

    /// Lets sound flow, from `time` on. Gives the threads that record it.
    func begin(clock: SessionClock, at time: MediaTime, report: @escaping @Sendable (SoundEvent) -> Void) -> [NamedThread] {
        start.update { $0 = (clock, time) }
        inbox.update { _ in }
        var threads = [NamedThread(name: "pulse") { [self] in record(clock: clock, report: report) }]
        switch configuration.content {
        case .system: break
        case .wav(let path): threads.append(NamedThread(name: "wav") { [self] in play(path, clock: clock, report: report) })
        case .feed(let feed):
            inbox.withLock { $0.sources[.app, default: SourceStatus()].name = "application" }
            feed.begin(clock: clock) { [self] in take($0) }
        }
        return threads
    }

    /// The thread that turns PulseAudio.
    private func record(clock: SessionClock, report: @escaping @Sendable (SoundEvent) -> Void) {
        let recorder = PulseRecorder(
            requests: requests, clock: clock, deliver: { [self] in take($0) },
            report: { [self] event in
                note(event)
                report(.pulse(event))
            })
        guard let recorder else { return }
        while !stopping.load(ordering: .relaxed) {
            // Where nothing is asked of it, no server is needed.
            let requests = self.requests
            if requests.isEmpty && !recorder.isConnected {
                _ = inbox.wait(until: SessionClock.monotonic() + 100_000_000) { $0.wanted.contains(.mic) || $0.end != nil ? true : nil }
                continue
            }
            recorder.want(requests)
            recorder.iterate(timeout: MediaTime(milliseconds: 100))
        }
    }

    /// The thread that reads an application's own sound.
    private func play(_ path: String, clock: SessionClock, report: (SoundEvent) -> Void) {
        let goesOn = { !self.stopping.load(ordering: .relaxed) }
        let source: WAVSource
        do throws(CaptureError) {
            source = try WAVSource(path: path, clock: clock, while: goesOn)
        } catch {
            if goesOn() { report(.unusable(error)) }
            return
        }
        let converter = FormatConverter(from: source.format)
        inbox.withLock { $0.sources[.app, default: SourceStatus()].name = path }
        do throws(CaptureError) {
            reading: while goesOn() {
                switch try source.next() {
                case .sound(let sample): if let converter { take(converter.convert(sample)) }
                case .nothing: continue
                case .ended: break reading
                }
            }
        } catch {
            report(.content(error))
        }
        inbox.update { inbox in
            inbox.sources[.app]?.name = nil
            inbox.suspended.insert(.app)
        }
    }

    private func take(_ sample: SampleBuffer) {
        inbox.update { if $0.wanted.contains(sample.track) { $0.samples.append(sample) } }
    }

    /// Sound is mixed up to `time`, then both threads end.
    func stop(at time: MediaTime) {
        start.update { if $0 == nil { $0 = (SessionClock(), .zero) } }
        inbox.update { $0.end = time }
        if case .feed(let feed) = configuration.content { feed.end() }
    }

    /// While paused everything is silent.
    func setPaused(_ paused: Bool) {
        inbox.update { $0.isPaused = paused }
    }

    /// While the screen is locked everything is silent too, whether the session is paused or not.
    func setLocked(_ locked: Bool) {
        inbox.update { $0.isLocked = locked }
    }

    private var requests: [PulseRequest] {
        let wanted = inbox.withLock { $0.wanted }
        var requests: [PulseRequest] = []
        if wanted.contains(.app), case .system = configuration.content {
            requests.append(PulseRequest(track: .app, sourceName: configuration.appSource, mutedWindows: configuration.mutedWindows))
        }
        if wanted.contains(.mic) { requests.append(PulseRequest(track: .mic, sourceName: configuration.micSource)) }
        return requests
    }

    private func note(_ event: PulseEvent) {
        let requests = self.requests
        inbox.update { inbox in
            switch event {
            case .started(let track, let source):
                inbox.sources[track, default: SourceStatus()].name = source
            case .interrupted(let track, _):
                inbox.sources[track]?.name = nil
                inbox.suspended.insert(track)
            case .serverUnavailable:
                for track in requests.map(\.track) {
                    inbox.sources[track]?.name = nil
                    inbox.suspended.insert(track)
                }
            }
        }
    }

    // MARK: The mixing thread

    private func run(_ opened: [Track: AACEncoder]) throws(EncodeError) {
        defer { stopping.store(true, ordering: .relaxed) }
        guard let (clock, time) = start.wait(for: { $0 }) else { return }
        var encoders = opened
        var raw: [Track: RawAudioPacketizer] = [:]
        var mixer = AudioMixer(tracks: [.app, .mic], start: time)
        if let level = configuration.app { mixer.setLevel(level, of: .app) }
        mixer.setLevel(configuration.mic ?? configuration.laterMic, of: .mic)
        var meter = LevelMeter()
        while true {
            let work = waitForWork(clock: clock, deadline: mixer.nextDeadline)
            for sample in work.samples { mixer.feed(sample) }
            for track in work.suspended { mixer.suspend(track) }
            mixer.isSilenced = work.isPaused || work.isLocked
            let encoded = distributor.tracks(raw: false)
            let plain = distributor.tracks(raw: true)
            while let first = mixer.nextDueTime(now: clock.now) {
                if let end = work.end, first >= end {
                    for encoder in encoders.values { _ = distributor.distribute(try encoder.finish()) }
                    return
                }
                for block in mixer.nextBlocks(of: encoded.union(plain), now: clock.now) {
                    if plain.contains(block.track), let packet = raw[block.track, default: RawAudioPacketizer(track: block.track)].packet(for: block)
                    {
                        distributor.distributeRaw(packet)
                    }
                    guard encoded.contains(block.track) else { continue }
                    let encoder: AACEncoder
                    if let open = encoders[block.track] {
                        encoder = open
                    } else {
                        encoder = try AACEncoder(track: block.track, bitrate: configuration.bitrate)
                        encoders[block.track] = encoder
                    }
                    _ = distributor.distribute(try encoder.encode(block))
                }
                meter.note(&mixer, tracks: [.app, .mic])
            }
            publish(mixer, meter: meter)
        }
    }

    /// Waits for sound, or until the mixer has to go on without.
    private func waitForWork(clock: SessionClock, deadline: MediaTime) -> Inbox {
        let take = { (inbox: inout Inbox) -> Inbox in
            defer {
                inbox.samples = []
                inbox.suspended = []
            }
            return inbox
        }
        let work = inbox.wait(until: clock.origin + deadline.nanoseconds) { inbox in
            inbox.samples.isEmpty && inbox.suspended.isEmpty ? nil : take(&inbox)
        }
        return work ?? inbox.withLock { take(&$0) }
    }

    private func publish(_ mixer: AudioMixer, meter: LevelMeter) {
        inbox.withLock { inbox in
            for track in inbox.wanted {
                inbox.sources[track, default: SourceStatus()].drift = mixer.drift(of: track)
                inbox.sources[track, default: SourceStatus()].level = meter.level(of: track)
                inbox.sources[track, default: SourceStatus()].isMuted = mixer.level(of: track).isMuted
            }
        }
    }
}
