import Capture
import Concurrency
import ContentCapture
import Encode
import Glibc
import Media
import Synchronization
import Upload

/// Everything between the devices and the destinations' queues: one source, its renditions, and the sound.
///
///     CaptureLoop ─► Rendition (FrameMailbox ─► VideoLoop ─► Distributor) ─┐
///                                                                        ├─► PacketQueue
///     SoundRecorder ─► AudioLoop ─► Distributor ──────────────────────────┘
final class Pipeline: Sendable {
    private let configuration: SessionConfiguration
    private let disclosure: Disclosure
    private let channel: EventChannel
    private let ending: Once<BroadcastSession.EndReason>
    private let capture: CaptureLoop
    private let sound: Distributor
    private let audio: AudioLoop
    /// True if the user wants sound. If false, live destinations get silence, and recordings get no sound track.
    private let hasSound: Bool
    private let clips: ClipBuffer?
    private let monitor: SourceMonitor
    private let pool: RenditionPool
    private let state = Mutex(State())

    private struct State {
        var clock: SessionClock?
        /// Nil until the source is open.
        var source: RenditionPool.Source?
        var captureThread: NamedThread?
        var soundThreads: [NamedThread] = []
        var audioFormat: AudioTrackFormat?
    }

    init(configuration: SessionConfiguration, disclosure: Disclosure, channel: EventChannel, ending: Once<BroadcastSession.EndReason>) {
        self.configuration = configuration
        self.disclosure = disclosure
        self.channel = channel
        self.ending = ending
        clips = configuration.clipBuffer.map { ClipBuffer(length: $0) }
        sound = Distributor(clips: clips)
        let content = ContentClock(hasPictures: configuration.picture.isFile)
        hasSound = configuration.audio.app != nil || configuration.audio.mic != nil
        let audio = AudioLoop(configuration: configuration.audio, content: content, distributor: sound, disclosure: disclosure)
        self.audio = audio
        let monitor = SourceMonitor(channel: channel, ending: ending, setLocked: { audio.setLocked($0) })
        self.monitor = monitor
        let request = configuration.picture
        capture = CaptureLoop(
            open: { () throws(CaptureError) in try request.open(content: content) }, disclosure: disclosure,
            report: { monitor.note($0) })
        pool = RenditionPool(
            configuration: configuration, disclosure: disclosure, capture: capture, clips: clips,
            onFailure: { ending.set(.failed(.encode($0))) })
    }

    // MARK: Start

    /// Opens the source, and what `plans` need: an encode for each picture that they ask for, each on a thread of its own.
    ///
    /// - Returns: false if the session was stopped before the source was open. A display that does not answer is not waited for then.
    func open(for plans: [DestinationPlan]) async throws(SessionError) -> Bool {
        try checkSound()
        guard let source = try await openSource(limits: plans.map(\.limits).strictest) else { return false }
        try await pool.open(for: plans, from: source)
        if plans.contains(where: takesSound) || clips != nil && hasSound { try await openSound() }
        return true
    }

    /// Throws if the file of sound cannot be read.
    private func checkSound() throws(SessionError) {
        guard case .wav(let path) = configuration.audio.content else { return }
        do throws(CaptureError) {
            try ContentCheck.sound(path: path)
        } catch {
            throw .capture(error)
        }
    }

    /// Opens the source. Returns nil if the session ends first.
    ///
    /// - Parameter limits: of the destinations; they limit a frame rate that the user did not choose.
    private func openSource(limits: PictureLimits) async throws(SessionError) -> RenditionPool.Source? {
        let (thread, opening) = capture.start()
        state.withLock { $0.captureThread = thread }
        let first = Once<Result<CaptureLoop.Opening, CaptureError>?>()
        Task { first.set(await opening.value) }
        Task { [ending] in
            _ = await ending.value
            first.set(nil)
        }
        do throws(CaptureError) {
            guard let value = try await first.value?.get() else { return nil }
            let rate = configuration.frameRate ?? limits.fitting(frameRate: value.frameRate ?? 30)
            let source = RenditionPool.Source(opening: value, frameRate: rate)
            state.withLock { $0.source = source }
            return source
        } catch {
            throw .capture(error)
        }
    }

    private func openSound() async throws(SessionError) {
        guard state.withLock({ $0.audioFormat }) == nil else { return }
        do throws(EncodeError) {
            let (thread, format) = try await audio.open { [ending] in ending.set(.failed(.encode($0))) }
            state.withLock { state in
                state.soundThreads.append(thread)
                state.audioFormat = format
            }
        } catch {
            throw .encode(error)
        }
    }

    /// Pictures and sound flow from now on. Time zero is now.
    func begin() -> SessionClock {
        let clock = SessionClock()
        let hasAudioThread = state.withLock { state in
            state.clock = clock
            return state.audioFormat != nil
        }
        monitor.begin()
        pool.begin(clock: clock)
        capture.begin(clock: clock, frameRate: frameRate)
        if hasAudioThread { beginSound(clock, at: .zero) }
        return clock
    }

    private func beginSound(_ clock: SessionClock, at time: MediaTime) {
        let threads = audio.begin(clock: clock, at: time) { [ending, channel] event in
            switch event {
            case .notice(let notice): channel.send(notice)
            case .failed(let error): ending.set(.failed(.capture(error)))
            }
        }
        state.withLock { $0.soundThreads += threads }
    }

    // MARK: Destinations

    /// Puts `queue` behind what `plan` asks for, and returns what will come. While the pipeline runs this may open another encode.
    func attach(_ queue: PacketQueue, for plan: DestinationPlan) async throws(SessionError) -> (StreamDescription, Rendition?) {
        var description = StreamDescription(video: nil, audio: [], title: configuration.title)
        description.creationTime = Int64(time(nil))
        var served: Rendition?
        let media = plan.media
        if media.takesVideo {
            guard let source = state.withLock({ $0.source }) else { throw .notBegun }
            let outlet = Distributor.Outlet(queue: queue, tracks: [.screen], isRaw: media.takesRawVideo, carriesMarks: true)
            let rendition = try await pool.attach(outlet, for: plan, from: source)
            description.video = rendition.format
            if media.takesRawVideo { description.video?.codec = rendition.settings.chroma.rawCodec }
            served = rendition
        }
        if takesSound(plan) {
            let isNew = state.withLock { $0.audioFormat } == nil
            try await openSound()
            if isNew, let clock = state.withLock({ $0.clock }) { beginSound(clock, at: clock.now) }
            if let format = state.withLock({ $0.audioFormat }) { description.audio = media.audioTracks.map { format.of($0) } }
            sound.add(
                .init(queue: queue, tracks: Set(media.audioTracks), isRaw: media.takesRawAudio, carriesMarks: !media.takesVideo))
        }
        return (description, served)
    }

    /// Gives `queue` nothing more. An encode that serves no other destination ends.
    func detach(_ queue: PacketQueue, from rendition: Rendition?) async {
        sound.remove(queue)
        if let rendition { await pool.detach(queue, from: rendition) }
    }

    // MARK: While it runs

    /// The first tick after `time`.
    func nextTick(after time: MediaTime) -> MediaTime {
        let rate = Int64(frameRate)
        return MediaTime(value: time.lastTick(timescale: rate) + 1, timescale: rate)
    }

    /// Reports a capture thread that hangs, and that it answers again. Called several times a second.
    func watchSource() {
        guard let clock = state.withLock({ $0.clock }) else { return }
        monitor.watch(heartbeat: capture.lastHeartbeat, now: clock.now)
    }

    /// True while viewers get the slate because the screen is locked.
    var isLocked: Bool { monitor.isLocked }

    /// See `BroadcastSession.setMicrophone`.
    func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? {
        guard state.withLock({ $0.audioFormat }) != nil else { return nil }
        return audio.setMicrophone(choose)
    }

    /// The last stretch, and the stream that it is from; nil if nothing is kept, or there is nothing yet.
    func excerpt(last span: MediaTime) -> (ClipBuffer.Excerpt, StreamDescription)? {
        guard let excerpt = clips?.excerpt(last: span), let rendition = renditions.first(where: \.keepsClips) else { return nil }
        let audio = state.withLock { $0.audioFormat }
        var stream = StreamDescription(video: rendition.format, audio: audio.map { [$0] } ?? [], title: configuration.title)
        stream.creationTime = Int64(time(nil)) - excerpt.duration.nanoseconds / 1_000_000_000
        return (excerpt, stream)
    }

    /// How the sound of `track` is doing; nil if it is not recorded.
    func sound(of track: Track) -> SoundStatus? {
        guard state.withLock({ $0.audioFormat }) != nil else { return nil }
        return audio.status(of: track)
    }

    /// All renditions, the first one first.
    var renditions: [Rendition] { pool.all }

    /// The source; nil until it is open.
    var source: CaptureLoop.Opening? {
        var source = state.withLock { $0.source }?.opening
        if let description = monitor.description { source?.source = description }
        return source
    }
    private var frameRate: Int { state.withLock { $0.source }?.frameRate ?? 30 }

    // MARK: The end

    /// Captures nothing more. Returns at once.
    func halt(at end: MediaTime) {
        capture.stop()
        audio.stop(at: end)
    }

    /// Stops in the order in which data flows, so that nothing that was captured up to `end` is lost. Each thread gets a limited time
    /// (`ShutdownTimetable`); one that hangs is left to itself.
    func stop(at end: MediaTime) async {
        halt(at: end)
        let (captureThread, soundThreads) = state.withLock { ($0.captureThread, $0.soundThreads) }
        _ = await captureThread?.join(within: ShutdownTimetable.captureThread)
        await pool.finish()
        for thread in soundThreads { _ = await thread.join(within: ShutdownTimetable.encoderThread) }
    }
}

extension Pipeline {
    /// Some live services reject a stream without a sound track, so a live destination always gets one.
    private func takesSound(_ plan: DestinationPlan) -> Bool {
        !plan.media.audioTracks.isEmpty && (hasSound || plan.isLive)
    }
}

extension AudioTrackFormat {
    /// The same for another track.
    fileprivate func of(_ track: Track) -> AudioTrackFormat {
        var format = self
        format.track = track
        return format
    }
}
