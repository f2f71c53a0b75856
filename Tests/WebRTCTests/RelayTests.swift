import Media
import Testing
import WebRTC

struct RelayTests {
    private static let server = RelayServer(host: "192.0.2.1", port: 3478, username: "ada", password: "sesame")
    /// MD5 of `ada:room:sesame`.
    private static let key: [UInt8] = [
        0xa6, 0xcc, 0xa1, 0xc4, 0x00, 0xd3, 0x01, 0xef, 0x09, 0xb9, 0x4e, 0xdb, 0xfb, 0x27, 0x5a, 0x03,
    ]

    private func address(_ last: Int, port: UInt16 = 5000) throws -> TransportAddress {
        try #require(TransportAddress("192.0.2.\(last)", port: port))
    }

    private func relay() throws -> Relay { Relay(Self.server, at: try address(1, port: 3478), time: .zero) }

    /// Takes the only message that waits for the relay.
    private func message(of relay: inout Relay) throws -> STUNMessage {
        let datagrams = relay.takeDatagrams()
        #expect(datagrams.count == 1)
        return try #require(datagrams.first.flatMap { STUNMessage(reading: $0) })
    }

    private func refusal(_ kind: STUNMessage.Kind, of request: STUNMessage, code: [UInt8] = [4, 1]) -> [UInt8] {
        var answer = STUNMessage(kind, transaction: request.transaction)
        answer.add(.errorCode, [0, 0] + code)
        answer.add(.realm, Array("room".utf8))
        answer.add(.nonce, Array("once".utf8))
        return answer.bytes(key: nil)
    }

    /// A relay that has given an address for ten minutes.
    private func readyRelay(key: [UInt8]? = nil) throws -> Relay {
        var relay = try relay()
        let first = try message(of: &relay)
        #expect(
            first.kind == .allocateRequest && first[.username] == nil && first[.requestedTransport] == [17, 0, 0, 0])
        _ = relay.receive(refusal(.allocateError, of: first), at: .zero)
        let datagrams = relay.takeDatagrams()
        let second = try #require(datagrams.first.flatMap { STUNMessage(reading: $0) })
        #expect(second[.realm] == Array("room".utf8) && second[.nonce] == Array("once".utf8))
        #expect(STUNMessage.isAuthentic(datagrams[0], key: Self.key))
        var answer = STUNMessage(.allocateSuccess, transaction: second.transaction)
        answer.add(.lifetime, [0, 0, 2, 88])
        _ = relay.receive(answer.bytes(key: key ?? Self.key), at: .zero)
        return relay
    }

    @Test func `It asks for an address with the credential that the relay wants`() throws {
        #expect(try relay().state == .requested)
        #expect(try readyRelay().state == .ready)
        // Somebody else's answer.
        #expect(try readyRelay(key: [1, 2, 3]).state == .requested)
    }

    @Test func `A datagram goes to a peer that may answer, and comes back from it`() throws {
        var relay = try readyRelay()
        let peer = try address(7)
        for expected in [[STUNMessage.Kind.permissionRequest, .sendIndication], [.sendIndication]] {
            relay.send([1, 2, 3], to: peer, at: .zero)
            let messages = relay.takeDatagrams().compactMap { STUNMessage(reading: $0) }
            #expect(messages.map(\.kind) == expected)
            #expect(messages.allSatisfy { $0.address(.xorPeerAddress) == peer })
            #expect(messages.last?[.data] == [1, 2, 3])
        }
        var data = STUNMessage(.dataIndication, transaction: [UInt8](repeating: 1, count: 12))
        data.add(peer, as: .xorPeerAddress)
        data.add(.data, [4, 5, 6])
        let bytes = data.bytes(key: nil)
        let received = relay.receive(bytes, at: .zero)
        #expect(received?.bytes == [4, 5, 6] && received?.from == peer)
    }

    @Test func `It keeps the address and the permissions, and gives the address back`() throws {
        var relay = try readyRelay()
        relay.send([1], to: try address(7), at: .zero)
        _ = relay.takeDatagrams()
        var kinds: [STUNMessage.Kind] = []
        for seconds in 1...600 {
            let time = MediaTime(milliseconds: Int64(1000 * seconds))
            relay.advance(to: time)
            for bytes in relay.takeDatagrams() {
                guard let message = STUNMessage(reading: bytes) else { continue }
                kinds.append(message.kind)
                let success: STUNMessage.Kind =
                    message.kind == .refreshRequest ? .refreshSuccess : .permissionSuccess
                let answer = STUNMessage(success, transaction: message.transaction).bytes(key: Self.key)
                _ = relay.receive(answer, at: time)
            }
        }
        #expect(kinds.count { $0 == .refreshRequest } == 1 && relay.state == .ready, "\(kinds)")
        #expect(kinds.count { $0 == .permissionRequest } >= 2, "\(kinds)")
        relay.close(at: MediaTime(milliseconds: 601_000))
        #expect(try message(of: &relay)[.lifetime] == [0, 0, 0, 0])
    }

    @Test func `A relay that refuses or does not answer has failed`() throws {
        var refusing = try relay()
        let first = try message(of: &refusing)
        _ = refusing.receive(refusal(.allocateError, of: first), at: .zero)
        let second = try message(of: &refusing)
        // The credential is wrong.
        _ = refusing.receive(refusal(.allocateError, of: second), at: .zero)
        #expect(refusing.state == .failed && refusing.nextDeadline == nil)

        var silent = try relay()
        var count = 0
        for milliseconds in stride(from: 0, to: 40_000, by: 100) {
            silent.advance(to: MediaTime(milliseconds: Int64(milliseconds)))
            count += silent.takeDatagrams().count
        }
        #expect(silent.state == .failed && count == 3)
    }

    @Test func `Only where no check is answered directly, a relay is asked`() throws {
        let relayAddress = try address(1, port: 3478)
        let peer = try address(7)
        for hasPath in [true, false] {
            var path = MediaPath(at: .zero)
            path.add([(Self.server, relayAddress)])
            path.advance(to: MediaTime(milliseconds: 1000), hasPath: false)
            #expect(path.outgoing([(peer, [9])], at: .zero).map(\.to) == [peer])
            path.advance(to: MediaTime(milliseconds: 1600), hasPath: hasPath)
            let sent = path.outgoing([(peer, [9])], at: .zero)
            // The direct way is tried until the relay is ready.
            #expect(sent.map(\.to) == (hasPath ? [peer] : [peer, relayAddress]))
            #expect(path.incoming(([5], peer), at: .zero)?.bytes == [5] && !path.isRelayed)
        }
    }

    @Test func `A relay that has not answered is left when a check was answered directly`() throws {
        let (relayAddress, peer) = (try address(1, port: 3478), try address(7))
        var path = MediaPath(at: .zero)
        path.add([(Self.server, relayAddress)])
        path.advance(to: MediaTime(milliseconds: 1600), hasPath: false)
        #expect(path.outgoing([], at: .zero).map(\.to) == [relayAddress])
        path.advance(to: MediaTime(milliseconds: 1700), hasPath: true)
        for milliseconds in stride(from: 1800, to: 9000, by: 100) {
            path.advance(to: MediaTime(milliseconds: Int64(milliseconds)), hasPath: true)
            #expect(path.outgoing([(peer, [9])], at: .zero).map(\.to) == [peer])
        }
        #expect(path.nextDeadline == nil)
    }

    @Test(arguments: [
        (
            #"<turn:relay.example>; rel="ice-server"; username="ada"; credential="a;b,\"c"; credential-type="password""#,
            ["relay.example:3478:ada:a;b,\"c"]
        ),
        (
            #"<stun:s.example>; rel="ice-server", <turn:[2001:db8::1]:5000?transport=udp>;rel=ice-server;username=u;credential=p"#,
            ["2001:db8::1:5000:u:p"]
        ),
        (#"<turn:relay.example>; rel="ice-server""#, []),
        (#"<turn:relay.example?transport=tcp>; rel="ice-server"; username="u"; credential="p""#, []),
        (#"<turns:relay.example>; rel="ice-server"; username="u"; credential="p""#, []),
        (#"<turn:relay.example>; rel="next"; username="u"; credential="p""#, []),
        (#"<turn:relay.example:0>; rel="ice-server"; username="u"; credential="p""#, []),
        ("nonsense", []),
    ])
    func `The relays of a server are read from its links`(header: String, expected: [String]) {
        let relays = RelayServer.all(inLinks: [header])
        #expect(relays.map { "\($0.host):\($0.port):\($0.username):\($0.password)" } == expected)
    }
}
