import Dispatch
import Glibc
import Media
import NetworkSupport
import RTMP
import TestSupport
import Testing

/// Tests the transport with faulty servers, on loopback.
@Suite struct RTMPPublisherTests {
    private func failure(
        _ url: String, _ deadlines: RTMPDeadlines = RTMPDeadlines(), stream: StreamDescription = .literal
    ) async throws -> RTMPError? {
        let url = try RTMPURL(url)
        do throws(RTMPError) {
            _ = try await RTMPPublisher.connect(to: url, stream: stream, deadlines: deadlines)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a port without a listener is unreachable`() async throws {
        let port = try freePort()
        #expect(
            try await failure("rtmp://127.0.0.1:\(port)/live/key")
                == .unreachable(host: "127.0.0.1", port: port, .system(code: ECONNREFUSED)))
        #expect(
            try await failure("rtmp://[::1]:\(port)/live/key").map { if case .unreachable = $0 { true } else { false } }
                == true)
    }

    @Test func `raw video is rejected before a connection is opened`() async throws {
        let raw = StreamDescription(
            video: VideoTrackFormat(codec: .i420, size: PixelSize(width: 2, height: 2), frameRate: 1), audio: [])
        #expect(try await failure("rtmp://127.0.0.1/live/key", stream: raw) == .unsupportedFormat(.videoIsNotH264))
    }

    @Test func `a picture that a message cannot carry is an error, and nothing of it is sent`() async throws {
        try await ScriptedServer.run(.afterPublishReply) { server in
            let publisher = try await RTMPPublisher.connect(to: RTMPURL(server.url), stream: .literal)
            await #expect(throws: RTMPError.unsupportedFormat(.pictureTooLarge)) {
                try await publisher.send(.literalPicture(at: 0, isKeyframe: true, byteCount: 1 << 24))
            }
            #expect(publisher.statistics.bytesSent < 1 << 20)
        }
    }

    @Test(arguments: [
        (ScriptedServer.Silence.afterConnecting, RTMPStep.handshake), (.afterHandshake, .connectReply),
        (.afterConnectReply, .createStreamReply),
        (.afterCreateStreamReply, .publishReply),
    ])
    func `each answer has a deadline`(silence: ScriptedServer.Silence, step: RTMPStep) async throws {
        // Short for the missing answer; the previous answers arrive quickly.
        var deadlines = RTMPDeadlines()
        if step == .handshake { deadlines.handshake = .milliseconds(200) } else { deadlines.reply = .seconds(1) }
        try await ScriptedServer.run(silence) { [deadlines] server in
            let error = try await failure(server.url, deadlines)
            #expect(error == .timedOut(step))
        }
    }

    @Test func `a server that accepts no data times out`() async throws {
        var deadlines = RTMPDeadlines()
        deadlines.sendProgress = .milliseconds(500)
        try await ScriptedServer.run(.afterPublishReply) { [deadlines] server in
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url), stream: .literal, deadlines: deadlines)
            await #expect(throws: RTMPError.timedOut(.sending)) {
                for frame in 0..<1000 as Range<Int64> {
                    try await publisher.send(.literalPicture(at: frame * 33, isKeyframe: true, byteCount: 100_000))
                }
            }
            #expect(await publisher.waitUntilClosed() == .timedOut(.sending))
        }
    }

    @Test func `the parts of a large packet count as soon as they are sent`() async throws {
        var deadlines = RTMPDeadlines()
        deadlines.sendProgress = .seconds(100)
        try await withPeers { [deadlines] peers in
            let server = try await HostileServer.start("slow-reader", in: peers)
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url), stream: .literal, deadlines: deadlines)
            // It takes seconds.
            try await publisher.send(.literalPicture(at: 0, isKeyframe: true, byteCount: 800_000))
            var counts: Set<UInt64> = []
            try await waitUntil("several parts") {
                counts.insert(publisher.statistics.bytesSent)
                return counts.count >= 5
            }
            #expect(await publisher.finish(deadline: .milliseconds(1)) == false)
        }
    }

    @Test func `the backlog remains with the caller`() async throws {
        try await ScriptedServer.run(.afterPublishReply) { server in
            let publisher = try await RTMPPublisher.connect(to: RTMPURL(server.url), stream: .literal)
            let sender = Task {
                for frame in 0..<10_000 as Range<Int64> {
                    try await publisher.send(.literalPicture(at: frame * 33, isKeyframe: true, byteCount: 10_000))
                }
            }
            try await waitUntil("the channel is full") { publisher.statistics.bytesQueued > 0 }
            // One packet can exceed the high mark, but not two.
            #expect(publisher.statistics.bytesQueued < 32 * 1024 + 10_100)
            sender.cancel()
            await #expect(throws: RTMPError.cancelled) { try await sender.value }
            // The end of the stream cannot be sent either. The deadline limits the wait.
            #expect(await publisher.finish(deadline: .milliseconds(200)) == false)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `packets do not wait for the event loop, and all are sent before the end`() async throws {
        let group = EventLoops.make()
        try await RecordingServer.run { server in
            let publisher = try await RTMPPublisher.connect(to: RTMPURL(server.url), stream: .literal, group: group)
            let gate = DispatchSemaphore(value: 0)
            group.next().execute { gate.wait() }
            // After the first of them the channel is full.
            let times = (0..<8).map { Int64($0) * 33 }
            for time in times { try await publisher.send(.literalPicture(at: time, isKeyframe: true, byteCount: 8000)) }
            let end = Task {
                var stream = StreamDescription.literal
                stream.annotations["title"] = "new"
                try await publisher.update(stream)
                try await publisher.send(.literalPicture(at: 500, isKeyframe: true, byteCount: 8000))
                return await publisher.finish()
            }
            gate.signal()
            #expect(try await end.value)
            try await waitUntil("the server has the stream") { server.connections[0].isClosed }
            // The metadata keep their position.
            let messages = server.connections[0].media.filter { $0.kind == 18 || $0.bytes.count == 8005 }
            let sent = messages.map { $0.kind == 18 ? -1 : Int64($0.timestamp) }
            #expect(sent.first == -1)
            #expect(Array(sent.dropFirst()) == times + [-1, 500])
        }
        try await group.shutdownGracefully()
    }

    @Test func `a cancelled connect ends immediately`() async throws {
        try await ScriptedServer.run(.afterHandshake) { server in
            let url = try RTMPURL(server.url)
            let connecting = Task { try await RTMPPublisher.connect(to: url, stream: .literal) }
            connecting.cancel()
            await #expect(throws: RTMPError.cancelled) { _ = try await connecting.value }
        }
    }

    @Test func `waiting for the end can be cancelled`() async throws {
        try await ScriptedServer.run(.never) { server in
            let publisher = try await RTMPPublisher.connect(to: RTMPURL(server.url), stream: .literal)
            let waiting = Task { await publisher.waitUntilClosed() }
            waiting.cancel()
            #expect(await waiting.value == nil)
            try await publisher.send(.literalPicture(at: 0, isKeyframe: true))
            #expect(await publisher.finish())
        }
    }
}
