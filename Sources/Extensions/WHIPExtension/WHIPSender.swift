import Bitstream
import BroadcastExtension
import CLinux
import Concurrency
import Glibc
import HTTPClient
import Media
import Synchronization
import WebRTC

/// Publishes one broadcast: opens a session, sends until it ends, and opens another one if the connection is lost.
/// `push` never waits.
final class WHIPSender: Sendable {
    /// What the handler has for the sending thread.
    private struct Inbox {
        /// The number of the session, from 1.
        var session = 0
        var samples: [BroadcastSample] = []
        var waitingBytes = 0
        var isEnded = false
        /// True while a session takes samples.
        var isTaking = false
        var origin: MediaTime?
        /// Relays whose addresses were found.
        var relays: [(server: RelayServer, address: TransportAddress)] = []
        /// The request that opens a session.
        var opening: Task<WHIPEndpoint.Session, any Error>?
    }

    /// How an attempt ended.
    private enum End {
        case finished
        case broken(WebRTCError)
    }

    struct Stream: Sendable {
        /// Nil without pictures.
        var video: AVCDecoderConfigurationRecord?
        /// Nil without sound.
        var sound: AudioFormat?
    }

    /// Waits between attempts.
    private static let waits = Backoff(first: .milliseconds(500), longest: .seconds(10))
    /// The longest wait that a server can ask for.
    private static let longestWait = Duration.seconds(120)
    /// After the end, a server has so long to answer the request that opens a session, so that it can be told the end.
    private static let openingRest = Duration.milliseconds(1500)
    /// The attempts of a server that has never accepted the stream.
    private static let attemptsBeforeAccepted = 4
    private static let mostWaitingBytes = 16 << 20
    private static let tellInterval = MediaTime(milliseconds: 200)
    private static let keyframeInterval = MediaTime(milliseconds: 250)
    /// A session that lasts so long was accepted.
    private static let acceptedTime = MediaTime(milliseconds: 5000)
    /// The time at the end for the pictures that still wait.
    private static let drainTime = MediaTime(milliseconds: 500)

    private let settings: WHIPSettings
    private let stream: Stream
    private let host: BroadcastHost
    private let wasLive: Bool
    private let inbox = Mutex(Inbox())
    /// Ends the wait of the sending thread.
    private let wake = clinux_event_descriptor()

    init(_ settings: WHIPSettings, stream: Stream, wasLive: Bool, host: BroadcastHost) {
        (self.settings, self.stream, self.wasLive, self.host) = (settings, stream, wasLive, host)
    }

    func push(_ sample: BroadcastSample) {
        inbox.withLock { inbox in
            guard inbox.isTaking, inbox.waitingBytes < Self.mostWaitingBytes else { return }
            inbox.samples.append(sample)
            inbox.waitingBytes += sample.data.count
        }
        signal()
    }

    func setOrigin(_ time: MediaTime) { inbox.withLock { $0.origin = time } }

    /// Ends the stream: `run` returns.
    func end() {
        let opening = inbox.withLock { inbox in
            inbox.isEnded = true
            return inbox.opening
        }
        if let opening {
            Task {
                try? await Task.sleep(for: Self.openingRest)
                opening.cancel()
            }
        }
        signal()
    }

    private func signal() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    private static var now: MediaTime { MediaTime(nanoseconds: SessionClock.monotonic()) }

    private var isEnded: Bool { inbox.withLock { $0.isEnded } }

    /// Publishes until the end. Ends the program if the server refuses.
    func run() async {
        let endpoint: WHIPEndpoint
        do throws(BroadcastFailure) {
            endpoint = try WHIPEndpoint(settings)
        } catch {
            host.finish(with: error)
        }
        var wasAccepted = wasLive
        var attempts = 0
        // What was waited for, if the broadcast ends before an answer.
        if !wasLive { host.status("waiting for \(HTTPAddress.host(of: settings.url))") }
        while !isEnded {
            let problem: String
            var wait = Duration.zero
            do {
                let (end, isAccepted) = try await publish(endpoint)
                guard case .broken(let error) = end else { break }
                problem = Self.sentence(error)
                if isAccepted { (wasAccepted, attempts) = (true, 0) }
            } catch {
                if isEnded { break }
                problem = refusal(error, wasAccepted: wasAccepted)
                if case WHIPEndpoint.Failure.unreachable(_, let time?) = error { wait = min(time, Self.longestWait) }
            }
            attempts += 1
            guard wasAccepted || attempts < Self.attemptsBeforeAccepted else {
                host.finish(with: BroadcastFailure(code: 503, message: Self.capitalized(problem), retry: true))
            }
            host.ready(false)
            host.status(problem + (wait > .zero ? "; again in \(wait.components.seconds) s, as it asks" : ""))
            await pause(max(wait, Self.waits.delay(afterFailures: attempts)))
        }
        await endpoint.shutDown()
    }

    /// Returns what is wrong, if another attempt can succeed; otherwise ends the program. A server that has accepted
    /// the stream may only be starting again, or still have the old session.
    private func refusal(_ error: any Error, wasAccepted: Bool) -> String {
        switch error {
        case WHIPEndpoint.Failure.refused(let code, let reason):
            if wasAccepted, code != 401, code != 403 { return reason }
            host.finish(with: BroadcastFailure(code: code, message: Self.capitalized(reason)))
        case WHIPEndpoint.Failure.unreachable(let reason, _): return reason
        case WebRTCError.unusableDescription(let reason):
            let sentence = "The server's answer cannot be used: \(reason)"
            guard wasAccepted else { host.finish(with: BroadcastFailure(code: 415, message: sentence)) }
            return sentence
        default: return "this machine has no socket or memory"
        }
    }

    private func pause(_ time: Duration) async {
        let end = ContinuousClock.now + time
        while !isEnded, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(50)) }
    }

    /// One session.
    private func publish(_ endpoint: WHIPEndpoint) async throws -> (End, isAccepted: Bool) {
        let server = HTTPAddress.host(of: settings.url)
        let isLocal = server == "localhost" || TransportAddress(server, port: 0)?.isLoopback == true
        guard let sockets = DatagramSockets(own: settings.localAddress, withLoopback: isLocal) else {
            throw WebRTCError.noMemory
        }
        let offered = OfferedMedia(profileLevel: stream.video?.profileLevel, hasSound: stream.sound != nil)
        let connection = try MediaConnection(offered, addresses: sockets.addresses)
        let offer = connection.description
        let opening = Task { () async throws -> WHIPEndpoint.Session in try await endpoint.open(offer: offer) }
        let isOver = inbox.withLock { inbox in
            inbox.opening = opening
            return inbox.isEnded
        }
        if isOver { opening.cancel() }
        let session = try await opening.value
        let wasEnded = inbox.withLock { inbox in
            (inbox.opening, inbox.isTaking, inbox.relays) = (nil, !inbox.isEnded, [])
            inbox.session += 1
            return inbox.isEnded
        }
        if wasEnded {
            await endpoint.close(session)
            return (.finished, isAccepted: false)
        }
        defer { inbox.withLock { ($0.isTaking, $0.samples, $0.waitingBytes) = (false, [], 0) } }
        let task = SendingThread(connection, sockets)
        do throws(WebRTCError) {
            try task.connection.accept(session.answer, at: Self.now)
        } catch {
            await endpoint.close(session)
            throw error
        }
        if !session.relays.isEmpty { findRelays(session.relays) }
        let result = await NamedThread.run(name: "webrtc") { [self] in task.run(self.send) }
        if case .broken(let error) = result.0 {
            // The viewers have nothing now: this must not wait for a server that may be dead. The reason comes first,
            // for the line that says so.
            host.status(Self.sentence(error))
            host.ready(false)
            Task { await endpoint.close(session) }
        } else {
            await endpoint.close(session)
        }
        return result
    }

    /// Asks for the addresses of relays, which can block for as long as no server of names answers.
    private func findRelays(_ servers: [RelayServer]) {
        let number = inbox.withLock { $0.session }
        Task {
            let relays = await NamedThread.run(name: "relays") {
                servers.compactMap { server in
                    DatagramSockets.address(of: server).map { (server: server, address: $0) }
                }
            }
            inbox.withLock { inbox in
                // Names can be found so late that another session has begun.
                if inbox.session == number { inbox.relays = relays }
            }
            signal()
        }
    }

    /// The connection and its sockets, on their way to the thread that uses them.
    // @unchecked: only the thread of `publish` uses them, after this value was made.
    private final class SendingThread: @unchecked Sendable {
        let connection: MediaConnection
        let sockets: DatagramSockets

        init(_ connection: MediaConnection, _ sockets: consuming DatagramSockets) {
            self.connection = connection
            self.sockets = sockets
        }

        func run(_ body: (MediaConnection, borrowing DatagramSockets) -> (End, isAccepted: Bool)) -> (
            End, isAccepted: Bool
        ) {
            body(connection, sockets)
        }
    }

    /// Sends until the end of the broadcast or of the connection. Blocks its thread.
    private func send(_ connection: MediaConnection, _ sockets: borrowing DatagramSockets) -> (
        End, isAccepted: Bool
    ) {
        var path = MediaPath(at: Self.now)
        var lastKeyframeRequest: MediaTime?
        var wantsKeyframe = false
        var connectedSince: MediaTime?
        var drainUntil: MediaTime?
        var lastTold: (time: MediaTime, rate: MediaConnection.Rate)?
        var ended: End?
        while ended == nil {
            let (samples, origin, isEnded) = inbox.withLock { inbox in
                defer { (inbox.samples, inbox.waitingBytes) = ([], 0) }
                return (inbox.samples, inbox.origin, inbox.isEnded)
            }
            connection.origin = origin
            let now = Self.now
            if connection.isConnected {
                connectedSince = connectedSince ?? now
                for sample in samples { send(sample, through: connection, at: now) }
            }
            connection.advance(to: now)
            path.add(
                inbox.withLock { inbox in
                    defer { inbox.relays = [] }
                    return inbox.relays
                })
            path.advance(to: now, hasPath: connection.selected != nil)
            if isEnded {
                let deadline = drainUntil ?? now + Self.drainTime
                drainUntil = deadline
                if connection.isDrained || now >= deadline {
                    connection.close()
                    ended = .finished
                }
            }
            for event in connection.takeEvents() {
                switch event {
                case .connected:
                    host.ready(true)
                    host.status(
                        "connected" + (path.isRelayed ? " through a relay" : "")
                            + (connection.isSilent && stream.sound != nil ? "; the server takes no sound" : ""))
                case .keyframeNeeded: wantsKeyframe = true
                case .ended(let error): ended = .broken(error)
                }
            }
            if wantsKeyframe, lastKeyframeRequest.map({ now - $0 >= Self.keyframeInterval }) ?? true {
                (wantsKeyframe, lastKeyframeRequest) = (false, now)
                host.requestKeyframe()
            }
            var datagrams = path.outgoing(connection.takeDatagrams(), at: now)
            if ended != nil {
                // After the last datagrams, which it relays.
                path.close(at: now)
                datagrams += path.outgoing([], at: now)
            }
            for datagram in datagrams { sockets.send(datagram.bytes, to: datagram.to) }
            let rate = connection.rate
            // A lower rate is reported at once, because the line's queue fills until the host follows.
            if lastTold.map({
                rate != $0.rate
                    && (now - $0.time >= Self.tellInterval || rate.kilobits ?? .max < $0.rate.kilobits ?? .max)
            }) ?? true {
                lastTold = (now, rate)
                host.waiting(milliseconds: rate.waiting, acceptedBitrate: rate.kilobits)
            }
            guard ended == nil else { break }
            let deadline = [connection.nextDeadline, path.nextDeadline].compactMap(\.self).min()
            let wait = deadline.map { $0 - Self.now } ?? MediaTime(milliseconds: 1000)
            for datagram in sockets.wait(min(wait, MediaTime(milliseconds: 1000)), wake: wake) {
                let now = Self.now
                guard let (bytes, from) = path.incoming(datagram, at: now) else { continue }
                connection.receive(bytes, from: from, at: now)
            }
        }
        let isAccepted = connectedSince.map { Self.now - $0 >= Self.acceptedTime } ?? false
        return (ended ?? .finished, isAccepted)
    }

    private func send(
        _ sample: BroadcastSample, through connection: MediaConnection, at now: MediaTime
    ) {
        if sample.track != .screen {
            let ticks = sample.presentationTime.value(timescale: 48_000)
            connection.sendSound(sample.data, ticks: ticks, at: now)
            return
        }
        var units = Array(NALUnits(lengthPrefixed: sample.data))
        if sample.isKeyframe, let video = stream.video {
            units = [video.sequenceParameterSet[...], video.pictureParameterSet[...]] + units
        }
        connection.sendPicture(
            H264Packetizer.payloads(units), isKeyframe: sample.isKeyframe, presented: sample.presentationTime, at: now)
    }

    private static func sentence(_ error: WebRTCError) -> String {
        switch error {
        case .noMemory: "this machine has no memory"
        case .unusableDescription(let reason): "the server's answer cannot be used: \(reason)"
        case .handshakeFailed: "the encryption could not be agreed on with the server"
        case .wrongFingerprint: "the server is not the one that its answer names"
        case .noPath: "no UDP packets reach the server, or none come back: a firewall may block them"
        case .lost: "the server has not answered for some seconds"
        case .closed: "the server ended the connection"
        }
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
