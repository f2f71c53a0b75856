import Concurrency
import Media
import Upload

/// The life cycle of a destination: connect, serve, wait after a lost connection, connect again, end. It runs on the
/// destination's own thread.
struct DestinationTask {
    /// The number of unstable connections in a row after which the user is notified.
    private static let unstableConnections = 3
    /// How much of a recording is written at a time.
    private static let fileBatch = MediaTime(milliseconds: 200)

    private let destination: Destination
    private let plan: DestinationPlan
    private let queue: PacketQueue
    private let context: HandlerContext
    /// The description with which the next connection starts. It contains all annotations up to now.
    private var stream: StreamDescription
    private var timeline = PauseTimeline()
    /// Nil if the recording starts with the session and has the same time zero.
    private var start: RecordingStart?
    /// Nil for viewers, who get sound as soon as possible, and for a destination without pictures.
    private var hold: SoundHold?
    private var isPaused = false
    /// Nil if a lost connection is not made again.
    private var reconnection: Reconnection?
    /// The time since the destination started.
    private let elapsed: () -> Duration
    private var changes = ChangeLimit()
    private var wasLive = false

    /// - Parameter joinsLate: true if the session already runs.
    init(destination: Destination, stream: StreamDescription, joinsLate: Bool, context: HandlerContext) {
        self.destination = destination
        plan = destination.plan
        queue = destination.queue
        self.stream = stream
        self.context = context
        elapsed = destination.stopwatch()
        if case .live(let policy?) = plan.delivery { reconnection = Reconnection(policy) }
        if !plan.isLive && plan.media.takesVideo { hold = SoundHold() }
        if joinsLate && !plan.isLive {
            start = RecordingStart(
                hasVideo: plan.media.takesVideo, priming: plan.media.audio == .aac ? stream.priming : .zero)
        }
    }

    /// Returns once the destination is over.
    mutating func run() async {
        while true {
            let handler = plan.makeHandler()
            destination.adopt(handler)
            var context = context
            context.wasLive = wasLive
            handler.attach(context)
            do throws(UploadError) {
                try await serve(handler)
                if plan.isLive, !wasLive, !handler.remarks.isReady, destination.end == .over {
                    return destination.change(to: .failed, error: .neverLive(status: handler.remarks.status))
                }
                return destination.change(to: .finished)
            } catch .readerClosed {
                queue.end()
                try? await handler.finished(deadline: .zero)
                return destination.change(to: .finished)
            } catch {
                queue.close()
                reconnection?.ended(at: elapsed())
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
        plan.kind.sendsToServer && wasLive && destination.end != nil && Task.isCancelled
            && destination.state != .reconnecting
    }

    /// Serves one connection, from `started` to `finished`.
    private mutating func serve(_ handler: any SampleHandler) async throws(UploadError) {
        defer { destination.setServing(false) }
        try await handler.started(stream)
        destination.setServing(true)
        if plan.isLive {
            queue.open()
            context.requestKeyframe()
        } else if handler.remarks.isOnDisk {
            queue.takeInBatches(of: Self.fileBatch)
        }
        if isPaused { try await handler.paused() }
        try reportState(handler)
        while let element = await queue.next() {
            try await process(element, handler)
            try reportState(handler)
        }
        for packet in hold?.flush() ?? [] { try await process(packet, handler) }
        try await handler.finished(deadline: plan.finishDeadline)
    }

    private mutating func process(_ element: PacketQueue.Element, _ handler: any SampleHandler)
        async throws(UploadError)
    {
        switch element {
        case .packet(let packet):
            for packet in hold?.add(packet) ?? [packet] { try await process(packet, handler) }
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

    private mutating func process(_ packet: EncodedPacket, _ handler: any SampleHandler) async throws(UploadError) {
        for placed in placed(packet) {
            try await handler.process(placed)
            destination.noteMedia(at: placed.presentationTime)
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
    ///
    /// - Throws: `connectionLost` if the far end did not restore its connection in the time that the policy allows.
    private mutating func reportState(_ handler: any SampleHandler) throws(UploadError) {
        let remarks = handler.remarks
        guard remarks.isReady else {
            let lost = UploadError.connectionLost(status: remarks.status)
            reconnection?.ended(at: elapsed())
            guard wasLive else { return }
            if destination.state != .reconnecting, changes.allows(at: elapsed()) {
                destination.change(to: .reconnecting, error: lost)
                reportInstability()
            }
            if reconnection?.giveUpIfOverdue(at: elapsed()) == true { throw lost }
            return
        }
        reconnection?.accepted(at: elapsed(), isConfirmed: remarks.isConfirmed)
        let state = destination.state
        guard state != .live && state != .paused || isPaused != (state == .paused) else { return }
        guard state != .reconnecting || changes.allows(at: elapsed()) else { return }
        if wasLive && state == .reconnecting { destination.countReconnect() }
        wasLive = true
        destination.change(to: isPaused ? .paused : .live)
    }

    /// Notifies the user of a far end that repeatedly accepts connections and closes them.
    private func reportInstability() {
        if let count = reconnection?.shortConnections, count == Self.unstableConnections {
            context.report(.unstable(connections: count))
        }
    }

    /// Waits until the next try. Returns false if the destination is over.
    private mutating func waitForNextTry(after error: UploadError) async -> Bool {
        if wasStoppedAtStart(error) {
            destination.change(to: .finished)
            return false
        }
        guard destination.end == nil, let delay = delay(after: error) else {
            queue.end()
            queue.discardAll()
            destination.change(to: .failed, error: error)
            return false
        }
        reportInstability()
        guard await destination.waitForRetry(after: error, delay) else {
            let wasStopped = wasStoppedAtStart(error)
            destination.change(to: wasStopped ? .finished : .failed, error: wasStopped ? nil : error)
            return false
        }
        return true
    }

    /// True if the user stopped the destination before it connected, or before a recording had a picture. That is not a
    /// failure.
    private func wasStoppedAtStart(_ error: UploadError) -> Bool {
        guard destination.end == .asked else { return false }
        if case .nothingRecorded = error { return true }
        return !wasLive && error.meaning == .unreachable
    }

    /// Returns the wait before the next try; nil if there is no further try.
    ///
    /// A failed first connection is usually a user's mistake, so it is retried only if the server still has an earlier
    /// connection with the same key, or if the user chose to wait for the network. Extensions that gave up on a server
    /// that does not answer are started again then.
    private mutating func delay(after error: UploadError) -> Duration? {
        let waitsForNetwork = plan.waitsForNetwork && !wasLive
        switch error.retry {
        case .never: return nil
        case .laterOnceLive: guard wasLive || waitsForNetwork && error.meaning == .unreachable else { return nil }
        case .later: guard wasLive || waitsForNetwork else { return nil }
        case .busy: break
        }
        return reconnection?.nextWait(isLimited: !waitsForNetwork || error.retry == .busy, chance: .random(in: 0...1))
    }
}

/// Limits how often a far end changes the state of its destination: some changes at once, then one in a second.
private struct ChangeLimit {
    private static let burst = 4
    private var times: [Duration] = []

    /// Counts a change if it is allowed now. The caller tries it again later if it is not.
    mutating func allows(at now: Duration) -> Bool {
        if times.count == Self.burst {
            guard now - times[0] >= .seconds(Self.burst) else { return false }
            times.removeFirst()
        }
        times.append(now)
        return true
    }
}
