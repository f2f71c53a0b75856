import Capture
import Encode
import Media
import Synchronization
import Threads

/// Everything between the devices and the destinations' queues: one source, its renditions, and the sound.
///
///     CaptureLoop ─► Rendition (FrameMailbox ─► VideoLoop ─► Distributor) ─┐
///                                                                        ├─► PacketQueue
///     PulseRecorder ─► AudioLoop ─► Distributor ──────────────────────────┘
final class Pipeline: Sendable {
    /// What it tells, on whatever thread it happens.
    enum Event: Sendable {
        case application(ApplicationInformation)
        case warning(String)
        /// The source has nothing more.
        case ended
        case failed(SessionError)
    }

    private let configuration: SessionConfiguration
    private let report: @Sendable (Event) -> Void
    private let capture: CaptureLoop
    private let sound: Distributor
    private let audio: AudioLoop?
    private let clips: ClipBuffer?
    private let latest: LatestSource
    private let lock: ScreenLock
    private let state = Mutex(State())

    /// What the source shows now, where that is something else than at its opening.
    private final class LatestSource: Sendable {
        let value = Mutex<SourceDescription?>(nil)
    }

    private struct State {
        var clock: SessionClock?
        var source: CaptureLoop.Opening?
        var frameRate = 30
        var renditions: [Rendition] = []
        var captureThread: NamedThread?
        var audioThreads: [NamedThread] = []
        var audioFormat: AudioTrackFormat?
    }

    init(configuration: SessionConfiguration, report: @escaping @Sendable (Event) -> Void) {
        self.configuration = configuration
        self.report = report
        clips = configuration.clipBuffer.map { ClipBuffer(length: $0) }
        sound = Distributor(clips: clips)
        let hasSound = configuration.audio.app != nil || configuration.audio.mic != nil
        let audio = hasSound ? AudioLoop(configuration: configuration.audio, distributor: sound) : nil
        self.audio = audio
        let lock = ScreenLock()
        self.lock = lock
        let latest = LatestSource()
        self.latest = latest
        capture = CaptureLoop(request: configuration.picture) { event in
            switch event {
            case .source(let description): latest.value.withLock { $0 = description }
            case .application(let information): report(.application(information))
            case .locked(let isLocked):
                lock.isOn.store(isLocked, ordering: .relaxed)
                audio?.setLocked(isLocked)
                if isLocked {
                    report(
                        .warning(
                            "The screen is locked, or its screen saver runs: viewers see a slate and hear nothing until it ends. "
                                + "Where nobody sits at the screen, turn the screen saver off first: xset s off"))
                }
            case .warning(let text): report(.warning(text))
            case .ended: report(.ended)
            case .failed(let error): report(.failed(.capture(error)))
            }
        }
    }

    // MARK: Start

    /// Opens the source, and what `plans` need: an encode for each picture that they ask for, each on a thread of its own.
    func open(for plans: [DestinationPlan]) async throws(SessionError) {
        let opening: CaptureLoop.Opening
        do throws(CaptureError) {
            let (thread, value) = try await capture.start()
            opening = value
            state.withLock { state in
                state.captureThread = thread
                state.source = value
                state.frameRate = configuration.frameRate ?? value.frameRate ?? 30
            }
        } catch {
            throw .capture(error)
        }
        var groups: [(wishes: PictureWishes, plans: [DestinationPlan])] = []
        for plan in plans {
            if let index = groups.firstIndex(where: { $0.wishes == plan.picture }) {
                groups[index].plans.append(plan)
            } else {
                groups.append((plan.picture, [plan]))
            }
        }
        for group in groups {
            let settings = try settings(for: group.plans, source: opening, keepsClips: clips != nil && renditions.isEmpty)
            if !renditions.contains(where: { $0.settings == settings }) { _ = try await makeRendition(settings, wishes: group.wishes) }
        }
        if plans.contains(where: { !$0.audioTracks.isEmpty }) || clips != nil { try await openSound() }
    }

    private func settings(
        for plans: [DestinationPlan], source: CaptureLoop.Opening, keepsClips: Bool
    ) throws(SessionError) -> RenditionSettings {
        try RenditionSettings(
            plans: plans, configuration: configuration, sourceSize: source.sourceSize, frameRate: frameRate, keepsClips: keepsClips)
    }

    private func makeRendition(_ settings: RenditionSettings, wishes: PictureWishes) async throws(SessionError) -> Rendition {
        do throws(EncodeError) {
            let rendition = try await Rendition(
                settings: settings, wishes: wishes, frameRate: frameRate, clips: renditions.isEmpty ? clips : nil,
                onFailure: { [report] in report(.failed(.encode($0))) })
            state.withLock { $0.renditions.append(rendition) }
            capture.add(rendition)
            return rendition
        } catch {
            throw .encode(error)
        }
    }

    private func openSound() async throws(SessionError) {
        guard let audio, state.withLock({ $0.audioFormat }) == nil else { return }
        do throws(EncodeError) {
            let (thread, format) = try await audio.start { [report] in report(.failed(.encode($0))) }
            state.withLock { state in
                state.audioThreads.append(thread)
                state.audioFormat = format
            }
        } catch {
            throw .encode(error)
        }
    }

    /// Lets picture and sound flow. Time zero is now.
    func begin() -> SessionClock {
        let clock = SessionClock()
        let (rate, hasSound) = state.withLock { state in
            state.clock = clock
            return (state.frameRate, state.audioFormat != nil)
        }
        capture.begin(clock: clock, frameRate: rate)
        if hasSound { beginSound(clock, at: .zero) }
        return clock
    }

    private func beginSound(_ clock: SessionClock, at time: MediaTime) {
        guard let audio else { return }
        let report = self.report
        let threads = audio.begin(clock: clock, at: time) { event in
            if case .unusable(let error) = event { report(.failed(.capture(error))) }
            if let warning = event.warning { report(.warning(warning)) }
        }
        state.withLock { $0.audioThreads += threads }
    }

    // MARK: Destinations

    /// Puts `queue` behind what `plan` asks for, and says what will come. While the pipeline runs this may open another encode.
    func attach(_ queue: PacketQueue, for plan: DestinationPlan) async throws(SessionError) -> (StreamDescription, Rendition?) {
        var description = StreamDescription(video: nil, audio: [], title: configuration.title)
        var served: Rendition?
        if plan.takesVideo {
            let rendition = try await rendition(for: plan)
            rendition.distributor.add(.init(queue: queue, tracks: [.screen], isRaw: plan.takesRawVideo))
            description.video = rendition.format
            if plan.takesRawVideo { description.video?.codec = rendition.settings.chroma.rawCodec }
            served = rendition
        }
        if !plan.audioTracks.isEmpty && audio != nil {
            let isNew = state.withLock { $0.audioFormat } == nil
            try await openSound()
            if isNew, let clock = state.withLock({ $0.clock }) { beginSound(clock, at: clock.now) }
            if let format = state.withLock({ $0.audioFormat }) { description.audio = plan.audioTracks.map { format.of($0) } }
            sound.add(.init(queue: queue, tracks: Set(plan.audioTracks), isRaw: plan.takesRawAudio))
        }
        return (description, served)
    }

    private func rendition(for plan: DestinationPlan) async throws(SessionError) -> Rendition {
        let isRunning = state.withLock { $0.clock } != nil
        if !isRunning, let own = renditions.first(where: { $0.wishes == plan.picture }) { return own }
        guard let source = state.withLock({ $0.source }) else { throw .conflict("The broadcast has no picture yet. Try again.") }
        let settings = try settings(for: [plan], source: source, keepsClips: false)
        if let own = renditions.first(where: { $0.settings == settings }) ?? renditions.first(where: { $0.settings.serves(settings) }) { return own }
        return try await makeRendition(settings, wishes: plan.picture)
    }

    /// Gives `queue` nothing more. An encode that nobody else takes ends.
    func detach(_ queue: PacketQueue, from rendition: Rendition?) async {
        sound.remove(queue)
        guard let rendition else { return }
        rendition.distributor.remove(queue)
        guard !rendition.keepsClips, rendition.distributor.isEmpty else { return }
        let isAlone = state.withLock { state -> Bool in
            guard state.renditions.contains(where: { $0 === rendition }), state.renditions.count > 1 else { return true }
            state.renditions.removeAll { $0 === rendition }
            return false
        }
        // The last one shows in status what there was.
        guard !isAlone else { return }
        capture.remove(rendition)
        await rendition.finish()
    }

    // MARK: While it runs

    func setPaused(_ paused: Bool) {
        if !paused { for rendition in renditions { rendition.requestKeyframe() } }
        capture.setPaused(paused)
        audio?.setPaused(paused)
    }

    /// The desktop's word, beside what the source knows.
    func setDesktopLocked(_ locked: Bool) {
        capture.setDesktopLocked(locked)
    }

    /// True while viewers get nothing because the screen is locked.
    var isLocked: Bool { lock.isOn.load(ordering: .relaxed) }

    /// Turns the microphone on or off; nil where there is no sound that it could be part of, else whether it is on now.
    func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? {
        guard state.withLock({ $0.audioFormat }) != nil else { return nil }
        return audio?.setMicrophone(choose)
    }

    /// The last stretch, and the stream that it is of; nil where nothing is kept, or there is nothing yet.
    func excerpt(last span: MediaTime) -> (ClipBuffer.Excerpt, StreamDescription)? {
        guard let excerpt = clips?.excerpt(last: span), let rendition = renditions.first(where: \.keepsClips) else { return nil }
        let audio = state.withLock { $0.audioFormat }
        return (excerpt, StreamDescription(video: rendition.format, audio: audio.map { [$0] } ?? [], title: configuration.title))
    }

    /// How the sound of `track` is doing; nil where it is not listened to.
    func sound(of track: Track) -> AudioLoop.SourceStatus? {
        guard state.withLock({ $0.audioFormat }) != nil else { return nil }
        return audio?.status(of: track)
    }

    var renditions: [Rendition] { state.withLock { $0.renditions } }
    var source: CaptureLoop.Opening? {
        var source = state.withLock { $0.source }
        if let description = latest.value.withLock({ $0 }) { source?.source = description }
        return source
    }
    private var frameRate: Int { state.withLock { $0.frameRate } }

    // MARK: The end

    /// Stops in the order in which data flows, so that nothing that was captured up to `end` is lost.
    func stop(at end: MediaTime) async {
        capture.stop()
        audio?.stop(at: end)
        let (captureThread, audioThreads) = state.withLock { ($0.captureThread, $0.audioThreads) }
        await captureThread?.join()
        for rendition in renditions { await rendition.finish() }
        for thread in audioThreads { await thread.join() }
    }
}

/// Whether the screen is locked, as the capture thread last said.
private final class ScreenLock: Sendable {
    let isOn = Atomic(false)
}

extension AudioTrackFormat {
    /// The same for another track.
    fileprivate func of(_ track: Track) -> AudioTrackFormat {
        var format = self
        format.track = track
        return format
    }
}
