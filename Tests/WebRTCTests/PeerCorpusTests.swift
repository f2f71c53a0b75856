import FuzzTargets
import Testing

/// What a peer sends, truncated at every position and with flipped bits. The targets check the results.
struct PeerCorpusTests {
    private static let message = bytes(
        """
        000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff80290008932f
        f9b151263b36000600096576746a3a68367659202020000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a280280004e57a3bcf
        """)
    /// A NACK, a PLI, and a report of arrivals.
    private static let feedback = bytes(
        """
        81cd00030000000100000007006400058 1ce000200000001000000078fcd000600000001000000070000000500000100a0004000200304
        05060708
        """)

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test func `Messages of STUN are read or refused`() {
        Mutations.prefixes(of: Self.message, FuzzTargets.stun)
        Mutations.wrongBits(in: Self.message, FuzzTargets.stun)
    }

    @Test func `Answers of a relay and its links are read or refused`() {
        // 401 with a realm and a nonce.
        let refusal = Self.bytes(
            "0113002c2112a442b7e7a701bc34d686fa87dfae000900040000040100140004726f6f6d0015000c6e6f6e63652d6e6f6e63652d8028000400000000"
        )
        Mutations.prefixes(of: refusal, FuzzTargets.relay)
        Mutations.wrongBits(in: refusal, FuzzTargets.relay)
        let link = Array(
            #"<turn:relay.example:3478?transport=udp>; rel="ice-server"; username="a"; credential="b\"c""#.utf8)
        Mutations.prefixes(of: link, FuzzTargets.links)
        Mutations.wrongBits(in: link, FuzzTargets.links)
    }

    @Test func `Feedback is read or left out`() {
        Mutations.prefixes(of: Self.feedback, FuzzTargets.feedback)
        Mutations.wrongBits(in: Self.feedback, count: 20_000, FuzzTargets.feedback)
    }

    @Test func `Session descriptions are read or refused`() {
        for text in [PeerDescriptionTests.answer, SessionAnswerTests.offer].map({ Array($0.utf8) }) {
            Mutations.prefixes(of: text, FuzzTargets.description)
            Mutations.wrongBits(in: text, count: 3000, FuzzTargets.description)
        }
    }

    @Test func `Records of DTLS are taken or refused`() {
        // Bytes with the type of a ClientHello, and an alert.
        let records: [UInt8] =
            [0, 30] + [22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 1] + [UInt8](repeating: 3, count: 16)
            + [15, 21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 40]
        Mutations.prefixes(of: records, FuzzTargets.dtls)
        Mutations.wrongBits(in: records, count: 500, FuzzTargets.dtls)
    }
}
