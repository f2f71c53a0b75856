import Media
import Mux
import RTMP
import Testing

/// Servers that stop answering, send invalid data or redirect in a loop. Each case ends in a typed error, in time.
@Suite struct HostileServerTests {
    /// Short for the step that fails; the previous steps have the normal deadlines.
    private static func deadlines(_ step: RTMPStep) -> RTMPDeadlines {
        var deadlines = RTMPDeadlines()
        if step == .handshake { deadlines.handshake = .milliseconds(300) } else { deadlines.reply = .milliseconds(500) }
        return deadlines
    }

    private func failure(
        _ url: String, _ deadlines: RTMPDeadlines = RTMPDeadlines(), credentials: RTMPCredentials? = nil
    ) async throws -> RTMPError? {
        let url = try RTMPURL(url)
        do throws(RTMPError) {
            let publisher = try await RTMPPublisher.connect(
                to: url, stream: .literal, credentials: credentials, deadlines: deadlines)
            await publisher.finish()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [1, 2, 1000, 1537, 1538, 3072]) func `silence within the handshake times out`(byteCount: Int)
        async throws
    {
        try await RawServer.run([.say(Array(ServerScript.handshake[..<byteCount]))]) { server in
            let error = try await failure(server.url, Self.deadlines(.handshake))
            #expect(error == .timedOut(.handshake))
        }
    }

    @Test(arguments: [0, 1, 1537, 3072]) func `a close within the handshake is a closed connection`(byteCount: Int)
        async throws
    {
        try await RawServer.run([.hear(1537), .say(Array(ServerScript.handshake[..<byteCount])), .close]) { server in
            let error = try await failure(server.url)
            #expect(error == .closed(during: .handshake))
        }
    }

    @Test func `silence within a chunk times out`() async throws {
        try await RawServer.run([.say(ServerScript.handshake + [0x03, 0, 0, 0, 0, 1, 0, 20, 0, 0, 0, 0, 2, 0])]) {
            server in
            let error = try await failure(server.url, Self.deadlines(.connectReply))
            #expect(error == .timedOut(.connectReply))
        }
    }

    @Test func `a declared length of 16 MB violates the protocol`() async throws {
        try await RawServer.run([.say(ServerScript.handshake + [0x03, 0, 0, 0, 0xFF, 0xFF, 0xFF, 20, 0, 0, 0, 0])]) {
            server in
            let error = try await failure(server.url)
            #expect(error == .protocolViolation(.chunkStream(.messageTooLong(16_777_215))))
        }
    }

    @Test func `an endless stream of empty chunks does not extend the deadline`() async throws {
        let empty: [UInt8] = [0x05, 0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0]
        try await RawServer.run([
            .say(ServerScript.handshake + empty), .flood([UInt8](repeating: 0xC5, count: 16_384)),
        ]) { server in
            let error = try await failure(server.url, Self.deadlines(.connectReply))
            // The order depends on the speed of both sides.
            #expect([.timedOut(.connectReply), .protocolViolation(.tooManyBytes)].contains(error))
        }
    }

    @Test func `an endless stream of empty chunks is ended, because all publishers share a thread`() async throws {
        let empty: [UInt8] = [0x05, 0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0]
        var deadlines = RTMPDeadlines()
        deadlines.reply = .seconds(60)
        try await RawServer.run([
            .say(ServerScript.handshake + empty), .flood([UInt8](repeating: 0xC5, count: 16_384)),
        ]) { [deadlines] server in
            let error = try await failure(server.url, deadlines)
            #expect(error == .protocolViolation(.tooManyBytes))
        }
    }

    @Test func `an endless stream of pings whose answers are not read is ended`() async throws {
        var script = ServerScript()
        let pings = Array(repeatElement(script.message(4, [0, 6, 0, 0, 0, 1]), count: 500).joined())
        try await RawServer.run([.say(ServerScript.handshake), .flood(pings)]) { server in
            let error = try await failure(server.url, Self.deadlines(.connectReply))
            // The order depends on the speed of both sides, because the server of this test reads the answers.
            #expect(
                [.timedOut(.connectReply), .protocolViolation(.answersNotRead), .protocolViolation(.tooManyBytes)]
                    .contains(error))
        }
    }

    @Test func `a close command is a closed connection`() async throws {
        var script = ServerScript()
        let close = script.command("close", 0, .null)
        try await RawServer.run([.say(ServerScript.handshake + close)]) { server in
            let error = try await failure(server.url)
            #expect(error == .closed(during: .connectReply))
        }
    }

    @Test func `bytes that a server sends immediately are always processed`() async throws {
        // Previously these bytes could arrive before the handler was added, so the answer of a web server caused a
        // timeout.
        let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        try await RawServer.run([.say(answer)]) { server in
            for _ in 0..<200 {
                let error = try await failure(server.url)
                #expect(error == .protocolViolation(.handshakeVersion(72)))
            }
        }
    }

    // MARK: TLS

    @Test(arguments: [
        ([RawServer.Step.close], RTMPError.closed(during: .securing)),
        ([.hear(100), .close], .closed(during: .securing)),
        ([], .timedOut(.securing)),
        // The first half of a ServerHello.
        ([.say([0x16, 0x03, 0x03, 0x00, 0x7A, 0x02, 0x00, 0x00, 0x76, 0x03, 0x03])], .timedOut(.securing)),
        ([.say(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))], .insecure(host: "127.0.0.1", .notTLS)),
        ([.say(ServerScript.handshake)], .insecure(host: "127.0.0.1", .notTLS)),
    ])
    func `a server that does not complete TLS, or has none, causes the matching error`(
        steps: [RawServer.Step], expected: RTMPError
    ) async throws {
        var deadlines = RTMPDeadlines()
        if expected == .timedOut(.securing) { deadlines.securing = .milliseconds(300) }
        try await RawServer.run(steps) { [deadlines] server in
            let error = try await failure("rtmps://127.0.0.1:\(server.port)/live/key", deadlines)
            #expect(error == expected)
        }
    }

    // MARK: Redirects

    private static func redirect(to target: String, _ script: inout ServerScript) -> RecordingServer.Answer {
        let details = AMF0Value.object([AMF0Property("code", .number(302)), AMF0Property("redirect", .string(target))])
        return .bytes(
            script.command(
                "_error", 1, .null,
                .object([
                    AMF0Property("level", .string("error")),
                    AMF0Property("code", .string("NetConnection.Connect.Rejected")),
                    AMF0Property("ex", details),
                ])))
    }

    @Test func `a redirect is followed with the same key`() async throws {
        try await RecordingServer.run { command, _, server, script in
            guard command.first == .string("connect"), command[2]["app"] == .string("live") else { return .ordinary }
            return Self.redirect(to: server.tcURL + "2", &script)
        } _: { server in
            let error = try await failure(server.url)
            #expect(error == nil)
            let commands = server.connections.last?.commands ?? []
            #expect(server.connections.count == 2 && commands.first?[2]["app"] == .string("live2"))
            #expect(commands.contains { $0.first == .string("publish") && $0[3] == .string("key") })
        }
    }

    @Test func `a redirect to the same address is a loop`() async throws {
        try await RecordingServer.run { command, _, server, script in
            command.first == .string("connect") ? Self.redirect(to: server.tcURL, &script) : .ordinary
        } _: { server in
            let error = try await failure(server.url)
            #expect(error == .badRedirect(.loop))
            #expect(server.connections.count == 1)
        }
    }

    @Test func `the fourth redirect is rejected`() async throws {
        try await RecordingServer.run { command, number, server, script in
            command.first == .string("connect") ? Self.redirect(to: server.tcURL + "\(number)", &script) : .ordinary
        } _: { server in
            let error = try await failure(server.url)
            #expect(error == .badRedirect(.tooMany))
            #expect(server.connections.count == 4)
        }
    }

    // MARK: Authentication

    /// Adobe's authentication, for the user `ann` with the password `wonder`.
    private static func guarded(_ command: [AMF0Value], _ script: inout ServerScript) -> RecordingServer.Answer {
        guard command.first == .string("connect"), let app = command[2]["app"]?.stringValue else { return .ordinary }
        func reject(_ words: String) -> RecordingServer.Answer {
            .bytes(
                script.status(
                    "_error", 1, level: "error", code: "NetConnection.Connect.Rejected",
                    description: "[ AccessManager.Reject ] : \(words)"))
        }
        let fields = app.drop { $0 != "?" }.dropFirst().split(separator: "&").reduce(into: [String: String]()) {
            fields, part in
            let name = part.prefix { $0 != "=" }
            fields[String(name)] = String(part.dropFirst(name.count + 1))
        }
        guard let user = fields["user"] else { return reject("[ code=403 need auth; authmod=adobe ] : ") }
        guard let response = fields["response"], let challenge = fields["challenge"] else {
            return reject("[ authmod=adobe ] : ?reason=needauth&user=\(user)&salt=c2FsdA==&challenge=Y2g=&opaque=b3A=")
        }
        let secret = AuthenticationChallenge.base64(MD5.digest(Array("annc2FsdA==wonder".utf8)))
        let expected = AuthenticationChallenge.base64(MD5.digest(Array((secret + "b3A=" + challenge).utf8)))
        return user == "ann" && response == expected
            ? .ordinary : reject("[ authmod=adobe ] : ?reason=authfailed&opaque=b3A=")
    }

    @Test func `a user name and a password authenticate, in the URL or separate`() async throws {
        try await RecordingServer.run { command, _, _, script in
            Self.guarded(command, &script)
        } _: { server in
            let named = server.url.replacing("rtmp://", with: "rtmp://ann:wonder@")
            for (url, credentials) in [(named, nil), (server.url, RTMPCredentials(user: "ann", password: "wonder"))] {
                let error = try await failure(url, credentials: credentials)
                #expect(error == nil)
            }
            #expect(server.connections.count == 6)
        }
    }

    @Test func `a wrong password is a permanent refusal, and remains secret`() async throws {
        try await RecordingServer.run { command, _, _, script in
            Self.guarded(command, &script)
        } _: { server in
            let wrong = try #require(
                try await failure(server.url, credentials: RTMPCredentials(user: "ann", password: "blunder")))
            #expect(wrong == .signInRefused(.wrong) && wrong.retry == .never)
            #expect(!wrong.description.contains("blunder"))
            let without = try #require(try await failure(server.url))
            #expect(without == .signInRefused(.missing))
        }
    }

    @Test func `a name in use is reported as busy`() async throws {
        try await RecordingServer.run { command, _, _, script in
            guard command.first == .string("publish") else { return .ordinary }
            return .bytes(script.status(level: "error", code: "NetStream.Publish.BadName", description: "in use"))
        } _: { server in
            let error = try #require(try await failure(server.url))
            #expect(error == .streamBusy(description: "in use") && error.retry == .busy)
        }
    }
}
