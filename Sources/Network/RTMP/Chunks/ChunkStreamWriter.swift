import Mux

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
    package mutating func setChunkSize(_ size: UInt32, to output: inout [UInt8]) {
        var payload = ByteWriter(capacity: 4)
        payload.u32(size & 0x7FFF_FFFF)
        write(RTMPMessage(kind: RTMPMessage.Kind.setChunkSize, payload: payload.bytes), on: .control, to: &output)
        chunkSize = max(1, Int(size & 0x7FFF_FFFF))
    }

    /// Appends the chunks of `message` to `output`.
    package mutating func write(_ message: RTMPMessage, on chunkStream: ChunkStreamID, to output: inout [UInt8]) {
        write(
            kind: message.kind, timestamp: message.timestamp, streamID: message.streamID, body: [message.payload[...]],
            on: chunkStream, to: &output)
    }

    /// Appends the chunks of a message that carries `tag` to `output`.
    package mutating func write(
        _ tag: FLVTag, streamID: UInt32, on chunkStream: ChunkStreamID, to output: inout [UInt8]
    ) {
        write(
            kind: tag.kind.rawValue, timestamp: tag.timestamp, streamID: streamID,
            body: [tag.header[...], tag.payload[...]], on: chunkStream,
            to: &output)
    }

    private mutating func write(
        kind: UInt8, timestamp: UInt32, streamID: UInt32, body: [ArraySlice<UInt8>], on chunkStream: ChunkStreamID,
        to output: inout [UInt8]
    ) {
        let length = body.reduce(0) { $0 + $1.count }
        var writer = ByteWriter()
        swap(&writer.bytes, &output)
        defer { swap(&writer.bytes, &output) }
        writer.bytes.reserveCapacity(writer.count + length + 16 + 5 * (length / chunkSize + 1))

        let delta = previous[chunkStream].flatMap { last in
            // The subtraction wraps like the timestamps do. A difference of more than half the range is a step back.
            last.streamID == streamID && timestamp &- last.timestamp < 0x8000_0000 ? timestamp &- last.timestamp : nil
        }
        previous[chunkStream] = Previous(timestamp: timestamp, streamID: streamID)
        let time = delta ?? timestamp
        writer.u8((delta == nil ? 0 : 0b0100_0000) | chunkStream.rawValue)
        writer.u24(min(time, Self.extendedMark))
        writer.u24(UInt32(truncatingIfNeeded: length))
        writer.u8(kind)
        if delta == nil {
            // The message stream ID is the only little-endian number in the protocol (5.3.1.2.1).
            writer.u32(streamID.byteSwapped)
        }
        let extended = time >= Self.extendedMark ? time : nil
        if let extended { writer.u32(extended) }

        var room = chunkSize
        for var part in body {
            while !part.isEmpty {
                if room == 0 {
                    writer.u8(0b1100_0000 | chunkStream.rawValue)
                    if let extended { writer.u32(extended) }
                    room = chunkSize
                }
                let piece = part.prefix(room)
                writer.append(piece)
                part = part.dropFirst(piece.count)
                room -= piece.count
            }
        }
    }
}
