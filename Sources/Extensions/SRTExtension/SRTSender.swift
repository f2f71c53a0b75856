import BroadcastExtension
import Concurrency
import Media
import Mux
import Synchronization

/// Takes packets from a bounded queue and sends them as a transport stream. If the connection breaks, it connects
/// again, or waits for the next receiver, and restarts the stream with tables and a keyframe. `push` never waits.
package final class SRTSender: Sendable {
    /// The maximum age of packets that waited for a connection. Older packets are discarded in favour of a new
    /// keyframe.
    static let freshness = MediaTime(milliseconds: 500)
    /// The time limit for sending the end of the broadcast. The receiver's latency is additional.
    private static let drainDeadline = Duration.seconds(2)

    let settings: SRTSettings
    private let stream: StreamDescription
    let policy: ReconnectionPolicy
    /// True if an earlier process of the destination was live.
    let wasLive: Bool
    let queue: PacketQueue
    let report: @Sendable (String) -> Void
    /// Called with true when a server accepts the stream or this program listens, and with false when the connection is
    /// lost.
    let ready: @Sendable (Bool) -> Void
    private let requestKeyframe: @Sendable () -> Void
    let fail: @Sendable (BroadcastFailure) -> Void
    private let hasAskedForKeyframe = Atomic(false)
    /// The deadline for sending the remaining packets, or nil before `end`.
    private let endDeadline = Mutex<ContinuousClock.Instant?>(nil)
    let origin = ContinuousClock.now
    private let link: Mutex<LinkRate>
    /// True after the status reported that the line is too narrow.
    private let isNarrow = Atomic(false)

    package init(
        _ settings: SRTSettings, stream: StreamDescription, policy: ReconnectionPolicy = .calls, wasLive: Bool = false,
        report: @escaping @Sendable (String) -> Void, ready: @escaping @Sendable (Bool) -> Void,
        requestKeyframe: @escaping @Sendable () -> Void,
        fail: @escaping @Sendable (BroadcastFailure) -> Void
    ) {
        self.settings = settings
        self.stream = stream
        var limits = PacketQueue.Limits.live
        if stream.video == nil { limits.startsWithVideo = false }
        queue = PacketQueue(limits: limits)
        link = Mutex(LinkRate(latency: settings.latency))
        self.policy = policy
        self.wasLive = wasLive
        self.report = report
        self.ready = ready
        self.requestKeyframe = requestKeyframe
        self.fail = fail
        queue.open()
    }

    /// The media time that waits to be sent.
    package var backlog: MediaTime { queue.backlog }

    /// The bitrate of picture and sound in kbit/s that the line takes; nil while no limit is known.
    package var acceptedBitrate: Int? { link.withLock { $0.ceiling } }

    /// Adds a packet. If too much waits, pictures are dropped up to the next keyframe.
    package func push(_ packet: EncodedPacket) {
        if packet.track == .screen && packet.isKeyframe { hasAskedForKeyframe.store(false, ordering: .relaxed) }
        if queue.push(packet) { askForKeyframe() }
    }

    /// Ends the stream: `run` returns when everything was sent.
    package func end() {
        let deadline = ContinuousClock.now + Self.drainDeadline
        endDeadline.withLock { $0 = deadline }
        queue.end()
    }

    /// Sends until the end. Returns early only if the sender gives up.
    package func run() async {
        SRTSocket.startUp()
        switch settings.mode {
        case .caller: await call()
        case .listener: await listen()
        }
    }

    // MARK: Sending

    private var now: MediaTime { MediaTime(ContinuousClock.now - origin) }

    /// Sends until the end of the broadcast.
    ///
    /// - Parameter progressed: called after packets of which the peer has acknowledged some.
    func send(through socket: borrowing SRTSocket, progressed: () -> Void) async throws(SRTFailure) {
        var muxer = MPEGTSMuxer()
        var window = SendWindow(latency: settings.latency)
        var pace = SendPace(at: now)
        var budget = SendBudget(at: now)
        link.withLock { $0.restart() }
        var ceiling: Int?
        _ = muxer.begin(stream)
        while let element = await queue.next() {
            guard case .packet(let packet) = element else { continue }
            // Send a whole access unit at once, so that no part of a picture waits for the next one.
            var rest = muxer.append(packet)[...]
            window.add(byteCount: rest.count, at: packet.decodeTime)
            while !rest.isEmpty {
                let part = rest.prefix(settings.payloadByteCount)
                watch(socket, backlog: .zero)
                if acceptedBitrate != ceiling, settings.options.maximumBandwidth == nil {
                    ceiling = acceptedBitrate
                    socket.limitBandwidth(ceiling)
                }
                budget.setRate(ceiling: acceptedBitrate, stream: window.bytesPerSecond, backlog: backlog)
                while !budget.take(part.count, at: now), !isOver { try? await Task.sleep(for: .milliseconds(2)) }
                guard try await send(part, through: socket, keeping: window.byteCount, &pace) else { return }
                rest = rest.dropFirst(part.count)
            }
            if pace.hasProgress { progressed() }
        }
    }

    /// Reads the counters of the connection now and then, and reports a line that is too narrow.
    ///
    /// - Parameter backlog: the media that waits because libsrt takes no more.
    private func watch(_ socket: borrowing SRTSocket, backlog: MediaTime) {
        let now = now
        guard link.withLock({ $0.isDue(at: now) }), let reading = socket.reading(backlog: backlog) else { return }
        let (isLowered, isRecovered, ceiling, share) = link.withLock { link in
            let isLowered = link.note(reading, at: now)
            return (isLowered, link.isRecovered(at: now), link.ceiling ?? 0, link.lossShare)
        }
        if isRecovered, isNarrow.exchange(false, ordering: .relaxed) { report("connected") }
        guard isLowered else { return }
        isNarrow.store(true, ordering: .relaxed)
        let percent = Int((share * 100).rounded())
        report(
            "the line takes about \(ceiling) kbit/s" + (percent > 0 ? ", and loses \(percent) % of the packets" : ""))
    }

    /// Sends when `pace` allows it. Meanwhile, the queue drops pictures and keeps sound. Returns false if the end of
    /// the broadcast exceeds its time limit.
    private func send(
        _ bytes: ArraySlice<UInt8>, through socket: borrowing SRTSocket, keeping limit: Int, _ pace: inout SendPace
    ) async throws(SRTFailure) -> Bool {
        while !isOver {
            switch pace.decide(waiting: try socket.waitingByteCount, limit: limit, at: now) {
            case .giveUp: throw .unreachable("the connection accepts no more data")
            case .send:
                if try socket.send(bytes) {
                    pace.noteSent(byteCount: bytes.count, at: now)
                    return true
                }
                // libsrt's own buffer is full.
                if pace.isStalled(at: now) { throw .unreachable("the connection accepts no more data") }
            case .wait: watch(socket, backlog: backlog)
            }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Waits until the peer has acknowledged and played everything. When the connection closes, the receiver drops the
    /// packets in its latency buffer.
    func drain(_ socket: consuming SRTSocket) async {
        do throws(SRTFailure) {
            while try socket.waitingByteCount > 0 && !isOver { try? await Task.sleep(for: .milliseconds(10)) }
        } catch {
            // The peer has closed the connection, so nothing is played any more.
            return
        }
        try? await Task.sleep(for: .milliseconds(min(1500, Int(settings.latency) + 50)))
    }

    var isEnding: Bool { endDeadline.withLock { $0 != nil } }

    /// True if the time limit for the end of the broadcast has passed.
    private var isOver: Bool {
        guard let deadline = endDeadline.withLock({ $0 }) else { return false }
        return deadline <= ContinuousClock.now
    }

    /// Requests a keyframe, once until a keyframe arrives.
    func askForKeyframe() {
        if !hasAskedForKeyframe.exchange(true, ordering: .relaxed) { requestKeyframe() }
    }
}
