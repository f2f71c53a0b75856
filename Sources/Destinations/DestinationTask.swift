import Media
import Upload

/// The life cycle of a destination: connect, serve, wait after a lost connection, connect again, end. It runs on the
/// destination's own thread.
struct DestinationTask {
    /// After a connection of this duration, the count of tries starts at zero again.
    private static let lastingConnection = Duration.seconds(60)

    private let destination: Destination
    private let plan: DestinationPlan
    private let queue: PacketQueue
    private let context: HandlerContext
    /// The description with which the next connection starts. It contains all annotations up to now.
    private var stream: StreamDescription
    private var timeline = PauseTimeline()
    /// Nil if the recording starts with the session and has the same time zero.
    private var start: RecordingStart?
    private var isPaused = false
    /// The number of tries since the last lasting connection.
    private var attempts = 0
    private var wasLive = false

    /// - Parameter joinsLate: true if the session already runs.
    init(destination: Destination, stream: StreamDescription, joinsLate: Bool, context: HandlerContext) {
        self.destination = destination
        plan = destination.plan
        queue = destination.queue
        self.stream = stream
        self.context = context
        if joinsLate && !plan.isLive {
            start = RecordingStart(hasVideo: plan.media.takesVideo, priming: plan.media.takesRawAudio ? .zero : stream.priming)
        }
    }

    /// Returns once the destination is over.
    mutating func run() async {
        while true {
            let handler = plan.makeHandler()
            destination.adopt(handler)
            handler.attach(context)
            do throws(UploadError) {
                try await serve(handler)
                return destination.change(to: .finished)
            } catch .readerClosed {
                queue.end()
                try? await handler.finished(deadline: .zero)
                return destination.change(to: .finished)
            } catch {
                queue.close()
                // The handler closes its connection. The first error is the result.
                try? await handler.finished(deadline: .zero)
                if wasAbandonedAtEnd {
                    queue.end()
                    queue.discardAll()
                    return destination.change(to: .finished)
                }
                guard await waitForNextTry(after: error) else { return }
            }
        }
    }

    /// True if the destination was live until its end, and was abandoned because the server accepts the backlog too
    /// slowly. The viewers have what the server accepted, so that is not a failure.
    private var wasAbandonedAtEnd: Bool {
        plan.kind == .rtmp && wasLive && destination.end != nil && Task.isCancelled && destination.state != .reconnecting
    }

    /// Serves one connection, from `started` to `finished`.
    private mutating func serve(_ handler: any SampleHandler) async throws(UploadError) {
        let begin = ContinuousClock.now
        defer { destination.setServing(false) }
        try await handler.started(stream)
        destination.setServing(true)
        if plan.isLive {
            queue.open()
            context.requestKeyframe()
        }
        if isPaused { try await handler.paused() }
        reportState(handler)
        while let element = await queue.next() {
            try await process(element, handler)
            reportState(handler)
            if attempts > 0 && begin.duration(to: .now) > Self.lastingConnection { attempts = 0 }
        }
        try await handler.finished(deadline: plan.finishDeadline)
    }

    private mutating func process(_ element: PacketQueue.Element, _ handler: any SampleHandler) async throws(UploadError) {
        switch element {
        case .packet(let packet):
            for placed in placed(packet) {
                try await handler.process(placed)
                destination.noteMedia(at: placed.presentationTime)
            }
        case .paused(let time):
            timeline.pause(at: time)
            isPaused = true
            try await handler.paused()
        case .resumed(let time):
            timeline.resume(at: time)
            isPaused = false
            try await handler.resumed()
        case .annotated(let information):
            stream.annotations.merge(information) { _, new in new }
            try await handler.annotated(information)
        }
    }

    /// Returns the packets that the handler receives for `packet`. Viewers see the slate. From a recording, paused
    /// intervals are removed.
    private mutating func placed(_ packet: EncodedPacket) -> [EncodedPacket] {
        if plan.isLive { return [packet] }
        guard let packet = timeline.place(packet) else { return [] }
        return start?.place(packet) ?? [packet]
    }

    /// Sets the state to live or paused when the far end accepts data, and to reconnecting if it stops accepting data.
    private mutating func reportState(_ handler: any SampleHandler) {
        let state = destination.state
        let remarks = handler.remarks
        guard remarks.isReady else {
            guard wasLive, state != .reconnecting else { return }
            return destination.change(to: .reconnecting, error: .connectionLost(status: remarks.status))
        }
        guard state != .live && state != .paused || isPaused != (state == .paused) else { return }
        if wasLive && state == .reconnecting { destination.countReconnect() }
        // The tries of the first connection do not count as tries to restore a connection.
        if !wasLive { attempts = 0 }
        wasLive = true
        destination.change(to: isPaused ? .paused : .live)
    }

    /// Waits until the next try. Returns false if the destination is over.
    private mutating func waitForNextTry(after error: UploadError) async -> Bool {
        if wasStoppedBeforeLive(error) {
            destination.change(to: .finished)
            return false
        }
        guard destination.end == nil, let delay = delay(after: error) else {
            queue.end()
            queue.discardAll()
            destination.change(to: .failed, error: error)
            return false
        }
        attempts += 1
        guard await destination.waitForRetry(after: error, delay) else {
            let wasStopped = wasStoppedBeforeLive(error)
            destination.change(to: wasStopped ? .finished : .failed, error: wasStopped ? nil : error)
            return false
        }
        return true
    }

    /// True if the user stopped the destination before it connected. That is not a failure.
    private func wasStoppedBeforeLive(_ error: UploadError) -> Bool {
        destination.end == .asked && !wasLive && error.isUnreachable
    }

    /// Returns the wait before the next try; nil if there is no further try.
    ///
    /// A failed first connection is usually a user's mistake, so it is retried only if the server still has an earlier
    /// connection with the same key, or if the user chose to wait for the network. Extensions that gave up on a server
    /// that does not answer are started again then.
    private func delay(after error: UploadError) -> Duration? {
        guard case .live(var retry?) = plan.delivery else { return nil }
        let waitsForNetwork = plan.waitsForNetwork && !wasLive
        switch error.retry {
        case .never where waitsForNetwork && error.isUnreachable: break
        case .never: return nil
        case .laterOnceLive: guard wasLive else { return nil }
        case .later: guard wasLive || waitsForNetwork else { return nil }
        case .busy: break
        }
        if waitsForNetwork && error.retry != .busy { retry.maximumAttempts = nil }
        return retry.delay(before: attempts, chance: .random(in: 0...1))
    }
}

extension UploadError {
    /// True if the far end did not answer, as opposed to refusing.
    fileprivate var isUnreachable: Bool { code == 503 }
}
