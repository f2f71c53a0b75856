import Media
import Mux
import RTMP
import Synchronization
import TestSupport
import Testing
import Upload

/// Tests that no frame is lost when a server requests another connection.
@Suite struct ReconnectRequestTests {
    /// Pictures every 40 ms, with a keyframe each second and on request; sounds every 20 ms, delivered 60 ms late.
    private final class Source: Sendable {
        private let wantsKeyframe = Mutex(false)
        private let state = Mutex((picture: Int64(0), sound: Int64(0)))

        func requestKeyframe() { wantsKeyframe.withLock { $0 = true } }

        /// Returns the packets of the next 40 ms: a picture, and the sounds that are due.
        func next() -> [EncodedPacket] {
            let isAsked = wantsKeyframe.withLock { wanted in
                defer { wanted = false }
                return wanted
            }
            return state.withLock { state in
                // The payload is the packet's number, which identifies it.
                let number = state.picture
                var packets = [Self.packet(.screen, at: 40 * number, number, isKeyframe: isAsked || number % 25 == 0)]
                state.picture += 1
                while 20 * state.sound <= 40 * number - 60 {
                    packets.append(Self.packet(.mixed, at: 20 * state.sound, state.sound, isKeyframe: true))
                    state.sound += 1
                }
                return packets
            }
        }

        var counts: (pictures: Int64, sounds: Int64) { state.withLock { ($0.picture, $0.sound) } }

        private static func packet(_ track: Track, at milliseconds: Int64, _ number: Int64, isKeyframe: Bool)
            -> EncodedPacket
        {
            let time = MediaTime(milliseconds: milliseconds)
            return EncodedPacket(
                track: track, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe,
                sequence: UInt32(number),
                data: [UInt8(number >> 8), UInt8(number & 0xFF)])
        }
    }

    private func send(_ count: Int, from source: Source, to handler: RTMPHandler) async throws {
        for _ in 0..<count { for packet in source.next() { try await handler.process(packet) } }
    }

    /// Sends until the condition is true.
    private func send(
        from source: Source, to handler: RTMPHandler, until what: String, _ condition: @escaping () -> Bool
    ) async throws {
        try await waitUntil(what) {
            try await send(1, from: source, to: handler)
            return condition()
        }
    }

    /// Returns the numbers of the frames in `media`, without the headers.
    private func numbers(_ kind: UInt8, _ media: [RTMPMessage]) -> [Int] {
        let header = kind == 9 ? 5 : 2
        return media.filter { $0.kind == kind && $0.bytes[1] == 1 }.map {
            Int($0.bytes[header]) << 8 | Int($0.bytes[header + 1])
        }
    }

    private func ask(_ server: RecordingServer, _ connection: Int, for tcURL: String?) {
        server.say(on: connection) { script in
            var information = [
                AMF0Property("level", .string("status")),
                AMF0Property("code", .string("NetConnection.Connect.ReconnectRequest")),
            ]
            if let tcURL { information.append(AMF0Property("tcUrl", .string(tcURL))) }
            return script.command("onStatus", 0, .null, .object(information))
        }
    }

    private func expectWhole(_ source: Source, _ connections: [RecordingServer.Connection]) throws {
        let counts = source.counts
        #expect(connections.flatMap { numbers(9, $0.media) } == Array(0..<Int(counts.pictures)))
        #expect(connections.flatMap { numbers(8, $0.media) }.sorted() == Array(0..<Int(counts.sounds)))
        for connection in connections {
            // Metadata and both sequence headers, then a keyframe.
            #expect(connection.media.prefix(3).map(\.kind) == [18, 8, 9])
            let first = try #require(connection.media.dropFirst(3).first)
            #expect(first.kind == 9 && first.bytes[0] == 0x17 && first.bytes[1] == 1)
            for kind: UInt8 in [8, 9] {
                let times = connection.media.filter { $0.kind == kind }.map(\.timestamp)
                #expect(times == times.sorted())
            }
            #expect(connection.commands.suffix(2).compactMap(\.first?.stringValue) == ["FCUnpublish", "deleteStream"])
        }
    }

    @Test(arguments: ["absolute", "relative"]) func `the stream moves to another address at a keyframe`(form: String)
        async throws
    {
        try await RecordingServer.run { server in
            let source = Source()
            let handler = RTMPHandler(url: try RTMPURL(server.url))
            handler.attach(HandlerContext(requestKeyframe: { source.requestKeyframe() }))
            try await handler.started(.literal)
            try await send(30, from: source, to: handler)
            ask(server, 0, for: form == "absolute" ? server.tcURL + "2" : "/live2")
            try await send(from: source, to: handler, until: "the old connection's end") {
                server.connections[0].isClosed
            }
            try await send(10, from: source, to: handler)
            try await handler.finished(deadline: .seconds(20))
            try await waitUntil("both have closed") { server.connections.allSatisfy(\.isClosed) }
            let connections = server.connections
            #expect(connections.count == 2)
            #expect(connections[1].commands.first?[2]["app"] == .string("live2"))
            try expectWhole(source, connections)
            #expect(handler.byteCount > 3073 * 2)
        }
    }

    @Test func `if the name is still in use, the old connection is closed first`() async throws {
        try await RecordingServer.run { command, number, server, script in
            let others = server.connections.enumerated().filter { $0.offset != number }
            guard command.first == .string("publish"), others.contains(where: \.element.isPublishing) else {
                return .ordinary
            }
            return .bytes(
                script.status(level: "error", code: "NetStream.Publish.BadName", description: "Already publishing"))
        } _: { server in
            let source = Source()
            let handler = RTMPHandler(url: try RTMPURL(server.url))
            handler.attach(HandlerContext(requestKeyframe: { source.requestKeyframe() }))
            try await handler.started(.literal)
            try await send(30, from: source, to: handler)
            ask(server, 0, for: nil)
            try await send(from: source, to: handler, until: "the old connection's end") {
                server.connections[0].isClosed
            }
            try await send(10, from: source, to: handler)
            try await handler.finished(deadline: .seconds(20))
            try await waitUntil("all have closed") { server.connections.allSatisfy(\.isClosed) }
            // The connection between them was rejected.
            let connections = server.connections.filter { !$0.media.isEmpty }
            #expect(connections.count == 2 && server.connections.count >= 3)
            try expectWhole(source, connections)
        }
    }

    @Test func `if the next connection is refused, the old one is kept`() async throws {
        try await RecordingServer.run { command, number, _, script in
            guard command.first == .string("connect"), number > 0 else { return .ordinary }
            return .bytes(script.status("_error", 1, level: "error", code: "NetConnection.Connect.Rejected"))
        } _: { server in
            let source = Source()
            let handler = RTMPHandler(url: try RTMPURL(server.url))
            try await handler.started(.literal)
            try await send(3, from: source, to: handler)
            ask(server, 0, for: nil)
            try await send(from: source, to: handler, until: "the refusal") {
                server.connections.count == 2 && server.connections[1].isClosed
            }
            try await send(10, from: source, to: handler)
            try await handler.finished(deadline: .seconds(20))
            try await waitUntil("it has closed") { server.connections[0].isClosed }
            #expect(server.connections.count == 2)
            try expectWhole(source, [server.connections[0]])
        }
    }
}
