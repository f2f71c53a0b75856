import Media
import Upload

/// The life of a destination, on its own thread: connect, serve, lose the connection, wait, connect again, end.
struct DestinationTask {
    /// A connection that lasted this long starts the count of tries again.
    private static let lastingConnection = Duration.seconds(60)

    private let destination: Destination
    private let plan: DestinationPlan
    private let queue: PacketQueue
    private let context: HandlerContext
    /// With the annotations that came so far: what the next connection begins with.
    private var stream: StreamDescription
    private var timeline = PauseTimeline()
    /// Nil if the recording begins with the session, whose time zero is its own then.
    private var start: RecordingStart?
    private var isPaused = false
    /// Tries since the last connection that lasted.
    private var attempts = 0
    private var wasLive = false

    /// - Parameter joinsLate: the session runs already.
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
                // The handler closes what it has; the first error is the one that counts.
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

    /// One connection, from `started` to `finished`.
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

    /// The packets that the handler gets for `packet`. Viewers see the slate; in a recording the paused stretch is cut out.
    private mutating func placed(_ packet: EncodedPacket) -> [EncodedPacket] {
        if plan.isLive { return [packet] }
        guard let packet = timeline.place(packet) else { return [] }
        return start?.place(packet) ?? [packet]
    }

    /// Live, or paused, once the far end accepts data; before that, and while it does not, it is connecting.
    private mutating func reportState(_ handler: any SampleHandler) {
        let state = destination.state
        let remarks = handler.remarks
        guard remarks.isReady else {
            guard wasLive, state != .reconnecting else { return }
            return destination.change(to: .reconnecting, error: .connectionLost(status: remarks.status))
        }
        guard state != .live && state != .paused || isPaused != (state == .paused) else { return }
        if wasLive && state == .reconnecting { destination.countReconnect() }
        // The tries of the first connection do not count as tries to restore it.
        if !wasLive { attempts = 0 }
        wasLive = true
        destination.change(to: isPaused ? .paused : .live)
    }

    /// Waits until it is time to connect again; false if the destination is over.
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

    /// True if the user stopped the destination before it connected. That is an end as requested.
    private func wasStoppedBeforeLive(_ error: UploadError) -> Bool {
        destination.end == .asked && !wasLive && error.isUnreachable
    }

    /// Returns the wait before the next try; nil if another try is not worthwhile. A first connection that fails is a
    /// mistake more often than an outage, unless the server still holds the connection before, or the user asked to
    /// wait for the network.
    private func delay(after error: UploadError) -> Duration? {
        guard case .live(var retry?) = plan.delivery else { return nil }
        let waitsForNetwork = plan.waitsForNetwork && !wasLive
        switch error.retry {
        case .never: return nil
        case .laterOnceLive: guard wasLive else { return nil }
        case .later: guard wasLive || waitsForNetwork else { return nil }
        case .busy: break
        }
        if waitsForNetwork { retry.maximumAttempts = nil }
        return retry.delay(before: attempts, chance: .random(in: 0...1))
    }
}

extension UploadError {
    /// True if the far end did not answer, as opposed to refusing.
    fileprivate var isUnreachable: Bool { code == 503 }
}
