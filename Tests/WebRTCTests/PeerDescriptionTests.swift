import Testing
import WebRTC

struct PeerDescriptionTests {
    static let answer = """
        v=0\r
        o=- 1 1 IN IP4 127.0.0.1\r
        s=-\r
        t=0 0\r
        a=ice-lite\r
        a=group:BUNDLE 0 1\r
        a=fingerprint:sha-256 AA:BB\r
        m=video 9 UDP/TLS/RTP/SAVPF 96 97\r
        a=setup:passive\r
        a=ice-ufrag:abcd\r
        a=ice-pwd:0123456789012345678901\r
        a=mid:0\r
        a=rtpmap:96 H264/90000\r
        a=rtpmap:97 rtx/90000\r
        a=rtcp-fb:96 transport-cc\r
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r
        a=candidate:1 1 udp 2130706431 192.0.2.7 5004 typ host\r
        a=candidate:2 1 tcp 1 192.0.2.7 5004 typ host\r
        a=candidate:3 1 UDP 1 x.local 5004 typ host\r
        a=candidate:4 1 udp 1 2001:db8::1 5006 typ host\r
        m=audio 9 UDP/TLS/RTP/SAVPF 111\r
        a=mid:1\r
        a=rtpmap:111 opus/48000/2\r

        """

    @Test func `an answer is read`() throws {
        let answer = try PeerDescription(answer: Self.answer)
        #expect(answer.credentials.fragment == "abcd" && answer.fingerprint == "AA:BB")
        #expect(answer.video?.retransmissionType == 97 && answer.sound != nil && !answer.peerIsActive)
        #expect(answer.video?.extensions == .init(mid: nil, transportSequence: 3) && answer.hasTransportFeedback)
        // The number of a track whose arrivals are not reported would count as lost.
        #expect(answer.sound?.extensions == .init())
        #expect(answer.candidates.map(\.description) == ["192.0.2.7:5004", "[2001:db8::1]:5006"])
    }

    @Test func `a track that is rejected is not sent`() throws {
        let silent = try PeerDescription(
            answer: Self.answer.replacing("m=audio 9", with: "m=audio 0").replacing("rtx/90000", with: "red/90000"))
        #expect(silent.video?.retransmissionType == nil && silent.video != nil && silent.sound == nil)
    }

    @Test(arguments: [
        "a=setup:", "a=ice-pwd:", "a=ice-ufrag:", "a=fingerprint:sha-256", "m=video 9 UDP/TLS/RTP/SAVPF 96",
    ])
    func `an answer without a part that is needed is refused with a reason`(part: String) {
        let text = Self.answer.replacing(part, with: "a=x").replacing("m=audio 9", with: "m=audio 0")
        #expect(throws: WebRTCError.self) { try PeerDescription(answer: text) }
    }

    @Test func `no text makes it crash`() {
        let lines = Self.answer.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0..<2000 {
            var some = lines
            for _ in 0..<3 {
                let index = Int.random(in: 0..<some.count)
                switch Int.random(in: 0..<3) {
                case 0: some.remove(at: index)
                case 1: some[index] = String(some[index].dropLast(Int.random(in: 0...some[index].count)))
                default: some.insert(lines.randomElement() ?? "", at: index)
                }
                if some.isEmpty { some = lines }
            }
            _ = try? PeerDescription(answer: some.joined(separator: "\r\n"))
        }
    }
}
