import BroadcastExtension
import Media
import Mux
import Synchronization

/// Takes packets from a bounded queue and sends them as a transport stream; calls again where the connection broke, and begins anew with
/// tables and a keyframe. Whoever pushes never waits.
final class SRTSender: Sendable {
    /// What has waited longer than that for a connection is old: better a fresh picture.
    private static let freshness = MediaTime(milliseconds: 500)
    /// How long the other side may acknowledge nothing.
    private static let progressDeadline = Duration.seconds(5)
    /// How long the end of the broadcast may take; the receiver's latency comes on top.
    private static let drainDeadline = Duration.seconds(2)

    private let settings: SRTSettings
    private let stream: StreamDescription
    private let policy: RetryPolicy
    private let queue = PacketQueue(limits: .live)
    private let report: @Sendable (String) -> Void
    /// Is told when a connection stands, and when it does not any more.
    private let ready: @Sendable (Bool) -> Void
    private let requestKeyframe: @Sendable () -> Void
    private let fail: @Sendable (BroadcastFailure) -> Void
    private let hasAskedForKeyframe = Atomic(false)
    /// When the last of it must be sent, once the end has come.
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

    /// What waits for the line.
    var backlog: MediaTime { queue.backlog }

    /// Hands on a packet; pictures are dropped up to a keyframe where too much waits.
    func push(_ packet: EncodedPacket) {
        if packet.track == .screen && packet.isKeyframe { hasAskedForKeyframe.store(false, ordering: .relaxed) }
        if queue.push(packet) { askForKeyframe() }
    }

    /// Nothing more comes: `run` returns once everything was sent.
    func end() {
        let deadline = ContinuousClock.now + Self.drainDeadline
        endDeadline.withLock { $0 = deadline }
        queue.end()
    }

    /// Sends until the end; returns early only where it has given up.
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

    /// Sleeps that long, and no longer than to the end of the broadcast: whoever stops it during an outage does not wait for the next call.
    private func sleep(for duration: Duration) async {
        let end = ContinuousClock.now + duration
        while !isEnding && ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    }

    /// Calls the host's addresses one after another; which of them the server listens on, nobody says.
    private func connect() async throws(SRTFailure) -> SRTSocket {
        // A name may take seconds to look up: not once it is over.
        if isEnding { throw .unreachable("the broadcast ended before") }
        var failure = SRTFailure.unreachable("the host's name has no address")
        for address in try SRTPeerAddress.all(host: settings.host, port: settings.port) {
            do throws(SRTFailure) {
                return try await connect(to: address)
            } catch {
                // Whoever refuses has answered.
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
            if isEnding { throw .unreachable("the broadcast ended before") }
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
            // A whole access unit at once, so that no part of a picture waits for the next one.
            var rest = muxer.append(packet)[...]
            window.add(byteCount: rest.count, at: packet.decodeTime)
            while !rest.isEmpty {
                let part = rest.prefix(SRTSocket.payloadByteCount)
                guard try await send(part, through: socket, keeping: window.byteCount) else { return }
                rest = rest.dropFirst(part.count)
            }
        }
    }

    /// Sends once at most `limit` bytes wait for the other side: past that pictures are dropped from the queue, where sound is spared.
    /// False where the end of the broadcast would take too long.
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
            guard ContinuousClock.now < deadline else { throw .unreachable("the connection takes nothing any more") }
        }
        return false
    }

    /// Waits until all has arrived and been played out: with the connection the receiver drops what it still holds back.
    private func drain(_ socket: consuming SRTSocket) async {
        do throws(SRTFailure) {
            while try socket.waitingByteCount > 0 && !isOver { try? await Task.sleep(for: .milliseconds(10)) }
        } catch {
            // The other side has left: nothing is played out any more.
            return
        }
        try? await Task.sleep(for: .milliseconds(min(1500, Int(settings.latency) + 50)))
    }

    private var isEnding: Bool { endDeadline.withLock { $0 != nil } }

    /// The end has come, and has taken long enough.
    private var isOver: Bool {
        guard let deadline = endDeadline.withLock({ $0 }) else { return false }
        return deadline <= ContinuousClock.now
    }

    private func mayRetry(_ failure: SRTFailure, failures: Int, hasConnected: Bool) -> Bool {
        let peer = "\(settings.host):\(settings.port)"
        switch failure {
        // A server that starts again may refuse what it will take later; a passphrase stays wrong.
        case .refused(let code, let reason) where !hasConnected || code == 401:
            fail(BroadcastFailure(code: code, message: "\(peer) refused the stream: \(reason)"))
            return false
        case .refused(_, let reason), .unreachable(let reason):
            if isEnding || failures >= (hasConnected ? policy.attempts : policy.attemptsBeforeFirst) {
                // Where nobody ever answered, the host need not try either.
                fail(BroadcastFailure(code: 503, message: "\(peer) cannot be reached: \(reason)", retry: hasConnected))
                return false
            }
            report("calling \(peer) again: \(reason)")
            if failures == 1 { ready(false) }
            return true
        }
    }

    /// Once until one comes.
    private func askForKeyframe() {
        if !hasAskedForKeyframe.exchange(true, ordering: .relaxed) { requestKeyframe() }
    }
}
