import Media
import WebRTC

/// What a WebRTC peer and the network send: messages of STUN, feedback of RTCP, session descriptions, records of DTLS.
extension FuzzTargets {
    /// A datagram that can be a message of STUN. A message that is read and written again is read as the same one.
    public static func stun(_ bytes: [UInt8]) {
        _ = STUNMessage.isAuthentic(bytes, password: "password")
        guard let message = STUNMessage(reading: bytes) else { return }
        var own = STUNMessage(message.kind, transaction: message.transaction)
        if let user = message[.username] { own.add(.username, user) }
        let written = own.bytes(password: "password")
        precondition(STUNMessage.isAuthentic(written, password: "password"), "an own message is not authentic")
        precondition(STUNMessage(reading: written)?.transaction == message.transaction, "the transaction changed")
    }

    /// A datagram from a relay, while it is asked for an address.
    public static func relay(_ bytes: [UInt8]) {
        guard let address = TransportAddress("192.0.2.1", port: 3478) else { return }
        let server = RelayServer(host: "192.0.2.1", port: 3478, username: "ada", password: "secret")
        var relay = Relay(server, at: address, time: .zero)
        // The answer to the request has its transaction.
        var answer = bytes
        if let request = relay.takeDatagrams().first, answer.count >= 20 { answer[8..<20] = request[8..<20] }
        _ = relay.receive(answer, at: .zero)
        precondition(relay.state != .ready, "an answer without the key is believed")
    }

    /// A header Link of an answer.
    public static func links(_ bytes: [UInt8]) {
        for relay in RelayServer.all(inLinks: [String(decoding: bytes, as: UTF8.self)]) {
            precondition(!relay.host.isEmpty && relay.port > 0)
        }
    }

    /// A compound packet of RTCP, after decryption. Its feedback keeps the estimate in its bounds.
    public static func feedback(_ bytes: [UInt8]) {
        var estimator = RateEstimator(isFollowed: true)
        var (evidence, retransmissions, sent) = (LineEvidence(), Retransmissions(), SentRate())
        for index in 0..<200 { sent.add(byteCount: 1200, at: MediaTime(milliseconds: Int64(index) * 5)) }
        for number in 0..<100 { estimator.noteSent(UInt16(number), size: 1200, at: .zero) }
        for (index, feedback) in ReceiverFeedback.all(in: bytes).enumerated() {
            let now = MediaTime(milliseconds: 1000 + Int64(index) * 400)
            switch feedback {
            case .arrivals(let arrivals):
                precondition(arrivals.arrivals.count <= 65_535)
                estimator.note(arrivals, at: MediaTime(milliseconds: Int64(index) * 400))
            case .limit(let limit):
                precondition(limit >= 0)
                estimator.fall(to: limit)
                estimator.lose(to: limit / 2, at: now)
                evidence.noteLimit(limit, at: now)
            case .report(let report):
                estimator.noteCalm(sentRate: 1_000_000, at: now)
                evidence.noteLoss(Double(report.lost) / 256, at: now)
            case .missing(let numbers, _):
                evidence.noteMissing(numbers.count, at: now)
                estimator.noteMissing(numbers, at: now)
                for number in numbers { _ = retransmissions.ask(number, size: 1200, rate: 1_000_000, at: now) }
            case .keyframe: break
            }
        }
        if let rate = evidence.verdict(on: sent, at: MediaTime(milliseconds: 1000)) {
            precondition((0...100_000_000).contains(rate), "\(rate)")
        }
        precondition((RateEstimator.smallest...RateEstimator.largest).contains(estimator.estimate))
    }

    /// A session description from a server or a viewer. What is taken of it has the sizes that ICE requires, and an
    /// offer is answered with all of its sections.
    public static func description(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let media = OfferedMedia(profileLevel: "64001f", hasSound: true)
        for peer in [try? PeerDescription(answer: text), try? PeerDescription(offer: text, for: media)] {
            guard let peer else { continue }
            precondition(peer.video != nil || peer.sound != nil)
            precondition(peer.credentials.password.utf8.count >= 22 && peer.candidates.allSatisfy { $0.port > 0 })
        }
        guard let peer = try? PeerDescription(offer: text, for: media),
            let connection = try? MediaConnection(
                answering: text, with: media, addresses: [], historySize: 8, at: .zero)
        else { return }
        let sections = connection.description.split(separator: "\r\n").count { $0.hasPrefix("m=") }
        precondition(sections == peer.sections.count, "a section has no answer")
    }

    /// Datagrams of DTLS from a peer, each after its length in a byte, before and within the handshake.
    public static func dtls(_ bytes: [UInt8]) {
        guard let certificate,
            let connection = try? DTLSConnection(
                certificate, peerFingerprint: "AA", isClient: bytes.first.map { $0 & 1 == 1 } ?? true)
        else { return }
        var rest = bytes.dropFirst()
        _ = try? connection.advance()
        while let length = rest.first {
            let datagram = Array(rest.dropFirst().prefix(Int(length)))
            rest = rest.dropFirst(1 + Int(length))
            guard (try? connection.advance(datagram)) != nil else { break }
            precondition(connection.takeDatagrams().allSatisfy { !$0.isEmpty && $0.count <= 1500 })
        }
    }

    // One for all inputs: only this thread uses it.
    nonisolated(unsafe) private static let certificate = try? DTLSCertificate()
}
