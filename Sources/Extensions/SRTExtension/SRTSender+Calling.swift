import BroadcastExtension
import Concurrency
import Media

/// The caller: it calls the server until a connection lasts, and again when it breaks.
extension SRTSender {
    /// The results of the calls up to now.
    private struct Calls {
        var reconnection: Reconnection
        /// There was a connection, so the queue does not start with a keyframe any more.
        var hasSent = false
        /// A server has accepted the stream once, now or in an earlier process.
        var wasAccepted: Bool
        /// The number of connections that the server closed at once.
        var hangUps = 0
        /// The state of the current connection.
        var connection = Connection.none
    }

    private enum Connection {
        case none
        /// The connection exists, and the server has not accepted the stream yet.
        case onTrial
        case accepted
    }

    private var elapsed: Duration { ContinuousClock.now - origin }

    func call() async {
        var calls = Calls(reconnection: Reconnection(policy, wasAccepted: wasLive), wasAccepted: wasLive)
        while true {
            do throws(SRTFailure) {
                let socket = try await connect()
                if calls.hasSent || queue.backlog > Self.freshness {
                    queue.discardAll()
                    askForKeyframe()
                }
                calls.hasSent = true
                calls.connection = .onTrial
                let start = elapsed
                try await send(through: socket) { note(since: start, &calls) }
                return await drain(socket)
            } catch {
                var failure = error
                calls.reconnection.ended(at: elapsed)
                if calls.connection != .accepted && failure == .lost {
                    calls.hangUps += 1
                    failure = .hungUp(count: calls.hangUps)
                }
                let wait = calls.reconnection.nextWait()
                guard mayRetry(failure, hasTriesLeft: wait != nil, wasAccepted: calls.wasAccepted), let wait else {
                    return
                }
                if calls.connection == .accepted { ready(false) }
                calls.connection = .none
                await sleep(for: wait)
            }
        }
    }

    /// Records that the server acknowledges packets.
    ///
    /// - Parameter start: the time at which the connection was made.
    private func note(since start: Duration, _ calls: inout Calls) {
        guard calls.connection == .onTrial && elapsed - start >= policy.trial else { return }
        calls.reconnection.accepted(at: start, isConfirmed: true)
        report(calls.wasAccepted ? "connected again" : "connected")
        ready(true)
        calls.connection = .accepted
        calls.wasAccepted = true
        calls.hangUps = 0
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
        for address in try SRTPeerAddress.all(host: settings.host, port: settings.port) where settings.canReach(address)
        {
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

    private func mayRetry(_ failure: SRTFailure, hasTriesLeft: Bool, wasAccepted: Bool) -> Bool {
        let peer = "\(settings.host):\(settings.port)"
        switch failure {
        // A server that restarts can refuse a stream temporarily. A wrong passphrase is permanent.
        case .refused(let code, let reason) where !wasAccepted || ReportedCode(code) == .unauthorized:
            fail(BroadcastFailure(code: code, message: "\(peer) refused the stream: \(reason)"))
            return false
        case .lost:
            let reason = "the connection was lost"
            return mayRetry("cannot be reached: \(reason)", because: reason, hasTriesLeft, wasAccepted)
        case .refused(_, let reason), .unreachable(let reason):
            return mayRetry("cannot be reached: \(reason)", because: reason, hasTriesLeft, wasAccepted)
        case .hungUp(let count):
            let reason = "accepted the connection and closed it at once" + (count == 1 ? "" : ", \(count) times")
            return mayRetry("\(reason): check the stream id", because: "it \(reason)", hasTriesLeft, wasAccepted)
        }
    }

    /// - Parameter problem: what the peer did, as the end of a sentence that begins with its address.
    private func mayRetry(_ problem: String, because reason: String, _ hasTriesLeft: Bool, _ wasAccepted: Bool) -> Bool
    {
        let peer = "\(settings.host):\(settings.port)"
        if isEnding || !hasTriesLeft {
            // If the server never accepted the stream, the host does not retry either.
            fail(BroadcastFailure(code: 503, message: "\(peer) \(problem)", retry: wasAccepted))
            return false
        }
        report("calling \(peer) again: \(reason)")
        return true
    }
}
