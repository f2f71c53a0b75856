import BroadcastExtension
import FuzzTargets
import Testing

/// Messages between an extension and its host, truncated at every position and with flipped bits. The readers check the
/// results.
struct ExtensionCorpusTests {
    private static let frames: [[UInt8]] = [
        Frame(
            control: Array(#"{"event":"start","setup":{"key":"a"},"tracks":["screen","mixed"],"title":"A talk"}"#.utf8)),
        Frame(header: FrameHeader(length: 5, kind: .configuration, track: 3), payload: [1, 2, 3, 4, 5]),
        Frame(
            header: FrameHeader(
                length: 40, kind: .sample, track: 0, flags: [.keyframe, .discontinuity], sequence: 7,
                presentationTime: 1_000_000_000, decodeTime: -1),
            payload: [UInt8](repeating: 0x65, count: 40)),
        Frame(header: FrameHeader(length: 0, kind: .sample), payload: []),
        Frame(control: Array(#"{"event":"finish"}"#.utf8)),
    ].map { $0.header.bytes + $0.payload }

    private static let replies = [
        "{\"hello\":1}\n{\"status\":\"warming up\"}\n{\"watch_url\":\"https://example.org/live\"}\n\n{\"request\":\"keyframe\"}\n",
        "{\"error\":{\"code\":401,\"message\":\"Not Logged In\",\"retry\":false}}\n",
        "{\"hello\":1,\"later\":{\"a\":[1,null,1e9]}}\nnonsense\n",
        "{\"status\":\"\\u00c6nima \\ud83d\\ude00\"}", String(repeating: "\n", count: 900),
    ].map { Array($0.utf8) }

    @Test func `Every prefix of frames is parsed or rejected`() {
        Mutations.prefixes(of: Array(Self.frames.joined()), FuzzTargets.frames)
    }

    @Test func `Frames with flipped bits are parsed or rejected`() {
        Mutations.wrongBits(in: Array(Self.frames.joined()), count: 5000, FuzzTargets.frames)
        for frame in Self.frames { Mutations.wrongBits(in: frame, FuzzTargets.frames) }
    }

    @Test func `Every prefix of replies is parsed or rejected`() {
        for reply in Self.replies { Mutations.prefixes(of: reply, FuzzTargets.replies) }
        Mutations.prefixes(of: Array(Self.replies.joined()), FuzzTargets.replies)
    }

    @Test func `Replies with flipped bits are parsed or rejected`() {
        for reply in Self.replies { Mutations.wrongBits(in: reply, FuzzTargets.replies) }
        Mutations.wrongBits(in: Array(Self.replies.joined()), count: 5000, FuzzTargets.replies)
    }

    @Test func `Endless lines, floods and deep nesting are parsed or rejected`() {
        for count in [65_535, 65_536, 65_537] {
            FuzzTargets.replies([UInt8](repeating: 0x78, count: count))
            FuzzTargets.replies([UInt8](repeating: 0x5b, count: count) + [0x0a])
        }
        FuzzTargets.replies([UInt8](repeating: 0x0a, count: 1001))
        FuzzTargets.replies([UInt8](repeating: 0x78, count: (1 << 20) + 1))
    }
}
