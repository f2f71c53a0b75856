import Media
import Testing
import WebRTC

/// The answer to an offer like that of a browser, and the checks of its lite agent.
struct SessionAnswerTests {
    /// What Chromium offers, without the lines that do not matter here.
    static let offer = """
        v=0\r
        o=- 1 2 IN IP4 127.0.0.1\r
        s=-\r
        t=0 0\r
        a=group:BUNDLE v s\r
        m=video 9 UDP/TLS/RTP/SAVPF 96 102 103 108 109 41 42\r
        c=IN IP4 0.0.0.0\r
        a=ice-ufrag:abcd\r
        a=ice-pwd:0123456789012345678901\r
        a=fingerprint:sha-256 AA:BB\r
        a=setup:actpass\r
        a=mid:v\r
        a=extmap:4 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r
        a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay\r
        a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid\r
        a=recvonly\r
        a=rtcp-mux\r
        a=rtpmap:96 VP8/90000\r
        a=rtpmap:102 H264/90000\r
        a=rtcp-fb:102 transport-cc\r
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f\r
        a=rtpmap:103 rtx/90000\r
        a=fmtp:103 apt=102\r
        a=rtpmap:108 H264/90000\r
        a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=64001f\r
        a=rtpmap:41 H264/90000\r
        a=rtcp-fb:41 transport-cc\r
        a=rtcp-fb:* nack pli\r
        a=fmtp:41 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=f4001f\r
        a=rtpmap:42 rtx/90000\r
        a=fmtp:42 apt=41\r
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63\r
        a=mid:s\r
        a=recvonly\r
        a=rtpmap:111 opus/48000/2\r
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r
        a=mid:d\r

        """

    private func connection(profile: String, hasSound: Bool = true) throws -> MediaConnection {
        let address = try #require(TransportAddress("192.168.1.5", port: 8330))
        return try MediaConnection(
            answering: Self.offer, with: OfferedMedia(profileLevel: profile, hasSound: hasSound),
            addresses: [address], historySize: 16, at: .zero)
    }

    @Test func `A High stream goes to the decoder that must take it, and other tracks are rejected`() throws {
        let lines = try connection(profile: "640028").description.split(separator: "\r\n")
        #expect(lines.contains("m=video 9 UDP/TLS/RTP/SAVPF 41 42") && lines.contains("a=fmtp:42 apt=41"))
        #expect(
            lines.contains("a=fmtp:41 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=f40028"))
        // Only what was offered (RFC 4585, 4.2).
        #expect(
            lines.filter { $0.hasPrefix("a=rtcp-fb:") } == ["a=rtcp-fb:41 nack pli", "a=rtcp-fb:41 transport-cc"])
        #expect(lines.contains("m=audio 9 UDP/TLS/RTP/SAVPF 111") && lines.contains("a=group:BUNDLE v s"))
        #expect(lines.contains("m=application 0 UDP/DTLS/SCTP webrtc-datachannel") && lines.contains("a=mid:d"))
        #expect(lines.contains("a=ice-lite") && lines.contains("a=setup:passive") && lines.contains("a=sendonly"))
        #expect(lines.contains("a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"))
        #expect(lines.contains { $0.hasPrefix("a=candidate:1 1 udp") && $0.hasSuffix("192.168.1.5 8330 typ host") })
        // The number of a track whose arrivals are not reported would count as lost.
        let sound = lines.drop { !$0.hasPrefix("m=audio") }
        #expect(!sound.contains { $0.contains("transport-wide-cc") })
    }

    @Test func `An offer without names of its sections is answered, and its packets have none`() throws {
        let offer = Self.offer.replacing("a=mid:v\r\n", with: "").replacing("a=mid:s\r\n", with: "")
        let media = OfferedMedia(profileLevel: "640028", hasSound: true)
        let peer = try PeerDescription(offer: offer, for: media)
        #expect(peer.video?.extensions.mid == nil && peer.video?.section == 0 && peer.sound?.section == 1)
        let connection = try MediaConnection(
            answering: offer, with: media, addresses: [], historySize: 16, at: .zero)
        let lines = connection.description.split(separator: "\r\n")
        #expect(!lines.contains { $0.hasPrefix("a=group:BUNDLE") } && lines.count { $0.hasPrefix("a=sendonly") } == 2)
        let packet = RTPPacket(
            payloadType: 96, isMarked: false, sequence: 1, timestamp: 2, source: 3, extensions: .init(mid: 4), mid: "",
            payload: [1], isVideo: true)
        #expect(packet.bytes.count == 17)
    }

    @Test func `The credentials are those of the first section that is taken`() throws {
        let sound = """
            m=audio 9 UDP/TLS/RTP/SAVPF 111\r
            a=mid:first\r
            a=ice-ufrag:efgh\r
            a=ice-pwd:9876543210987654321098\r
            a=fingerprint:sha-256 CC:DD\r
            a=setup:actpass\r
            a=rtpmap:111 opus/48000/2\r
            m=video
            """
        let peer = try PeerDescription(
            offer: Self.offer.replacing("m=video", with: sound),
            for: OfferedMedia(profileLevel: "640028", hasSound: true))
        #expect(peer.credentials.fragment == "efgh" && peer.fingerprint == "CC:DD" && peer.sound?.mid == "first")
    }

    @Test func `A peer says whether it wants no packets during silence`() throws {
        let media = OfferedMedia(profileLevel: "640028", hasSound: true)
        for (parameters, takesPauses) in [("minptime=5;usedtx=1", true), ("usedtx=0", false), ("minptime=10", false)] {
            let line = "a=rtpmap:111 opus/48000/2\r\n"
            let offer = Self.offer.replacing(line, with: line + "a=fmtp:111 \(parameters)\r\n")
            #expect(try PeerDescription(offer: offer, for: media).sound?.takesPauses == takesPauses)
        }
        #expect(try PeerDescription(offer: Self.offer, for: media).sound?.takesPauses == false)
    }

    @Test func `A Baseline stream takes the Baseline decoder, and silence rejects the sound`() throws {
        let lines = try connection(profile: "42e01f", hasSound: false).description.split(separator: "\r\n")
        #expect(
            lines.contains("m=video 9 UDP/TLS/RTP/SAVPF 102 103") && lines.contains("m=audio 0 UDP/TLS/RTP/SAVPF 111"))
    }

    @Test func `A stream of a profile that the peer does not decode is refused`() throws {
        let offer = Self.offer.replacing("f4001f", with: "4d001f")
        #expect(throws: WebRTCError.self) {
            try MediaConnection(
                answering: offer, with: OfferedMedia(profileLevel: "640028", hasSound: true), addresses: [],
                historySize: 16, at: .zero)
        }
    }

    @Test func `A lite agent only answers, and sends where the peer decides`() throws {
        let peer = ICEAgent.Credentials(fragment: "peer", password: "0123456789012345678901")
        let (one, other) = (
            try #require(TransportAddress("192.0.2.1", port: 5)), try #require(TransportAddress("192.0.2.2", port: 6))
        )
        var agent = ICEAgent(isLite: true)
        agent.start(peer: peer, candidates: [one], at: .zero)
        #expect(agent.check(at: MediaTime(milliseconds: 500)) == nil && agent.nextDeadline == nil)
        func check(from address: TransportAddress, nominates: Bool, at milliseconds: Int64) -> Int {
            var request = STUNMessage(.bindingRequest, transaction: [UInt8](repeating: 7, count: 12))
            request.add(.username, Array("\(agent.own.fragment):peer".utf8))
            if nominates { request.add(.useCandidate) }
            let bytes = request.bytes(password: agent.own.password)
            return agent.receive(bytes, from: address, at: MediaTime(milliseconds: milliseconds)).count
        }
        #expect(check(from: one, nominates: false, at: 600) == 1 && agent.selected == nil)
        #expect(check(from: one, nominates: true, at: 700) == 1 && agent.selected == one)
        #expect(check(from: other, nominates: true, at: 10_000) == 1 && agent.selected == other)
        // The peer's checks are its consent.
        #expect(!agent.isLost(at: MediaTime(milliseconds: 24_000)) && agent.isLost(at: MediaTime(milliseconds: 25_100)))
    }
}
