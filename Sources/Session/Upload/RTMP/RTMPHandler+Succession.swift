import Media
import RTMP

/// Moves the stream to another connection without losing a frame when the server asks for it (Enhanced RTMP v2,
/// “Reconnect Request”).
///
/// The handler opens the next connection while the current one continues, and requests a keyframe. From that keyframe
/// on, packets go over the next connection. Late sound from before the keyframe still goes over the old connection,
/// which then ends.
extension RTMPHandler {
    /// The time limit for the old connection to end.
    private static let finishDeadline = Duration.seconds(5)
    /// The maximum time to wait for late sound, measured in picture time.
    private static let maximumLateness = MediaTime(milliseconds: 1000)
    /// The number of attempts while the server still holds the stream name for the old connection.
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
            // If the old connection fails meanwhile, this sound is lost.
            if isLateSound(packet, seam) { return (try? await current.send(packet)) ?? () }
            succession = .holding(held + [packet], seam: seam)
            if endsWait(packet, seam) { try await exchange(current) }
        }
    }

    /// Opens the next connection if the server asked for one.
    private func beginSuccession(of current: RTMPPublisher) {
        guard case .none = succession, current.reconnectRequest != nil, let stream, movePace.allows(at: .now) else {
            return
        }
        if movePace.begin(at: .now) { report(.movesOften) }
        succession = .opening(
            Task {
                do throws(RTMPError) {
                    let next = try await current.successor(stream: stream)
                    opened(next, stream)
                    return .success(next)
                } catch {
                    notOpened(error)
                    return .failure(error)
                }
            })
    }

    private func opened(_ next: RTMPPublisher, _ stream: StreamDescription) {
        guard case .opening = succession else { return }
        succession = .ready(next, stream)
        requestKeyframe()
    }

    private func notOpened(_ error: RTMPError) {
        guard case .opening = succession else { return }
        if error.retry == .busy {
            succession = .waitingToExchange
            requestKeyframe()
        } else {
            // The old connection remains usable until it closes. `movePace` has the time of the next try.
            succession = .none
        }
    }

    /// Sends over the current connection. If that fails while the next connection is being opened, the next one
    /// replaces it at once.
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

    private func pass(_ packet: EncodedPacket, _ old: RTMPPublisher, _ current: RTMPPublisher, _ seam: MediaTime)
        async throws(RTMPError)
    {
        // If the old connection failed meanwhile, this sound is lost.
        if isLateSound(packet, seam) { return (try? await old.send(packet)) ?? () }
        if endsWait(packet, seam) { finish(old) }
        try await current.send(packet)
    }

    /// Ends the old connection while the new one continues.
    private func finish(_ old: RTMPPublisher) {
        succession = .none
        Task {
            await old.finish(deadline: Self.finishDeadline)
            retire()
        }
    }

    /// Ends the old connection, opens the next one under the same name, and sends the held packets.
    private func exchange(_ old: RTMPPublisher) async throws(RTMPError) {
        guard case .holding(let held, _) = succession, let stream else { return }
        succession = .none
        await old.finish(deadline: Self.finishDeadline)
        let next = try await connectOnceFree(old, stream)
        install(next)
        retire()
        for packet in held { try await next.send(packet) }
    }

    /// The server may need a moment to notice that the old connection has ended.
    private func connectOnceFree(_ old: RTMPPublisher, _ stream: StreamDescription) async throws(RTMPError)
        -> RTMPPublisher
    {
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

    /// The broadcast ends before the exchange, so the held packets go over the old connection.
    func returnHeldPackets(to publisher: RTMPPublisher) async {
        guard case .holding(let held, _) = succession else { return }
        succession = .none
        // If that fails, there is no connection left for them.
        for packet in held { try? await publisher.send(packet) }
    }

    /// Cancels a move that is in progress.
    func abandonSuccession() {
        if case .opening(let task) = succession { task.cancel() }
        succession = .none
    }

    /// True if a stream can begin with this packet.
    private func startsStream(_ packet: EncodedPacket) -> Bool {
        stream?.video == nil || (packet.track == .screen && packet.isKeyframe)
    }

    private func isLateSound(_ packet: EncodedPacket, _ seam: MediaTime) -> Bool {
        packet.track != .screen && packet.presentationTime < seam
    }

    /// True if the sound has reached the seam, or is too late to wait for.
    private func endsWait(_ packet: EncodedPacket, _ seam: MediaTime) -> Bool {
        packet.track != .screen || packet.decodeTime - seam > Self.maximumLateness
    }
}
