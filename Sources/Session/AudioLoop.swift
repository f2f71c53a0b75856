import Capture
import Encode
import Media
import Mix
import Synchronization

/// Sound: one thread turns PulseAudio, another mixes and encodes what it gave.
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

    /// Opens the encoder on its thread; sound flows after `begin`.
    func start(onFailure: @escaping @Sendable (EncodeError) -> Void) async -> (NamedThread, Result<AudioTrackFormat, EncodeError>) {
        let thread = Mutex<NamedThread?>(nil)
        let result = await withCheckedContinuation { (opened: CheckedContinuation<Result<AudioTrackFormat, EncodeError>, Never>) in
            let started = NamedThread(name: "audio encoder") { [self] in
                let encoder: AACEncoder
                do throws(EncodeError) {
                    encoder = try AACEncoder(track: .mixed, bitrate: configuration.bitrate)
                } catch {
                    opened.resume(returning: .failure(error))
                    return
                }
                opened.resume(returning: .success(encoder.format))
                do throws(EncodeError) {
                    try run(encoder)
                } catch {
                    onFailure(error)
                }
            }
            thread.withLock { $0 = started }
        }
        let started = thread.withLock { $0 }
        return (started ?? NamedThread(name: "audio encoder") {}, result)
    }

    private let clock = Monitor<SessionClock?>(nil)

    /// Lets sound flow, from the clock's start on. Gives the thread that turns PulseAudio.
    func begin(clock: SessionClock, report: @escaping @Sendable (PulseEvent) -> Void) -> NamedThread {
        self.clock.update { $0 = clock }
        inbox.update { _ in }
        let requests = self.requests
        return NamedThread(name: "pulse") { [self] in
            let recorder = PulseRecorder(
                requests: requests, clock: clock,
                deliver: { sample in self.inbox.update { if $0.wanted.contains(sample.track) { $0.samples.append(sample) } } },
                report: { event in
                    self.note(event)
                    report(event)
                })
            guard let recorder else { return }
            while !stopping.load(ordering: .relaxed) {
                recorder.want(self.requests)
                recorder.iterate(timeout: MediaTime(milliseconds: 100))
            }
        }
    }

    /// Sound is mixed up to `time`, then both threads end.
    func stop(at time: MediaTime) {
        clock.update { if $0 == nil { $0 = SessionClock() } }
        inbox.update { $0.end = time }
    }

    /// While paused everything is silent.
    func setPaused(_ paused: Bool) {
        inbox.update { $0.isPaused = paused }
    }

    private var requests: [PulseRequest] {
        let wanted = inbox.withLock { $0.wanted }
        var requests: [PulseRequest] = []
        if wanted.contains(.app) { requests.append(PulseRequest(track: .app, sourceName: configuration.appSource)) }
        if wanted.contains(.mic) { requests.append(PulseRequest(track: .mic, sourceName: configuration.micSource)) }
        return requests
    }

    private func note(_ event: PulseEvent) {
        inbox.update { inbox in
            switch event {
            case .started(let track, let source):
                inbox.sources[track, default: SourceStatus()].name = source
            case .interrupted(let track, _):
                inbox.sources[track]?.name = nil
                inbox.suspended.insert(track)
            case .serverUnavailable:
                for track in [Track.app, .mic] {
                    inbox.sources[track]?.name = nil
                    inbox.suspended.insert(track)
                }
            }
        }
    }

    // MARK: The mixing thread

    private func run(_ encoder: AACEncoder) throws(EncodeError) {
        defer { stopping.store(true, ordering: .relaxed) }
        guard let clock = clock.wait(for: { $0 }) else { return }
        var raw = RawAudioPacketizer(track: .mixed)
        var mixer = AudioMixer(tracks: [.app, .mic])
        if let level = configuration.app { mixer.setLevel(level, of: .app) }
        mixer.setLevel(configuration.mic ?? configuration.laterMic, of: .mic)
        var meter = LevelMeter()
        while true {
            let work = waitForWork(clock: clock, deadline: mixer.nextDeadline)
            for sample in work.samples { mixer.feed(sample) }
            for track in work.suspended { mixer.suspend(track) }
            mixer.isSilenced = work.isPaused
            while let block = mixer.nextBlock(now: clock.now) {
                if let end = work.end, block.presentationTime >= end {
                    distributor.distributeAudio(try encoder.finish())
                    return
                }
                if distributor.wantsRawAudio, let packet = raw.packet(for: block) { distributor.distributeRawAudio(packet) }
                distributor.distributeAudio(try encoder.encode(block))
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
