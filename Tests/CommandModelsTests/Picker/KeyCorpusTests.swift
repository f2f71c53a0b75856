import FuzzTargets
import Testing

/// Keys of a terminal, truncated and with inverted bits. The fuzz target checks the invariants.
struct KeyCorpusTests {
    private static let keys = Array(
        "\u{1b}[A\u{1b}[B\u{1b}OA\r\t/tw\u{7f}\u{1b}\u{1b}[5~\u{1b}[6~\u{1b}[Hj\u{e4}k\u{1b}[1;5Fq\u{1b}[200~\u{e}\u{10}"
            .utf8)

    @Test func `Every prefix of keys is decoded or ignored`() {
        Mutations.prefixes(of: Self.keys, FuzzTargets.keys)
    }

    @Test func `Keys with inverted bits are decoded or ignored`() {
        Mutations.wrongBits(in: Self.keys, FuzzTargets.keys)
    }

    @Test(arguments: ["\u{1b}", "\u{1b}[", "\u{1b}[9", "\u{1b}[;", "j", "\u{7f}", "\r"])
    func `Many of the same bytes are decoded or ignored`(
        piece: String
    ) {
        FuzzTargets.keys(Array(String(repeating: piece, count: 2000).utf8))
    }
}
