import Media
import Mux
import NIOCore
import RTMP
import Testing

@Suite struct PublisherStateMachineTests {
    private func commands(_ messages: [RTMPMessage]) throws -> [[AMF0Value]] {
        try messages.filter { $0.kind == 20 }.map { try AMF0Decoder.decode($0.bytes) }
    }

    @Test func `it starts with C0 and C1`() throws {
        var machine = PublisherStateMachine(url: try RTMPURL("rtmp://h/app/key"), stream: .literal, random: [])
        let hello = ByteBuffer(bytes: [3] + [UInt8](repeating: 0, count: 1536))
        #expect(machine.start() == .enter(.handshake, sending: hello))
        #expect(machine.start() == .wait)
    }

    @Test func `after the handshake it connects to the application`() throws {
        var conversation = try PublisherConversation()
        let messages = try conversation.begin()
        #expect(
            try commands(messages) == [
                [
                    .string("connect"), .number(1),
                    .object([
                        AMF0Property("app", .string("a/b")), AMF0Property("type", .string("nonprivate")),
                        AMF0Property("flashVer", .string("FMLE/3.0 (compatible; FMSc/1.0)")),
                        AMF0Property("swfUrl", .string("rtmp://example.com/a/b")),
                        AMF0Property("tcUrl", .string("rtmp://example.com/a/b")),
                        AMF0Property("capsEx", .number(1)),
                    ]),
                ]
            ])
        #expect(conversation.events == [.entered(.connectReply)])
    }

    @Test func `after connecting it creates a stream, with the complete key`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        let messages = try conversation.tell(conversation.script.connectResult())
        let key = AMF0Value.string("name?x=1&y=2")
        #expect(
            try commands(messages) == [
                [.string("releaseStream"), .number(2), .null, key], [.string("FCPublish"), .number(3), .null, key],
                [.string("createStream"), .number(4), .null],
            ])
        #expect(messages.contains(RTMPMessage(kind: 5, payload: [0, 0x26, 0x25, 0xA0])))
        #expect(conversation.events.last == .entered(.createStreamReply))
    }

    @Test func `it publishes on the stream ID from the server`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        _ = try conversation.tell(conversation.script.connectResult())
        let messages = try conversation.tell(conversation.script.createStreamResult(7))
        #expect(messages.map(\.streamID) == [7])
        #expect(
            try commands(messages) == [
                [.string("publish"), .number(5), .null, .string("name?x=1&y=2"), .string("live")]
            ])
        #expect(conversation.events.last == .entered(.publishReply))
    }

    @Test func `before media it sends metadata and sequence headers with the timestamp 0`() throws {
        var conversation = try PublisherConversation()
        let messages = try conversation.goLive()
        #expect(messages.map(\.kind) == [18, 8, 9] && messages.allSatisfy { $0.timestamp == 0 && $0.streamID == 1 })
        #expect(messages[0].bytes == FLVTag.setDataFrame(of: .literal).body)
        #expect(messages[1].bytes == [0xAF, 0, 0x11, 0x90])
        #expect(messages[2].bytes.prefix(2) == [0x17, 0])
        #expect(conversation.events.last == .publishing)
    }

    @Test func `media starts with a keyframe and the timestamp 0`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        #expect(conversation.machine.send(.literalPicture(at: 10_000, isKeyframe: false)) == .wait)
        #expect(conversation.machine.send(.literalSound(at: 10_020)) == .wait)
        var messages: [RTMPMessage] = []
        messages += try conversation.take(conversation.machine.send(.literalPicture(at: 10_033, isKeyframe: true)))
        messages += try conversation.take(conversation.machine.send(.literalSound(at: 10_041)))
        messages += try conversation.take(conversation.machine.send(.literalPicture(at: 10_066, isKeyframe: false)))
        #expect(messages.map(\.timestamp) == [0, 8, 33])
        #expect(messages.map(\.kind) == [9, 8, 9])
    }

    @Test func `nothing can be sent before the stream is published`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        #expect(conversation.machine.send(.literalPicture(at: 0, isKeyframe: true)) == .wait)
        #expect(conversation.machine.update(.literal) == .wait)
        #expect(conversation.machine.finish() == .failed(.closed(during: .connectReply)))
    }

    @Test func `it ends with FCUnpublish and deleteStream, and is finished when the server closes`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        let messages = try conversation.take(conversation.machine.finish())
        #expect(
            try commands(messages) == [
                [.string("FCUnpublish"), .number(6), .null, .string("name?x=1&y=2")],
                [.string("deleteStream"), .number(7), .null, .number(1)],
            ])
        _ = try conversation.tell(conversation.script.status(level: "status", code: "NetStream.Unpublish.Success"))
        #expect(conversation.machine.delivered() == .closeOutput)
        #expect(conversation.machine.receiveEnd() == .close(.finished))
        #expect(conversation.machine.receiveEnd() == .wait)
    }

    @Test func `new metadata is sent alone, and new codecs with their headers`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        _ = try conversation.take(conversation.machine.send(.literalPicture(at: 0, isKeyframe: true)))
        _ = try conversation.take(conversation.machine.send(.literalPicture(at: 500, isKeyframe: false)))
        var stream = StreamDescription.literal
        stream.title = "Another"
        let first = try conversation.take(conversation.machine.update(stream))
        #expect(first.map(\.kind) == [18] && first.map(\.timestamp) == [500])
        stream.video?.codec = .h264(sequenceParameterSet: [0x67, 0x4D, 0x40, 0x1F], pictureParameterSet: [0x68, 1])
        #expect(try conversation.take(conversation.machine.update(stream)).map(\.kind) == [18, 8, 9])
    }

    @Test func `an error for releaseStream or FCPublish is ignored`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        _ = try conversation.tell(conversation.script.connectResult())
        for transaction in [2.0, 3.0] {
            _ = try conversation.tell(
                conversation.script.status("_error", transaction, level: "error", code: "NetConnection.Call.Failed"))
        }
        _ = try conversation.tell(conversation.script.createStreamResult())
        #expect(conversation.events.last == .entered(.publishReply))
    }

    @Test func `a refusal contains the server's text without the key`() throws {
        var conversation = try PublisherConversation("rtmp://example.com/live/my_secret")
        _ = try conversation.begin()
        _ = try conversation.tell(
            conversation.script.status(
                "_error", 1, level: "error", code: "NetConnection.Connect.Rejected", description: "no MY_SECRET here"))
        #expect(
            conversation.events.last
                == .failed(.refused(code: "NetConnection.Connect.Rejected", description: "no … here")))
        #expect(conversation.machine.receive([0xC3]) == [])
    }

    @Test func `a name in use is reported as busy, without the key`() throws {
        var conversation = try PublisherConversation("rtmp://example.com/live/my_secret")
        _ = try conversation.begin()
        _ = try conversation.tell(conversation.script.connectResult())
        _ = try conversation.tell(conversation.script.createStreamResult())
        _ = try conversation.tell(
            conversation.script.status(
                level: "error", code: "NetStream.Publish.BadName", description: "my_secret is publishing"))
        #expect(conversation.events.last == .failed(.streamBusy(description: "… is publishing")))
    }

    @Test func `any other error status is a refusal, at any time`() throws {
        for isLive in [false, true] {
            var conversation = try PublisherConversation()
            _ = try isLive ? conversation.goLive() : conversation.begin()
            _ = try conversation.tell(
                conversation.script.status(level: "error", code: "NetStream.Publish.Denied", description: "expired"))
            #expect(
                conversation.events.last == .failed(.refused(code: "NetStream.Publish.Denied", description: "expired")))
        }
    }

    @Test(arguments: ["NetStream.Record.Failed", "NetStream.Record.NoAccess", "NetStream.Play.StreamNotFound"])
    func `an error of the server's own recording or of a player is ignored`(code: String) throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        _ = try conversation.tell(conversation.script.status(level: "error", code: code))
        #expect(conversation.events.last == .publishing)
    }

    @Test func `a close command and a closed connection are the same error`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        _ = try conversation.tell(conversation.script.command("close", 0, .null))
        #expect(conversation.events.last == .failed(.closed(during: .sending)))
        var other = try PublisherConversation()
        _ = try other.begin()
        #expect(other.machine.receiveEnd() == .failed(.closed(during: .connectReply)))
    }

    @Test func `a ping is answered with its own timestamp`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        let messages = try conversation.tell(conversation.script.message(4, [0, 6, 1, 2, 3, 4]))
        #expect(messages == [RTMPMessage(kind: 4, payload: [0, 7, 1, 2, 3, 4])])
        #expect(try conversation.tell(conversation.script.message(4, [0, 6, 1])) == [])
        #expect(try conversation.tell(conversation.script.message(4, [0, 0, 0, 0, 0, 1])) == [])
    }

    @Test func `onBWDone is answered once`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        let messages = try conversation.tell(conversation.script.command("onBWDone", 0, .null, .number(8192)))
        #expect(try commands(messages) == [[.string("_checkbw"), .number(6), .null]])
        #expect(try conversation.tell(conversation.script.command("onBWDone", 0, .null)) == [])
        #expect(try conversation.tell(conversation.script.command("_error", 6, .null)) == [])
        #expect(conversation.events.last == .publishing)
    }

    @Test func `an acknowledgement is sent each time the window is full`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        _ = try conversation.tell(conversation.script.control(5, 5000))
        // The messages before have fewer bytes than the window. This message exceeds it.
        let filler = conversation.script.message(22, [UInt8](repeating: 0, count: 5000))
        let messages = try conversation.tell(filler)
        #expect(messages.map(\.kind) == [3])
        #expect((messages.first?.firstInteger ?? 0) > 5000)
        #expect(try conversation.tell(conversation.script.message(22, [1])) == [])
    }

    @Test func `the server's peer bandwidth is announced as the window once`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        let bandwidth: [UInt8] = [0, 0x4C, 0x4B, 0x40, 2]
        #expect(
            try conversation.tell(conversation.script.message(6, bandwidth)) == [
                RTMPMessage(kind: 5, payload: [0, 0x4C, 0x4B, 0x40])
            ])
        #expect(try conversation.tell(conversation.script.message(6, bandwidth)) == [])
        #expect(try conversation.tell(conversation.script.connectResult()).contains { $0.kind == 5 } == false)
    }

    @Test func `acknowledged bytes are counted beyond 4 GiB`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        for number: UInt32 in [0x4000_0000, 0xFFFF_FFF0, 0x10] {
            _ = try conversation.tell(conversation.script.control(3, number))
        }
        #expect(
            conversation.events.suffix(3) == [
                .reportAcknowledged(0x4000_0000), .reportAcknowledged(0xFFFF_FFF0), .reportAcknowledged(0x1_0000_0010),
            ])
    }

    @Test func `commands with AMF 3 before or after them are parsed`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        let information = ServerScript.information(
            level: "status", code: "NetConnection.Connect.Success", description: "")
        let payload = [0] + AMF0Encoder.encode([.string("_result"), .number(1), .null, information]) + [0x11, 0x0A]
        _ = try conversation.tell(conversation.script.message(17, payload))
        #expect(conversation.events.last == .entered(.createStreamReply))
    }

    @Test func `a rejection contains a redirect or a challenge`() throws {
        var redirected = try PublisherConversation()
        _ = try redirected.begin()
        let details = AMF0Value.object([
            AMF0Property("code", .number(302)), AMF0Property("redirect", .string("rtmp://other/a")),
        ])
        _ = try redirected.tell(
            redirected.script.command(
                "_error", 1, .null,
                .object([
                    AMF0Property("level", .string("error")),
                    AMF0Property("code", .string("NetConnection.Connect.Rejected")),
                    AMF0Property("ex", details),
                ])))
        #expect(
            redirected.events.last
                == .close(
                    .rejected(
                        .redirect(to: "rtmp://other/a"),
                        .refused(code: "NetConnection.Connect.Rejected", description: ""))))
        var asked = try PublisherConversation()
        _ = try asked.begin()
        let words = "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : "
        _ = try asked.tell(
            asked.script.status("_error", 1, level: "error", code: "NetConnection.Connect.Rejected", description: words)
        )
        let challenge = try #require(AuthenticationChallenge(words))
        guard case .close(.rejected(let rejection, _)) = asked.events.last else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection == .authenticate(challenge))
    }

    @Test func `the authentication query follows the application, also in tcUrl`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://ann:word@example.com/a/name"))
        let challenge = try #require(AuthenticationChallenge("[ code=403 need auth; authmod=adobe ]"))
        try negotiation.follow(.authenticate(challenge), clientChallenge: "deadbeef")
        var conversation = try PublisherConversation()
        conversation.machine = PublisherStateMachine(negotiation, stream: .literal, random: [])
        let connect = try #require(try commands(try conversation.begin()).first)
        #expect(connect[2]["app"] == .string("a?authmod=adobe&user=ann"))
        #expect(connect[2]["tcUrl"] == .string("rtmp://example.com/a?authmod=adobe&user=ann"))
    }

    @Test(arguments: [nil, "rtmp://other/a", ""]) func `a reconnect request is reported, and the stream continues`(
        target: String?
    ) throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        var information = [
            AMF0Property("level", .string("status")),
            AMF0Property("code", .string("NetConnection.Connect.ReconnectRequest")),
        ]
        if let target { information.append(AMF0Property("tcUrl", .string(target))) }
        _ = try conversation.tell(conversation.script.command("onStatus", 0, .null, .object(information)))
        #expect(
            conversation.events.last
                == .reportReconnectRequest(RTMPReconnectRequest(tcURL: target == "" ? nil : target)))
        #expect(conversation.machine.send(.literalPicture(at: 0, isKeyframe: true)) != .wait)
    }

    @Test(arguments: [
        "NetStream.Publish.BadName", "NetConnection.Connect.StreamBusy", "NetStream.Publish.AlreadyPublishing",
    ])
    func `all status codes for a name in use are reported as busy`(code: String) throws {
        var conversation = try PublisherConversation()
        _ = try conversation.begin()
        _ = try conversation.tell(conversation.script.connectResult())
        _ = try conversation.tell(conversation.script.status(level: "error", code: code))
        #expect(conversation.events.last == .failed(.streamBusy(description: "")))
    }
}
