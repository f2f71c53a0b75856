import BroadcastExtension
import Testing

/// The framing of broadcast-extension(7), byte for byte.
struct FrameHeaderTests {
    private let literal: [UInt8] = [
        0x42, 0x58, 0x53, 0x31, 0x05, 0x01, 0x00, 0x00, 0x53, 0x03, 0x03, 0x00, 0x0d, 0x0c, 0x0b, 0x0a,
        0x00, 0xca, 0x9a, 0x3b, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ]
    private let header = FrameHeader(
        length: 261, kind: .sample, track: 3, flags: [.keyframe, .discontinuity], sequence: 0x0a0b_0c0d,
        presentationTime: 1_000_000_000,
        decodeTime: -1)

    @Test func `A header has 32 bytes in little-endian order`() throws {
        #expect(header.bytes == literal)
        #expect(try FrameHeader(literal) == header)
    }

    @Test func `An invalid magic, a length of 4 GiB and missing bytes cause different errors`() {
        #expect(throws: FrameError.wrongMagic([0x42, 0x58, 0x53, 0x32])) {
            try FrameHeader([0x42, 0x58, 0x53, 0x32] + literal[4...])
        }
        #expect(throws: FrameError.tooLong(0xffff_ffff)) {
            try FrameHeader(literal[..<4] + [0xff, 0xff, 0xff, 0xff] + literal[8...])
        }
        #expect(throws: FrameError.tooLong(0x0400_0001)) {
            try FrameHeader(literal[..<4] + [0x01, 0x00, 0x00, 0x04] + literal[8...])
        }
        #expect(throws: FrameError.truncated) { try FrameHeader(literal[..<31]) }
        #expect(throws: Never.self) { try FrameHeader(literal[..<4] + [0x00, 0x00, 0x00, 0x04] + literal[8...]) }
    }

    @Test func `Frames are parsed independently of the size of the pieces`() throws {
        let frames = [
            Frame(control: Array(#"{"event":"pause"}"#.utf8)),
            Frame(header: FrameHeader(length: 0, kind: .sample), payload: []),
            Frame(header: FrameHeader(length: 3, kind: .configuration, track: 3), payload: [1, 2, 3]),
        ]
        let bytes = frames.flatMap { $0.header.bytes + $0.payload }
        for size in [1, 7, 31, 32, 33, bytes.count] {
            var reader = FrameReader()
            var found: [Frame] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                reader.append(bytes[start..<min(start + size, bytes.count)])
                while let frame = try reader.next() { found.append(frame) }
            }
            #expect(found == frames)
            #expect(throws: Never.self) { try reader.end() }
        }
        var cut = FrameReader()
        cut.append(bytes.dropLast())
        while try cut.next() != nil {}
        #expect(throws: FrameError.truncated) { try cut.end() }
    }

    @Test func `Control frames and replies match the JSON in the manual`() {
        var event = ControlEvent(event: "clip")
        event.path = "/tmp/clip-000001.mp4"
        event.start = 0.5
        event.duration = 4
        #expect(
            String(decoding: event.json, as: UTF8.self)
                == #"{"duration":4,"event":"clip","path":"/tmp/clip-000001.mp4","start":0.5}"#)
        #expect(ControlEvent(json: Array(#"{"event":"start","setup":{"a":"b"},"new":[1]}"#.utf8))?.setup == ["a": "b"])
        #expect(Reply(line: Array(#"{"hello":1,"later":{}}"#.utf8)) == Reply(hello: 1))
        #expect(
            Reply(line: Array(#"{"error":{"code":401,"message":"Not Logged In","retry":false}}"#.utf8))?.error
                == .init(code: 401, message: "Not Logged In", retry: false))
        for nonsense in ["", "hello", "[1]", "7", #"{"hello":"1"}"#, #"{"error":"no"}"#, "{\"a\":1", "\u{0}\u{1}"] {
            #expect(Reply(line: Array(nonsense.utf8)) == nil, "\(nonsense)")
        }
    }
}
