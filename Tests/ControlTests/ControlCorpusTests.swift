import FuzzTargets
import Testing

/// Lines of the control socket, truncated and with inverted bits. The fuzz target checks the invariants.
@Suite struct ControlCorpusTests {
    private static let lines = [
        #"{"command":"status"}"#, #"{"command":"mic","value":"toggle"}"#,
        #"{"command":"annotate","values":{"songTitle":"\u00c6nima","a":"b=c"}}"#,
        #"{"command":"clip","last":30.5,"path":"/tmp/a.mp4","future":{"x":[1,null]}}"#,
        #"{"command":"add-destination","destination":"rtmp://127.0.0.1/live/key","folder":"/tmp"}"#,
        #"{"retried":["a","b"]}"#,
        #"{"clip":{"path":"/tmp/a.mp4","start":1.5,"duration":30}}"#,
        #"{"error":{"code":404,"message":"There is no command dance."}}"#,
        #"{"session":{"session":"default","pid":7,"state":"live","started":"2026-01-02T03:04:05Z","elapsed":1.5,"source":{"display":":0","width":640,"height":360},"video":{"width":640,"height":360,"fps":30,"captured":1,"encoded":2,"repeated":3,"dropped":4,"bitrate_kbps":5},"audio":{},"destinations":[]}}"#,
    ].map { Array($0.utf8) }

    @Test func `Every prefix of a line is parsed or rejected`() {
        for line in Self.lines { Mutations.prefixes(of: line, FuzzTargets.control) }
    }

    @Test func `Lines with inverted bits are parsed or rejected`() {
        for line in Self.lines { Mutations.wrongBits(in: line, FuzzTargets.control) }
        Mutations.wrongBits(in: Array(Self.lines.joined(separator: [0x0A])), FuzzTargets.control)
    }

    @Test func `Extreme depths, lengths and numbers are parsed or rejected`() {
        for piece in ["[", "{\"a\":", "9", "\"", "\\u"] {
            FuzzTargets.control(Array(String(repeating: piece, count: 60_000 / piece.utf8.count).utf8))
        }
        FuzzTargets.control(Array(#"{"command":"clip","last":1e999}"#.utf8))
    }
}
