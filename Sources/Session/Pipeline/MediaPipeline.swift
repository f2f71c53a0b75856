import Capture
import Concurrency
import ContentCapture
import Encode
import Glibc
import Media
import Mix
import Synchronization
import WindowPrivacy

/// Everything between the devices and the destinations' queues: one source, its renditions, and the sound.
///
///     CaptureLoop ─► Rendition (FrameMailbox ─► VideoLoop ─► Distributor) ─┐
///                                                                        ├─► PacketQueue
///     SoundPipeline ──────────────────────────────────────────────────────┘
package final class MediaPipeline: Sendable {
    private let configuration: MediaConfiguration
    private let disclosure: Disclosure
    private let threadLimits: ThreadLimits
    /// Set when the pipeline was stopped or has ended by itself.
    private let isEnding = Once<Void>()
    private let capture: CaptureLoop
    private let sound: SoundPipeline
    private let clips: ClipBuffer?
    private let monitor: SourceMonitor
    private let pool: RenditionPool
    private let state = Mutex(State())

    private struct State {
        var clock: SessionClock?
        /// Nil until the source is open.
        var source: RenditionPool.Source?
        var captureThread: NamedThread?
    }

    /// - Parameters:
    ///   - rules: the rules for hidden windows; nil if the source is not a screen.
    ///   - threadLimits: how long `stop` waits for each thread.
    ///   - report: called on the threads of the pipeline. It must not block.
    ///   - onEnd: called on a thread of the pipeline when the source has ended, or a part of the pipeline fails. It
    ///     must not block. Further calls can follow.
    package init(
        configuration: MediaConfiguration, rules: HiddenWindowRules?, disclosure: Disclosure,
        threadLimits: ThreadLimits, report: @escaping @Sendable (PipelineEvent) -> Void,
        onEnd: @escaping @Sendable (PipelineEnd) -> Void
    ) {
        self.configuration = configuration
        self.disclosure = disclosure
        self.threadLimits = threadLimits
        let onEnd = { @Sendable [isEnding] (end: PipelineEnd) in
            onEnd(end)
            isEnding.set(())
        }
        clips = configuration.clipBuffer.map { ClipBuffer(length: $0) }
        let content = ContentClock(hasPictures: configuration.picture.isFile)
        let sound = SoundPipeline(
            configuration: configuration.audio, mutedWindows: configuration.hiddenWindows.mutesSound ? rules : nil,
            content: content,
            clips: clips, disclosure: disclosure, threadLimit: threadLimits.encoder, report: { report(.notice($0)) },
            onFailure: { onEnd(.failed($0)) })
        self.sound = sound
        let monitor = SourceMonitor(report: report, onEnd: onEnd, setLocked: { sound.setLocked($0) })
        self.monitor = monitor
        let request = configuration.picture
        capture = CaptureLoop(
            open: { opening throws(CaptureError) in
                try request.open(hiding: rules ?? HiddenWindowRules(), content: content, opening: opening)
            }, disclosure: disclosure, rules: rules, report: { monitor.note($0) })
        pool = RenditionPool(
            configuration: configuration, disclosure: disclosure, capture: capture, clips: clips,
            threadLimit: threadLimits.encoder, onFailure: { onEnd(.failed(.encode($0))) })
    }

    // MARK: Start

    /// Opens the source, a rendition for each different picture that `outputs` require, and the sound if they need it.
    ///
    /// - Returns: false if the pipeline was stopped before the source was open. A stop ends the wait for a display that
    ///   does not answer.
    package func open(for outputs: [OutputRequirements]) async throws(PipelineError) -> Bool {
        try sound.check()
        guard let source = try await openSource(limits: outputs.map(\.limits).strictest) else { return false }
        try await pool.open(for: outputs, from: source)
        try await sound.open(for: outputs)
        return true
    }

    /// Opens the source. Returns nil if the pipeline is stopped first.
    ///
    /// - Parameter limits: the limits of the destinations. They apply to the frame rate if the user chose none.
    private func openSource(limits: PictureLimits) async throws(PipelineError) -> RenditionPool.Source? {
        let (thread, opening) = capture.start()
        state.withLock { $0.captureThread = thread }
        let first = Once<Result<OpenedSource, CaptureError>?>()
        Task { first.set(await opening.value) }
        Task { [isEnding] in
            _ = await isEnding.value
            first.set(nil)
        }
        do throws(CaptureError) {
            guard let value = try await first.value?.get() else { return nil }
            let rate =
                configuration.frameRate
                ?? limits.fitting(frameRate: value.frameRate ?? MediaConfiguration.standardFrameRate)
            let source = RenditionPool.Source(opening: value, frameRate: rate)
            state.withLock { $0.source = source }
            return source
        } catch {
            throw .capture(error)
        }
    }

    /// Starts pictures and sound. Returns the session's clock, whose time zero is now.
    package func begin() -> SessionClock {
        let clock = SessionClock()
        state.withLock { $0.clock = clock }
        monitor.begin()
        pool.begin(clock: clock)
        capture.begin(clock: clock, frameRate: frameRate)
        sound.begin(clock: clock)
        return clock
    }

    /// `CLOCK_MONOTONIC` in nanoseconds at the time zero of the samples; nil before the pipeline has begun.
    package var clockOrigin: Int64? { state.withLock { $0.clock }?.origin }

    /// Suspends until the source has delivered or reported something for the first time, for at most two seconds: a
    /// source that hangs does not delay the start longer.
    package func waitForFirstTick() async {
        await capture.waitForFirstTick(within: .seconds(2))
    }

    // MARK: Destinations

    /// Adds `queue` to the picture and the sound that `requirements` name. While the pipeline runs, this can open
    /// another rendition.
    ///
    /// - Returns: the description of the stream that `queue` receives, and the rendition; nil without a picture.
    package func attach(_ queue: PacketQueue, for requirements: OutputRequirements) async throws(PipelineError) -> (
        StreamDescription, Rendition?
    ) {
        var description = StreamDescription(video: nil, audio: [], title: configuration.title)
        description.creationTime = Int64(time(nil))
        var served: Rendition?
        let media = requirements.media
        if media.takesVideo {
            guard let source = state.withLock({ $0.source }) else { throw .notOpen }
            let outlet = Distributor.Outlet(
                queue: queue, tracks: [.screen], coding: media.takesRawVideo ? .raw : .usual, carriesMarks: true)
            let rendition = try await pool.attach(outlet, for: requirements, from: source)
            description.video = rendition.format
            if media.takesRawVideo { description.video?.codec = rendition.settings.chroma.rawCodec }
            served = rendition
        }
        do throws(PipelineError) {
            description.audio = try await sound.attach(queue, for: requirements)
        } catch {
            if let served { await pool.detach(queue, from: served) }
            throw error
        }
        return (description, served)
    }

    /// Removes `queue`. A rendition without other destinations ends.
    package func detach(_ queue: PacketQueue, from rendition: Rendition?) async {
        sound.detach(queue)
        if let rendition { await pool.detach(queue, from: rendition) }
    }

    // MARK: While it runs

    /// Returns the first tick that can show something if a pause ends at `time`. The source prepares its picture in
    /// ticks.
    package func firstTick(afterPauseAt time: MediaTime) -> MediaTime {
        let delay = state.withLock { $0.source }?.opening.resumeDelay ?? .zero
        return delay == .zero ? nextTick(after: time) : nextTick(after: nextTick(after: time) + delay)
    }

    /// Returns the first tick after `time`.
    package func nextTick(after time: MediaTime) -> MediaTime {
        let rate = Int64(frameRate)
        return MediaTime(value: time.lastTick(timescale: rate) + 1, timescale: rate)
    }

    /// Reports a capture thread that hangs, one that runs again, and a program that did not run. Call it several times
    /// a second.
    ///
    /// - Parameter overslept: by how much the caller slept longer than it wanted to since the last call.
    package func watchSource(overslept: MediaTime) {
        guard let clock = state.withLock({ $0.clock }), let source = source?.source else { return }
        monitor.watch(source, heartbeat: capture.lastHeartbeat, overslept: overslept, now: clock.now)
    }

    /// Makes a change of what may be shown effective at the next tick, also if the capture thread rests.
    package func noteDisclosure() {
        capture.noteDisclosure()
        for rendition in pool.all { rendition.noteRequest() }
    }

    /// Makes a new rule for hidden windows effective. Clips begin again with the first picture that follows it.
    ///
    /// - Parameter revision: the revision in which a rule was added or renewed last.
    package func require(rules revision: Int) {
        // First, because an encoder can let the clips begin again as soon as the revision is required.
        clips?.forget(rules: revision)
        disclosure.require(rules: revision)
        for rendition in pool.all { rendition.noteRules() }
        capture.noteDisclosure()
    }

    /// True while viewers get the slate because the screen is locked.
    package var isLocked: Bool { monitor.isLocked }
    /// True while viewers get the slate outside of a pause.
    package var isWithheld: Bool { monitor.isWithheld }

    /// Turns the microphone on or off.
    ///
    /// - Parameter choose: receives true if it is on, and returns true if it should be.
    /// - Returns: true if it is on now; nil if no destination takes sound.
    package func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? { sound.setMicrophone(choose) }

    /// A part of the broadcast to save.
    package struct Excerpt: Sendable {
        /// The session's time at its start.
        package var start: MediaTime
        package var duration: MediaTime
        package var packets: WaitingPackets
        package var stream: StreamDescription
    }

    /// Returns the last `span` of the broadcast before `time`. Nil if clips are off, or if there is no picture yet.
    package func excerpt(last span: MediaTime, until time: MediaTime) -> Excerpt? {
        guard let excerpt = clips?.excerpt(last: span, until: time),
            let rendition = renditions.first(where: \.keepsClips)
        else { return nil }
        var stream = StreamDescription(
            video: rendition.format, audio: sound.format.map { [$0] } ?? [], title: configuration.title)
        stream.creationTime = Int64(Glibc.time(nil)) - excerpt.duration.nanoseconds / 1_000_000_000
        return Excerpt(
            start: excerpt.start, duration: excerpt.duration, packets: WaitingPackets(excerpt.packets), stream: stream)
    }

    /// The status of the sound of `track`; nil if it is not recorded.
    package func sound(of track: Track) -> SoundStatus? { sound.status(of: track) }

    /// All renditions, in the order of their creation.
    package var renditions: [Rendition] { pool.all }

    /// The source; nil until it is open.
    package var source: OpenedSource? {
        var source = state.withLock { $0.source }?.opening
        if let description = monitor.description { source?.source = description }
        return source
    }
    private var frameRate: Int { state.withLock { $0.source }?.frameRate ?? MediaConfiguration.standardFrameRate }

    // MARK: The end

    /// Ends the capture of pictures, and the sound at `end`. Returns at once.
    package func halt(at end: MediaTime) {
        isEnding.set(())
        capture.stop()
        sound.halt(at: end)
    }

    /// Ends the threads in the order of the data flow, so that everything that was captured before `end` is encoded.
    /// The wait for each thread is limited (`ThreadLimits`). A thread that hangs continues to exist.
    package func stop(at end: MediaTime) async {
        halt(at: end)
        _ = await state.withLock { $0.captureThread }?.join(within: threadLimits.capture)
        await pool.finish()
        await sound.join()
    }
}
