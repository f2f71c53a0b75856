import Mux
import RTMP
import Testing

@Suite struct ChunkStreamWriterTests {
    @Test func `the first message has a full header and is split after 128 bytes`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        let payload = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        writer.write(
            RTMPMessage(kind: 20, timestamp: 0x010203, streamID: 1, payload: payload), on: .command, to: &bytes)
        #expect(bytes[..<12] == [0x03, 1, 2, 3, 0, 0x01, 0x2C, 20, 1, 0, 0, 0])
        #expect(bytes[12..<140] == payload[..<128])
        #expect(bytes[140] == 0xC3)
        #expect(bytes[141..<269] == payload[128..<256])
        #expect(bytes[269] == 0xC3)
        #expect(bytes[270...] == payload[256...])
    }

    @Test func `a later message has the time since the previous message`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: 9, timestamp: 1000, streamID: 1, payload: [1]), on: .video, to: &bytes)
        bytes = []
        writer.write(RTMPMessage(kind: 9, timestamp: 1033, streamID: 1, payload: [2, 3]), on: .video, to: &bytes)
        #expect(bytes == [0x46, 0, 0, 33, 0, 0, 2, 9, 2, 3])
    }

    @Test func `another message stream or a decreasing timestamp requires a full header`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: 20, timestamp: 50, streamID: 0, payload: []), on: .stream, to: &bytes)
        bytes = []
        writer.write(RTMPMessage(kind: 20, timestamp: 50, streamID: 5, payload: []), on: .stream, to: &bytes)
        writer.write(RTMPMessage(kind: 20, timestamp: 49, streamID: 5, payload: []), on: .stream, to: &bytes)
        #expect(bytes == [0x08, 0, 0, 50, 0, 0, 0, 20, 5, 0, 0, 0, 0x08, 0, 0, 49, 0, 0, 0, 20, 5, 0, 0, 0])
    }

    @Test func `a new chunk size applies to the next message`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.setChunkSize(4096, to: &bytes)
        #expect(bytes == [0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x10, 0])
        bytes = []
        writer.write(RTMPMessage(kind: 9, payload: [UInt8](repeating: 7, count: 4097)), on: .video, to: &bytes)
        #expect(bytes.count == 12 + 4096 + 1 + 1 && bytes[12 + 4096] == 0xC6)
    }

    @Test func `the largest timestamp without an extension is 0xFFFFFE`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: 8, timestamp: 0xFFFFFE, payload: [1]), on: .audio, to: &bytes)
        #expect(bytes == [0x04, 0xFF, 0xFF, 0xFE, 0, 0, 1, 8, 0, 0, 0, 0, 1])
    }

    @Test(arguments: [UInt32(0xFFFFFF), 0x0100_0000, 0xFFFF_FFFF])
    func `from 0xFFFFFF on, the timestamp is extended, also in type 3 chunks`(timestamp: UInt32) {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(
            RTMPMessage(kind: 9, timestamp: timestamp, streamID: 1, payload: [UInt8](repeating: 7, count: 260)),
            on: .video, to: &bytes)
        let extended = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: timestamp >> $0) }
        var expected: [UInt8] = [0x06, 0xFF, 0xFF, 0xFF, 0, 1, 4, 9, 1, 0, 0, 0] + extended
        expected += [UInt8](repeating: 7, count: 128) + [0xC6] + extended
        expected += [UInt8](repeating: 7, count: 128) + [0xC6] + extended + [7, 7, 7, 7]
        #expect(bytes == expected)
    }

    @Test func `crossing 0xFFFFFF in a small step needs no extended timestamp`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: 9, timestamp: 0xFFFFF0, streamID: 1, payload: [1]), on: .video, to: &bytes)
        bytes = []
        writer.write(RTMPMessage(kind: 9, timestamp: 0x0100_0011, streamID: 1, payload: [2]), on: .video, to: &bytes)
        #expect(bytes == [0x46, 0, 0, 0x21, 0, 0, 1, 9, 2])
    }

    @Test func `the wrap at 32 bits is a small step`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: 9, timestamp: 0xFFFF_FFF0, streamID: 1, payload: [1]), on: .video, to: &bytes)
        bytes = []
        writer.write(RTMPMessage(kind: 9, timestamp: 0x11, streamID: 1, payload: [2]), on: .video, to: &bytes)
        #expect(bytes == [0x46, 0, 0, 0x21, 0, 0, 1, 9, 2])
    }

    @Test func `a step of hours uses an extended timestamp, which type 3 chunks repeat`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: 18, timestamp: 0, streamID: 1, payload: [1]), on: .stream, to: &bytes)
        bytes = []
        writer.write(
            RTMPMessage(kind: 18, timestamp: 0x0100_0000, streamID: 1, payload: [UInt8](repeating: 7, count: 129)),
            on: .stream, to: &bytes)
        #expect(bytes[..<12] == [0x48, 0xFF, 0xFF, 0xFF, 0, 0, 129, 18, 1, 0, 0, 0])
        #expect(bytes.suffix(6) == [0xC8, 1, 0, 0, 0, 7])
    }

    @Test func `the header and payload of a tag are sent as one message`() {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        let tag = FLVTag.avc(
            accessUnit: [UInt8](repeating: 7, count: 126), isKeyframe: true, timestamp: 5, compositionTime: 0)
        writer.write(tag, streamID: 1, on: .video, to: &bytes)
        #expect(bytes[..<17] == [0x06, 0, 0, 5, 0, 0, 131, 9, 1, 0, 0, 0, 0x17, 1, 0, 0, 0])
        #expect(bytes.suffix(4) == [0xC6, 7, 7, 7])
        #expect(bytes.count == 12 + 131 + 1)
    }
}
