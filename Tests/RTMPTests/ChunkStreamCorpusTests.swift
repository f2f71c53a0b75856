import RTMP
import TestPatterns
import Testing

@Suite struct ChunkStreamCorpusTests {
    private func failure(_ bytes: [UInt8]) -> ChunkStreamError? {
        var reader = ChunkStreamReader()
        reader.append(bytes[...])
        do throws(ChunkStreamError) {
            while try reader.next() != nil {}
            return nil
        } catch {
            return error
        }
    }

    @Test func `a declared length of 16 MB is rejected immediately`() {
        #expect(failure([0x03, 0, 0, 0, 0xFF, 0xFF, 0xFF, 20, 0, 0, 0, 0]) == .messageTooLong(16_777_215))
        #expect(failure([0x03, 0, 0, 0, 0x10, 0, 1, 20, 0, 0, 0, 0]) == .messageTooLong(1_048_577))
        #expect(failure([0x03, 0, 0, 0, 0x10, 0, 0, 20, 0, 0, 0, 0]) == nil)
    }

    @Test func `sixty-four chunk streams are accepted and one more is rejected`() {
        let streams = (3..<67).map { [UInt8(0x00), UInt8($0), 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0] }
        #expect(failure(Array(streams.joined())) == nil)
        #expect(failure(streams.joined() + [0x00, 200, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0]) == .tooManyChunkStreams)
    }

    @Test func `too many incomplete messages are rejected`() {
        // Each chunk is one byte shorter than its message.
        var bytes: [UInt8] = [0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0x0F, 0xFF, 0xFF]
        for chunkStream: UInt8 in 3...4 {
            bytes += [chunkStream, 0, 0, 0, 0x10, 0, 0, 20, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 1_048_575)
        }
        #expect(failure(bytes) == nil)
        #expect(
            failure(bytes + [5, 0, 0, 0, 0, 0, 100, 20, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 100))
                == .tooMuchUnfinished)
    }

    @Test func `a chunk stream must start with a full header`() {
        #expect(failure([0x83, 0, 0, 0]) == .missingHeader(chunkStream: 3))
        #expect(failure([0xC3]) == .missingHeader(chunkStream: 3))
    }

    @Test func `a chunk size of zero or over 31 bits is rejected`() {
        #expect(failure([0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0]) == .invalidChunkSize(0))
        #expect(failure([0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x80, 0, 0, 0]) == .invalidChunkSize(0x8000_0000))
        #expect(failure([0x02, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0]) == .invalidControlMessage(kind: 1))
        #expect(failure([0x02, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]) == .invalidControlMessage(kind: 2))
    }

    @Test func `a flood of empty messages is returned one by one`() throws {
        var reader = ChunkStreamReader()
        reader.append([0x03, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0])
        var count = 0
        for _ in 0..<16 {
            reader.append([UInt8](repeating: 0xC3, count: 65_536)[...])
            while let message = try reader.next() {
                #expect(message.payload.readableBytes == 0)
                count += 1
            }
        }
        #expect(count == 16 * 65_536 + 1)
    }

    @Test(.timeLimit(.minutes(1))) func `a long message in chunks of one byte takes linear time`() throws {
        var reader = ChunkStreamReader()
        reader.append([0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 1])
        reader.append([0x03, 0, 0, 0, 0x10, 0, 0, 20, 0, 0, 0, 0, 7])
        var messages: [RTMPMessage] = []
        for _ in 0..<1023 {
            reader.append(Array(repeatElement([0xC3, 7], count: 1025).joined())[...])
            while let message = try reader.next() { messages.append(message) }
        }
        #expect(messages.map(\.bytes.count) == [1_048_576])
    }

    @Test func `random bytes and mutations result in messages or a typed error`() {
        var writer = ChunkStreamWriter()
        var sample: [UInt8] = []
        for (index, chunkStream) in [ChunkStreamID.command, .stream, .video, .audio, .stream].enumerated() {
            let message = RTMPMessage(
                kind: 20, timestamp: UInt32(index) << 24, streamID: 1,
                payload: [UInt8](repeating: 3, count: 100 * index))
            writer.write(message, on: chunkStream, to: &sample)
            if index == 2 { writer.setChunkSize(60, to: &sample) }
        }
        var generator = SplitMix64(state: 3)
        for round in 0..<20_000 {
            var bytes = sample
            if round % 2 == 0 {
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
            } else {
                bytes = (0..<400).map { _ in
                    UInt8.random(in: 0...255, using: &generator) & UInt8.random(in: 0...255, using: &generator)
                }
            }
            _ = failure(bytes)
        }
    }
}
