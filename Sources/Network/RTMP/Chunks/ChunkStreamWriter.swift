import Mux
import NIOCore

/// Splits messages into chunks (Adobe RTMP 1.0, 5.3).
///
/// A message has a full header (type 0) if it is the first of its chunk stream, if its timestamp is less than the
/// previous one, or if its message stream differs. All other messages carry the time since the previous message (type
/// 1). For this reason the extended timestamp, which servers implement differently, is not needed even in a long
/// broadcast. If it is needed, every type 3 chunk repeats it (5.3.1.3).
package struct ChunkStreamWriter: Sendable {
    /// The chunk size in bytes at the start of a connection, for both sides (5.4.1).
    package static let initialChunkSize = 128
    /// A timestamp field from this value on announces an extended timestamp.
    private static let extendedMark: UInt32 = 0xFF_FFFF

    private struct Previous {
        var timestamp: UInt32
        var streamID: UInt32
    }

    /// The maximum payload of a chunk in bytes.
    package private(set) var chunkSize = initialChunkSize
    private var previous: [ChunkStreamID: Previous] = [:]

    package init() {}

    /// Appends a Set Chunk Size message and uses the new size, in bytes, from then on.
    package mutating func setChunkSize(_ size: UInt32, to output: inout ByteBuffer) {
        let size = size & 0x7FFF_FFFF
        write(
            RTMPMessage(kind: .setChunkSize, payload: ByteBuffer(integer: size)), on: .control,
            to: &output)
        chunkSize = max(1, Int(size))
    }

    /// Appends the chunks of `message` to `output`.
    package mutating func write(_ message: RTMPMessage, on chunkStream: ChunkStreamID, to output: inout ByteBuffer) {
        var body = begin(
            kind: message.kind, timestamp: message.timestamp, streamID: message.streamID,
            length: message.payload.readableBytes, on: chunkStream, to: &output)
        body.append(message.payload.readableBytesView, to: &output)
    }

    /// Appends the chunks of a message that carries `tag` to `output`.
    package mutating func write(
        _ tag: FLVTag, streamID: UInt32, on chunkStream: ChunkStreamID, to output: inout ByteBuffer
    ) {
        var body = begin(
            kind: tag.kind.rawValue, timestamp: tag.timestamp, streamID: streamID, length: tag.bodyCount,
            on: chunkStream, to: &output)
        body.append(tag.header[...], to: &output)
        body.append(tag.payload[...], to: &output)
    }

    /// Appends the header of a message whose body has `length` bytes, and reserves memory for all of its chunks.
    /// Append the body with the result.
    private mutating func begin(
        kind: UInt8, timestamp: UInt32, streamID: UInt32, length: Int, on chunkStream: ChunkStreamID,
        to output: inout ByteBuffer
    ) -> Body {
        output.reserveCapacity(minimumWritableBytes: length + 16 + 5 * (length / chunkSize + 1))
        let delta = previous[chunkStream].flatMap { last in
            // The subtraction wraps like the timestamps do. A difference of more than half the range is a step back.
            last.streamID == streamID && timestamp &- last.timestamp < 0x8000_0000 ? timestamp &- last.timestamp : nil
        }
        previous[chunkStream] = Previous(timestamp: timestamp, streamID: streamID)
        let time = delta ?? timestamp
        output.writeInteger((delta == nil ? 0 : 0b0100_0000) | chunkStream.rawValue)
        output.writeUInt24(min(time, Self.extendedMark))
        output.writeUInt24(UInt32(truncatingIfNeeded: length))
        output.writeInteger(kind)
        // The message stream ID is the only little-endian number in the protocol (5.3.1.2.1).
        if delta == nil { output.writeInteger(streamID, endianness: .little) }
        let extended = time >= Self.extendedMark ? time : nil
        if let extended { output.writeInteger(extended) }
        return Body(chunkStream: chunkStream, extended: extended, chunkSize: chunkSize, space: chunkSize)
    }

    /// The body of a message that is being written.
    private struct Body {
        let chunkStream: ChunkStreamID
        /// The extended timestamp, which each chunk repeats, or nil.
        let extended: UInt32?
        let chunkSize: Int
        /// The number of bytes that the current chunk can still hold.
        var space: Int

        /// Appends the next bytes of the body, and the header of each further chunk.
        mutating func append<Bytes: Collection>(_ bytes: Bytes, to output: inout ByteBuffer)
        where Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
            var bytes = bytes
            while !bytes.isEmpty {
                if space == 0 {
                    output.writeInteger(0b1100_0000 | chunkStream.rawValue)
                    if let extended { output.writeInteger(extended) }
                    space = chunkSize
                }
                let piece = bytes.prefix(space)
                output.writeBytes(piece)
                bytes = bytes.dropFirst(piece.count)
                space -= piece.count
            }
        }
    }
}

extension ByteBuffer {
    /// Writes the low 24 bits of `value`, the most significant byte first.
    fileprivate mutating func writeUInt24(_ value: UInt32) {
        writeMultipleIntegers(UInt8(truncatingIfNeeded: value >> 16), UInt16(truncatingIfNeeded: value))
    }
}
