import Capture
import Encode
import Media
import Mix
import Synchronization
import Upload

/// A system broadcast: one run of the whole pipeline, from the screen to all destinations.
///
///     CaptureLoop ─► FrameMailbox ─► VideoLoop ─┐
///                                               ├─► Distributor ─► PacketQueue ─► Destination ─► SampleHandler
///     PulseRecorder ─► AudioLoop ───────────────┘
package final class BroadcastSession: Sendable {
    /// How long a destination may take to write out and close at the end.
    private static let finishDeadline = Duration.seconds(8)

    private let configuration: SessionConfiguration
    private let destinations: [Destination]
    private let distributor: Distributor
    private let mailbox = FrameMailbox()
    private let capture: CaptureLoop
    private let video: VideoLoop
    private let audio: AudioLoop?
    private let clips: ClipBuffer?
    private let observer: @Sendable (SessionEvent) -> Void
    private let status: Mutex<Status>
    private let ending = Ending()
    private let application = FrontApplication()

    private struct Status {
        var state = SessionState.starting
        var clock: SessionClock?
        var elapsed: MediaTime?
        var source: SourceDescription?
        var sourceSize: PixelSize?
        var stream: StreamDescription?
        var video: SessionSnapshot.Video?
        var meter = RateMeter()
    }

    /// - Parameter observer: is told what happens, on whatever thread it happens.
    package init(configuration: SessionConfiguration, destinations plans: [DestinationPlan], observer: @escaping @Sendable (SessionEvent) -> Void) {
        self.configuration = configuration
        self.observer = observer
        let destinations = plans.map { plan in Destination(plan: plan) { observer(.destination($0)) } }
        self.destinations = destinations
        clips = configuration.clipBuffer.map { ClipBuffer(length: $0) }
        distributor = Distributor(
            outlets: destinations.map {
                .init(
                    queue: $0.queue, takesVideo: $0.plan.takesVideo, takesRawVideo: $0.plan.takesRawVideo, takesAudio: $0.plan.takesAudio,
                    takesRawAudio: $0.plan.takesRawAudio)
            }, clips: clips)
        capture = CaptureLoop(
            configuration: configuration, mailbox: mailbox,
            onApplication: { [application] information in
                application.set(information)
                Self.annotate(["application": information.id, "applicationTitle": information.title], destinations: destinations, observer: observer)
            })
        video = VideoLoop(mailbox: mailbox, distributor: distributor)
        let hasSound = configuration.audio.app != nil || configuration.audio.mic != nil
        let takesAudio = plans.contains { $0.takesAudio } || configuration.clipBuffer != nil
        audio = hasSound && takesAudio ? AudioLoop(configuration: configuration.audio, distributor: distributor) : nil
        status = Mutex(Status())
    }

    /// Asks the session to end; `run` returns once everything is written and closed.
    package func stop() {
        ending.reach(.asked)
    }

    /// Pauses: viewers see a slate and hear silence, recordings leave the stretch out. False where it was not live.
    package func pause() -> Bool {
        guard change(to: .paused) else { return false }
        capture.setPaused(true)
        audio?.setPaused(true)
        let time = status.withLock { $0.clock?.now ?? .zero }
        for destination in destinations { destination.queue.push(.paused(at: time)) }
        return true
    }

    /// Goes on after a pause. False where it was not paused.
    package func resume() -> Bool {
        guard change(to: .live) else { return false }
        let time = status.withLock { $0.clock?.now ?? .zero }
        for destination in destinations { destination.queue.push(.resumed(at: time)) }
        distributor.requestKeyframe()
        capture.setPaused(false)
        audio?.setPaused(false)
        return true
    }

    /// Turns the microphone on or off. Nil where the session has no sound that it could be part of; else whether it is on now.
    package func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? {
        audio?.setMicrophone(choose)
    }

    /// Gives every destination metadata that the user or an application has.
    package func annotate(_ information: [String: String]) {
        Self.annotate(information, destinations: destinations, observer: observer)
    }

    private static func annotate(_ information: [String: String], destinations: [Destination], observer: (SessionEvent) -> Void) {
        for destination in destinations { destination.queue.push(.annotated(information)) }
        observer(.annotation(information))
    }

    /// A stretch of the past that was saved.
    package struct Clip: Sendable {
        package var path: String
        /// On the session's clock.
        package var start: MediaTime
        package var duration: MediaTime
    }

    /// Saves the last `span` of the broadcast as a playable MP4 at `path`, from the keyframe before it on, while it goes on.
    ///
    /// Nil where the session keeps nothing for clips, or has nothing yet.
    package func saveClip(last span: MediaTime, to path: String) async throws(UploadError) -> Clip? {
        guard !destinations.contains(where: { $0.plan.path.map { FileIdentity.areOne($0, path) } ?? false }) else {
            throw .cannotCreate(path: path, reason: "the broadcast itself is being written there")
        }
        guard let excerpt = clips?.excerpt(last: span), let stream = status.withLock({ $0.stream }) else { return nil }
        let file = FileHandler(path: path, format: .mp4)
        try await file.started(stream)
        for packet in excerpt.packets { try await file.process(packet) }
        try await file.finished(deadline: .seconds(5))
        let clip = Clip(path: path, start: excerpt.start, duration: excerpt.duration)
        observer(.clip(clip))
        return clip
    }

    /// Runs the broadcast from start to end.
    ///
    /// - Returns: the destinations as they ended; each carries its own error.
    /// - Throws: where the picture cannot be had or encoded; destinations are finished all the same.
    package func run() async throws(SessionError) -> [SessionSnapshot.Destination] {
        let threads: Threads
        let stream: StreamDescription
        let outputSize: PixelSize
        do throws(SessionError) {
            (threads, stream, outputSize) = try await open()
        } catch {
            capture.stop()
            mailbox.close()
            audio?.stop(at: .zero)
            change(to: .failed)
            throw error
        }
        let pulse = begin(threads, stream: stream, outputSize: outputSize)
        watchDestinations()
        let supervisor = Task { await supervise() }
        let reason = await ending.value
        supervisor.cancel()
        change(to: .finishing)
        await finish(threads, pulse: pulse)
        let failure: SessionError? = if case .failed(let error) = reason { error } else { nil }
        change(to: failure == nil && destinations.allSatisfy { $0.state == .finished } ? .finished : .failed)
        if let failure { throw failure }
        return snapshot().destinations
    }

    /// What the session is doing now.
    package func snapshot() -> SessionSnapshot {
        let captured = capture.capturedCount
        let counts = video.counts
        let replaced = mailbox.replacedCount
        let (state, elapsed, name, size, picture) = status.withLock { status in
            let elapsed = status.elapsed ?? status.clock?.now ?? .zero
            status.meter.note(counts.bytes, at: elapsed)
            let bitrate = Int(status.meter.rate * 8 / 1000)
            status.video?.captured = captured
            status.video?.encoded = counts.encoded
            status.video?.repeated = counts.repeated
            status.video?.dropped = replaced
            status.video?.bitrate = status.elapsed == nil ? bitrate : 0
            return (status.state, elapsed, status.source, status.sourceSize, status.video)
        }
        return SessionSnapshot(
            state: state, elapsed: elapsed, source: name, sourceSize: size, application: application.value, video: picture,
            app: audioSnapshot(of: .app),
            mic: audioSnapshot(of: .mic), destinations: destinations.map { $0.snapshot(at: elapsed) })
    }

    private func audioSnapshot(of track: Track) -> SessionSnapshot.Audio? {
        guard let source = audio?.status(of: track) else { return nil }
        return SessionSnapshot.Audio(
            source: source.name, level: source.level, drift: source.drift, isMuted: source.isMuted)
    }

    // MARK: Start

    private struct Threads {
        var capture: NamedThread
        var video: NamedThread
        var audio: NamedThread?
    }

    /// Opens source and encoders, each on its own thread.
    private func open() async throws(SessionError) -> (Threads, StreamDescription, PixelSize) {
        let (captureThread, captureResult) = await capture.start { [ending] in ending.reach(.failed(.capture($0))) }
        let opening: CaptureLoop.Opening
        switch captureResult {
        case .success(let value): opening = value
        case .failure(let error): throw .capture(error)
        }
        let size = (configuration.outputSize ?? opening.sourceSize).roundedDownToEven
        guard size.width >= 16, size.height >= 16, size.width <= 16384, size.height <= 16384 else { throw .unusableSize("\(size)") }
        let needsEncoder = destinations.contains { !$0.plan.takesRawVideo } || clips != nil
        let rawSize = destinations.contains { $0.plan.takesRawVideo } ? size : nil
        let (videoThread, videoResult) = await video.start(
            settings: needsEncoder ? videoSettings(size: size) : nil, rawSize: rawSize, noteSettled: { [capture] in capture.noteSettled($0) },
            onFailure: { [ending] in ending.reach(.failed(.encode($0))) })
        var stream = StreamDescription(video: nil, audio: [], title: configuration.title)
        switch videoResult {
        case .success(let format): stream.video = format ?? VideoTrackFormat(codec: .i420, size: size, frameRate: configuration.frameRate)
        case .failure(let error): throw .encode(error)
        }
        var threads = Threads(capture: captureThread, video: videoThread)
        if let audio {
            let (audioThread, audioResult) = await audio.start { [ending] in ending.reach(.failed(.encode($0))) }
            switch audioResult {
            case .success(let format): stream.audio = [format]
            case .failure(let error): throw .encode(error)
            }
            threads.audio = audioThread
        }
        status.withLock { status in
            status.source = opening.source
            status.stream = stream
            status.sourceSize = opening.sourceSize
            status.video = SessionSnapshot.Video(size: size, frameRate: configuration.frameRate)
        }
        return (threads, stream, size)
    }

    private func videoSettings(size: PixelSize) -> VideoSettings {
        let live = SessionConfiguration.recommendedBitrate(size: size, frameRate: configuration.frameRate)
        let isLive = destinations.contains { $0.plan.isLive }
        return VideoSettings(
            size: size, frameRate: configuration.frameRate, rateControl: configuration.rateControl ?? (isLive ? .bitrate(live) : .quality(23)),
            preset: configuration.preset, latency: configuration.latency, keyframeInterval: configuration.keyframeInterval)
    }

    /// Starts the destinations, then time, then picture and sound. Gives the thread that turns PulseAudio.
    private func begin(_ threads: Threads, stream: StreamDescription, outputSize: PixelSize) -> NamedThread? {
        let requestKeyframe: @Sendable () -> Void = { [distributor] in distributor.requestKeyframe() }
        for destination in destinations {
            var own = stream
            if destination.plan.takesRawVideo { own.video?.codec = .i420 }
            if !destination.plan.takesVideo { own.video = nil }
            if !destination.plan.takesAudio { own.audio = [] }
            destination.start(own, requestKeyframe: requestKeyframe)
        }
        let clock = SessionClock()
        status.withLock { $0.clock = clock }
        let prefersConstant = destinations.contains { $0.plan.prefersConstantPacing }
        capture.begin(clock: clock, outputSize: outputSize, pacing: configuration.pacing ?? (prefersConstant ? .constant : .variable))
        let observer = self.observer
        return audio?.begin(clock: clock) { event in
            if let warning = Self.warning(for: event) { observer(.warning(warning)) }
        }
    }

    private static func warning(for event: PulseEvent) -> String? {
        switch event {
        case .started: nil
        case .serverUnavailable(let reason):
            "No sound: PulseAudio cannot be reached (\(reason)). The broadcast goes on in silence and sound comes back by itself."
        case .interrupted(let track, let reason):
            "No sound from \(track == .mic ? "the microphone" : "the applications") (\(reason)). It is tried again every second."
        }
    }

    // MARK: While it runs

    /// The session ends by itself once no destination is left.
    private func watchDestinations() {
        Task { [ending, destinations] in
            for destination in destinations { await destination.waitUntilOver() }
            ending.reach(.destinationsEnded)
        }
    }

    /// Twice a second: goes live when all destinations are, tells of statistics, and looks at the time.
    private func supervise() async {
        var ticks = 0
        while !Task.isCancelled {
            let states = destinations.map(\.state)
            if !states.contains(.connecting), states.contains(where: { $0 == .live }) { goLive() }
            let elapsed = status.withLock { $0.clock?.now ?? .zero }
            if let duration = configuration.duration {
                if elapsed >= duration { ending.reach(.asked) }
                let rest = duration - elapsed
                if rest < MediaTime(milliseconds: 500) && rest > .zero {
                    try? await Task.sleep(for: .nanoseconds(rest.nanoseconds))
                    ending.reach(.asked)
                    return
                }
            }
            // The first second is watched more closely, so that whoever waits for "live" learns it at once.
            ticks += 1
            if ticks > 20 {
                observer(.statistics)
                try? await Task.sleep(for: .milliseconds(500))
            } else {
                try? await Task.sleep(for: .milliseconds(25))
            }
        }
    }

    /// Once: from then on only the user takes it out of that state.
    private func goLive() {
        if status.withLock({ $0.state }) == .starting { change(to: .live) }
    }

    @discardableResult private func change(to state: SessionState) -> Bool {
        let isNews = status.withLock { status -> Bool in
            guard status.state.allows(state) else { return false }
            status.state = state
            if state == .finishing { status.elapsed = status.clock?.now }
            return true
        }
        if isNews { observer(.state(state)) }
        return isNews
    }

    // MARK: The end

    /// Stops in the order in which data flows, so that nothing that was captured is lost.
    private func finish(_ threads: Threads, pulse: NamedThread?) async {
        let end = status.withLock { $0.clock?.now ?? .zero }
        capture.stop()
        audio?.stop(at: end)
        await threads.capture.join()
        await threads.video.join()
        await threads.audio?.join()
        await pulse?.join()
        for destination in destinations { destination.queue.end() }
        let deadline = Task { [destinations] in
            try await Task.sleep(for: Self.finishDeadline)
            for destination in destinations where !destination.state.isOver {
                destination.fail(.unreachable("\(destination.plan.name) did not finish in time and was given up."))
                destination.abandon()
            }
        }
        let hurry = Task { [destinations] in
            // A viewer's server that takes nothing any more does not hold up the end.
            try await Task.sleep(for: .milliseconds(800))
            for destination in destinations where destination.plan.isLive && !destination.state.isOver && !destination.isPatient {
                destination.queue.discardAll()
                destination.abandon()
            }
            // An extension has some seconds of its own to write out; one that does not read by then is ended.
            try await Task.sleep(for: .milliseconds(5900))
            for destination in destinations where destination.isPatient && !destination.state.isOver { destination.abandon() }
        }
        // A handler that blocks in a system call cannot be ended; its destination can.
        for destination in destinations { await destination.waitUntilOver() }
        deadline.cancel()
        hurry.cancel()
    }
}
