import FuzzTargets
import Testing

/// Answers of setup programs and names of destinations, truncated and with inverted bits. The fuzz target checks the
/// invariants.
struct AnswerCorpusTests {
    private static let inputs = [
        #"{"setup":{"url":"rtmp://h/a"},"secrets":{"key":"k\u00e4y"},"watch_url":"https://w.example/","other":[1,null]}"#,
        #"{"error":{"code":401,"message":"No."}}"#, ".mine/%41 ä~",
    ].map { Array($0.utf8) }

    @Test func `Every prefix is parsed or rejected`() {
        for input in Self.inputs { Mutations.prefixes(of: input, FuzzTargets.answers) }
    }

    @Test func `Inverted bits are parsed or rejected`() {
        for input in Self.inputs { Mutations.wrongBits(in: input, FuzzTargets.answers) }
    }

    @Test(arguments: ["[", "{\"setup\":", "\"", "%", "/", "."])
    func `Deep nesting and long names are parsed or rejected`(piece: String) {
        FuzzTargets.answers(Array(String(repeating: piece, count: 5000).utf8))
    }
}
