import BroadcastExtension
import Media
import Mux
import Synchronization

/// Takes packets from a bounded queue and sends them as a transport stream. If the connection breaks, it connects again
/// and restarts the stream with tables and a keyframe. `push` never waits.
final class SRTSender: Sendable {
    /// The maximum age of packets that waited for a connection. Older packets are discarded in favour of a new
    /// keyframe.
    private static let freshness = MediaTime(milliseconds: 500)
    /// The maximum time without an acknowledgement from the peer.
    private static let progressDeadline = Duration.seconds(5)
    /// The time limit for sending the end of the broadcast. The receiver's latency is additional.
    private static let drainDeadline = Duration.seconds(2)

    private let settings: SRTSettings
    private let stream: StreamDescription
    private let policy: RetryPolicy
    private let queue = PacketQueue(limits: .live)
    private let report: @Sendable (String) -> Void
    /// Called with true when the connection is established, and with false when it is lost.
    private let ready: @Sendable (Bool) -> Void
    private let requestKeyframe: @Sendable () -> Void
    private let fail: @Sendable (BroadcastFailure) -> Void
    private let hasAskedForKeyframe = Atomic(false)
    /// The deadline for sending the remaining packets, or nil before `end`.
    private let endDeadline = Mutex<ContinuousClock.Instant?>(nil)

    init(
        _ settings: SRTSettings, stream: StreamDescription, policy: RetryPolicy = RetryPolicy(), report: @escaping @Sendable (String) -> Void,
        ready: @escaping @Sendable (Bool) -> Void, requestKeyframe: @escaping @Sendable () -> Void,
        fail: @escaping @Sendable (BroadcastFailure) -> Void
    ) {
        self.settings = settings
        self.stream = stream
        self.policy = policy
        self.report = report
        self.ready = ready
        self.requestKeyframe = requestKeyframe
        self.fail = fail
        queue.open()
    }

    /// The media time that waits to be sent.
    var backlog: MediaTime { queue.backlog }

    /// Adds a packet. If too much waits, pictures are dropped up to the next keyframe.
    func push(_ packet: EncodedPacket) {
        if packet.track == .screen && packet.isKeyframe { hasAskedForKeyframe.store(false, ordering: .relaxed) }
        if queue.push(packet) { askForKeyframe() }
    }

    /// Ends the stream: `run` returns when everything was sent.
    func end() {
        let deadline = ContinuousClock.now + Self.drainDeadline
        endDeadline.withLock { $0 = deadline }
        queue.end()
    }

    /// Sends until the end. Returns early only if the sender gives up.
    func run() async {
        SRTSocket.startUp()
        var hasConnected = false
        var failures = 0
        while true {
            do throws(SRTFailure) {
                let socket = try await connect()
                report(hasConnected ? "connected again" : "connected")
                ready(true)
                if hasConnected || queue.backlog > Self.freshness {
                    queue.discardAll()
                    askForKeyframe()
                }
                hasConnected = true
                failures = 0
                try await send(through: socket)
                return await drain(socket)
            } catch {
                failures += 1
                guard mayRetry(error, failures: failures, hasConnected: hasConnected) else { return }
                await sleep(for: policy.delay(after: failures))
            }
        }
    }

    /// Sleeps for `duration`, but at most until the end of the broadcast, so that a stop during an outage does not wait
    /// for the next attempt.
    private func sleep(for duration: Duration) async {
        let end = ContinuousClock.now + duration
        while !isEnding && ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    }

    /// Connects to the host's addresses in order, because it is unknown on which of them the server listens.
    private func connect() async throws(SRTFailure) -> SRTSocket {
        // Name resolution can take seconds, so do not start it after the end.
        if isEnding { throw .unreachable("the broadcast ended first") }
        var failure = SRTFailure.unreachable("the host's name has no address")
        for address in try SRTPeerAddress.all(host: settings.host, port: settings.port) {
            do throws(SRTFailure) {
                return try await connect(to: address)
            } catch {
                // A refusal is an answer, so do not try the other addresses.
                if case .refused = error { throw error }
                if isEnding { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func connect(to address: SRTPeerAddress) async throws(SRTFailure) -> SRTSocket {
        let socket = try SRTSocket(settings, calling: address)
        while try !socket.isConnected {
            if isEnding { throw .unreachable("the broadcast ended first") }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return socket
    }

    private func send(through socket: borrowing SRTSocket) async throws(SRTFailure) {
        var muxer = MPEGTSMuxer()
        var window = SendWindow(latency: settings.latency)
        _ = muxer.begin(stream)
        while let element = await queue.next() {
            guard case .packet(let packet) = element else { continue }
            // Send a whole access unit at once, so that no part of a picture waits for the next one.
            var rest = muxer.append(packet)[...]
            window.add(byteCount: rest.count, at: packet.decodeTime)
            while !rest.isEmpty {
                let part = rest.prefix(SRTSocket.payloadByteCount)
                guard try await send(part, through: socket, keeping: window.byteCount) else { return }
                rest = rest.dropFirst(part.count)
            }
        }
    }

    /// Sends when at most `limit` bytes wait for an acknowledgement. Meanwhile, the queue drops pictures and keeps
    /// sound. Returns false if the end of the broadcast exceeds its time limit.
    private func send(_ bytes: ArraySlice<UInt8>, through socket: borrowing SRTSocket, keeping limit: Int) async throws(SRTFailure) -> Bool {
        var waiting = try socket.waitingByteCount
        if waiting <= limit, try socket.send(bytes) { return true }
        var deadline = ContinuousClock.now + Self.progressDeadline
        while !isOver {
            try? await Task.sleep(for: .milliseconds(5))
            let rest = try socket.waitingByteCount
            if rest <= limit, try socket.send(bytes) { return true }
            if rest < waiting { deadline = ContinuousClock.now + Self.progressDeadline }
            waiting = rest
            guard ContinuousClock.now < deadline else { throw .unreachable("the connection accepts no more data") }
        }
        return false
    }

    /// Waits until the peer has acknowledged and played everything. When the connection closes, the receiver drops the
    /// packets in its latency buffer.
    private func drain(_ socket: consuming SRTSocket) async {
        do throws(SRTFailure) {
            while try socket.waitingByteCount > 0 && !isOver { try? await Task.sleep(for: .milliseconds(10)) }
        } catch {
            // The peer has closed the connection, so nothing is played any more.
            return
        }
        try? await Task.sleep(for: .milliseconds(min(1500, Int(settings.latency) + 50)))
    }

    private var isEnding: Bool { endDeadline.withLock { $0 != nil } }

    /// True if the time limit for the end of the broadcast has passed.
    private var isOver: Bool {
        guard let deadline = endDeadline.withLock({ $0 }) else { return false }
        return deadline <= ContinuousClock.now
    }

    private func mayRetry(_ failure: SRTFailure, failures: Int, hasConnected: Bool) -> Bool {
        let peer = "\(settings.host):\(settings.port)"
        switch failure {
        // A server that restarts can refuse a stream temporarily. A wrong passphrase is permanent.
        case .refused(let code, let reason) where !hasConnected || code == 401:
            fail(BroadcastFailure(code: code, message: "\(peer) refused the stream: \(reason)"))
            return false
        case .refused(_, let reason), .unreachable(let reason):
            if isEnding || failures >= (hasConnected ? policy.attempts : policy.attemptsBeforeFirst) {
                // If the server never answered, the host does not retry either.
                fail(BroadcastFailure(code: 503, message: "\(peer) cannot be reached: \(reason)", retry: hasConnected))
                return false
            }
            report("calling \(peer) again: \(reason)")
            if failures == 1 { ready(false) }
            return true
        }
    }

    /// Requests a keyframe, once until a keyframe arrives.
    private func askForKeyframe() {
        if !hasAskedForKeyframe.exchange(true, ordering: .relaxed) { requestKeyframe() }
    }
}
