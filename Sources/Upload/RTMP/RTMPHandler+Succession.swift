import Media
import RTMP

/// A server that wants the stream to go on over another connection gets it without a frame lost (Enhanced RTMP v2, “Reconnect Request”).
///
/// The next connection is opened beside the current one, which goes on. At the next keyframe, which is asked for, the new
/// one takes over; sound from before that keyframe, which comes late, still goes to the old one, which is finished then.
extension RTMPHandler {
    /// How long the old connection may take to end.
    private static let finishDeadline = Duration.seconds(5)
    /// Late sound is waited for no longer than this, by the time of the pictures.
    private static let maximumLateness = MediaTime(milliseconds: 1000)
    /// Attempts under a name that the server has not let go of yet.
    private static let exchangeAttempts = 10

    /// Sends `packet` over the connection that it belongs to.
    func pass(_ packet: EncodedPacket) async throws(RTMPError) {
        guard let current = connections.withLock({ $0.current }) else { return }
        beginSuccession(of: current)
        switch succession {
        case .none, .opening: try await send(packet, current)
        case .ready(let next, let described):
            guard startsStream(packet) else { return try await send(packet, current) }
            try await takeOver(next, described, from: current, at: packet)
        case .trailing(let old, let seam): try await pass(packet, old, current, seam)
        case .waitingToExchange:
            guard startsStream(packet) else { return try await send(packet, current) }
            succession = .holding([packet], seam: packet.decodeTime)
            if stream?.audio.isEmpty != false || stream?.video == nil { try await exchange(current) }
        case .holding(let held, let seam):
            // If the old one fails meanwhile, this sound is lost with it.
            if isLateSound(packet, seam) { return (try? await current.send(packet)) ?? () }
            succession = .holding(held + [packet], seam: seam)
            if endsWait(packet, seam) { try await exchange(current) }
        }
    }

    /// Opens the next connection where the server has asked for one.
    private func beginSuccession(of current: RTMPPublisher) {
        guard case .none = succession, let request = current.reconnectRequest, request != failedRequest, let stream else { return }
        succession = .opening(
            Task {
                do throws(RTMPError) {
                    let next = try await current.successor(stream: stream)
                    opened(next, stream)
                    return .success(next)
                } catch {
                    notOpened(error, request)
                    return .failure(error)
                }
            })
    }

    private func opened(_ next: RTMPPublisher, _ stream: StreamDescription) {
        guard case .opening = succession else { return }
        succession = .ready(next, stream)
        requestKeyframe()
    }

    private func notOpened(_ error: RTMPError, _ request: RTMPReconnectRequest) {
        guard case .opening = succession else { return }
        if error.retry == .busy {
            succession = .waitingToExchange
            requestKeyframe()
        } else {
            // The old one is good until it closes.
            failedRequest = request
            succession = .none
        }
    }

    /// Sends over the current connection. Where that fails and the next one is on its way, the next one takes over at once.
    private func send(_ packet: EncodedPacket, _ current: RTMPPublisher) async throws(RTMPError) {
        do throws(RTMPError) {
            try await current.send(packet)
        } catch {
            if case .opening(let task) = succession { _ = await task.value }
            guard case .ready(let next, let described) = succession else { throw error }
            requestKeyframe()
            try await takeOver(next, described, from: current, at: packet)
        }
    }

    private func takeOver(
        _ next: RTMPPublisher, _ described: StreamDescription, from old: RTMPPublisher, at packet: EncodedPacket
    ) async throws(RTMPError) {
        install(next)
        succession = .trailing(old: old, seam: packet.decodeTime)
        if let stream, stream.annotations != described.annotations { try await next.update(stream) }
        try await next.send(packet)
        if stream?.audio.isEmpty != false || stream?.video == nil { finish(old) }
    }

    private func pass(_ packet: EncodedPacket, _ old: RTMPPublisher, _ current: RTMPPublisher, _ seam: MediaTime) async throws(RTMPError) {
        // If the old one has failed meanwhile, this sound is lost with it.
        if isLateSound(packet, seam) { return (try? await old.send(packet)) ?? () }
        if endsWait(packet, seam) { finish(old) }
        try await current.send(packet)
    }

    /// Ends the old connection while the new one goes on.
    private func finish(_ old: RTMPPublisher) {
        succession = .none
        Task {
            await old.finish(deadline: Self.finishDeadline)
            retire()
        }
    }

    /// Ends the old connection and opens the next one under the same name; then what was held goes out.
    private func exchange(_ old: RTMPPublisher) async throws(RTMPError) {
        guard case .holding(let held, _) = succession, let stream else { return }
        succession = .none
        await old.finish(deadline: Self.finishDeadline)
        let next = try await connectOnceFree(old, stream)
        install(next)
        retire()
        for packet in held { try await next.send(packet) }
    }

    /// The server may need a moment to see that the old connection is over.
    private func connectOnceFree(_ old: RTMPPublisher, _ stream: StreamDescription) async throws(RTMPError) -> RTMPPublisher {
        for attempt in 1..<Self.exchangeAttempts {
            do throws(RTMPError) {
                return try await old.successor(stream: stream)
            } catch {
                guard error.retry == .busy else { throw error }
            }
            do {
                try await Task.sleep(for: .milliseconds(50 * attempt))
            } catch {
                throw .cancelled
            }
        }
        return try await old.successor(stream: stream)
    }

    /// The broadcast ends before the exchange: what was held belongs to the old connection.
    func returnHeldPackets(to publisher: RTMPPublisher) async {
        guard case .holding(let held, _) = succession else { return }
        succession = .none
        // Where it fails there is no connection for them any more.
        for packet in held { try? await publisher.send(packet) }
    }

    /// Gives up a move that is under way.
    func abandonSuccession() {
        if case .opening(let task) = succession { task.cancel() }
        succession = .none
    }

    /// A stream can begin with it.
    private func startsStream(_ packet: EncodedPacket) -> Bool {
        stream?.video == nil || (packet.track == .screen && packet.isKeyframe)
    }

    private func isLateSound(_ packet: EncodedPacket, _ seam: MediaTime) -> Bool {
        packet.track != .screen && packet.presentationTime < seam
    }

    /// The sound has come to the seam, or it is too far behind to be waited for.
    private func endsWait(_ packet: EncodedPacket, _ seam: MediaTime) -> Bool {
        packet.track != .screen || packet.decodeTime - seam > Self.maximumLateness
    }
}
