import RTMP
import Testing

@Suite struct ChunkStreamReaderTests {
    private func messages(_ bytes: [UInt8]) throws -> [RTMPMessage] {
        var reader = ChunkStreamReader()
        reader.append(bytes[...])
        var messages: [RTMPMessage] = []
        while let message = try reader.next() { messages.append(message) }
        return messages
    }

    @Test func `all four header types are read`() throws {
        let bytes: [UInt8] =
            [0x03, 0, 0, 10, 0, 0, 1, 20, 1, 0, 0, 0, 0xA] + [0x43, 0, 0, 5, 0, 0, 2, 18, 0xB, 0xB] + [
                0x83, 0, 0, 7, 0xC, 0xC,
            ] + [0xC3, 0xD, 0xD]
        #expect(
            try messages(bytes) == [
                RTMPMessage(kind: 20, timestamp: 10, streamID: 1, payload: [0xA]),
                RTMPMessage(kind: 18, timestamp: 15, streamID: 1, payload: [0xB, 0xB]),
                RTMPMessage(kind: 18, timestamp: 22, streamID: 1, payload: [0xC, 0xC]),
                RTMPMessage(kind: 18, timestamp: 29, streamID: 1, payload: [0xD, 0xD]),
            ])
    }

    @Test func `basic headers of one, two and three bytes are parsed`() throws {
        let rest: [UInt8] = [0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 0]
        // 63; 64 and 319; 320 and 65599. Another form of the same number is the same chunk stream.
        for basic: [UInt8] in [[0x3F], [0x00, 0], [0x00, 0xFF], [0x01, 0x00, 0x01], [0x01, 0xFF, 0xFF]] {
            let next = [basic[0] | 0xC0] + basic.dropFirst()
            #expect(try messages(basic + rest + next).map(\.timestamp) == [1, 2])
        }
        #expect(try messages([0x00, 0] + rest + [0xC1, 0, 0]).map(\.timestamp) == [1, 2])
    }

    @Test func `messages of two chunk streams can be interleaved`() throws {
        let first = [UInt8](repeating: 1, count: 129)
        let second = [UInt8](repeating: 2, count: 129)
        let bytes: [UInt8] =
            [0x03, 0, 0, 0, 0, 0, 129, 20, 0, 0, 0, 0] + first[..<128] + [0x04, 0, 0, 0, 0, 0, 129, 20, 0, 0, 0, 0]
            + second[..<128] + [
                0xC3, 1, 0xC4, 2,
            ]
        #expect(try messages(bytes).map(\.bytes) == [first, second])
    }

    @Test func `every type 3 chunk repeats an extended timestamp`() throws {
        let time: [UInt8] = [0x01, 0x02, 0x03, 0x04]
        let bytes: [UInt8] =
            [0x03, 0xFF, 0xFF, 0xFF, 0, 0, 130, 20, 0, 0, 0, 0] + time + [UInt8](repeating: 1, count: 128) + [0xC3]
            + time + [1, 1]
        #expect(
            try messages(bytes) == [
                RTMPMessage(kind: 20, timestamp: 0x0102_0304, payload: [UInt8](repeating: 1, count: 130))
            ])
    }

    @Test func `a timestamp wraps at 32 bits`() throws {
        let bytes: [UInt8] = [
            0x03, 0xFF, 0xFF, 0xFF, 0, 0, 0, 20, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xF0, 0x43, 0, 0, 0x20, 0, 0, 0, 20,
        ]
        #expect(try messages(bytes).map(\.timestamp) == [0xFFFF_FFF0, 0x10])
    }

    @Test func `a new chunk size applies immediately, even within another message`() throws {
        let payload = [UInt8](repeating: 1, count: 1000)
        let bytes: [UInt8] =
            [0x03, 0, 0, 0, 0, 0x03, 0xE8, 20, 0, 0, 0, 0] + payload[..<128] + [
                0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x10, 0,
            ] + [0xC3]
            + payload[128...]
        #expect(try messages(bytes).map(\.bytes) == [payload])
    }

    @Test func `an aborted message is discarded`() throws {
        let bytes: [UInt8] =
            [0x03, 0, 0, 0, 0, 0, 200, 20, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 128) + [
                0x02, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 3,
            ]
            + [0x03, 0, 0, 0, 0, 0, 1, 20, 0, 0, 0, 0, 9]
        #expect(try messages(bytes).map(\.bytes) == [[9]])
    }

    @Test func `a full header within a message starts another message`() throws {
        let bytes: [UInt8] =
            [0x03, 0, 0, 0, 0, 0, 200, 20, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 128) + [
                0x03, 0, 0, 0, 0, 0, 1, 20, 0, 0, 0, 0, 9,
            ]
        #expect(try messages(bytes).map(\.bytes) == [[9]])
    }

    @Test func `bytes can arrive one at a time`() throws {
        var writer = ChunkStreamWriter()
        var bytes: [UInt8] = []
        let sent = [0, 1, 127, 128, 129, 5000].map {
            RTMPMessage(
                kind: 20, timestamp: 0x0200_0000, streamID: 1, payload: [UInt8](repeating: UInt8($0 % 251), count: $0))
        }
        for message in sent { writer.write(message, on: .stream, to: &bytes) }
        var reader = ChunkStreamReader()
        var read: [RTMPMessage] = []
        for byte in bytes {
            reader.append([byte])
            while let message = try reader.next() { read.append(message) }
        }
        #expect(read == sent)
    }
}
