import NIOCore

/// Assembles messages from chunks (Adobe RTMP 1.0, 5.3) of an untrusted peer.
///
/// It stores only received bytes, up to its limits, and never reserves memory for a declared length. It processes Set
/// Chunk Size and Abort Message itself and does not return them. Do not use it again after an error.
package struct ChunkStreamReader: Sendable {
    /// The maximum length of a message in bytes. A server sends only short messages to a publisher.
    package static let maximumMessageLength = 1 << 20
    package static let maximumChunkStreamCount = 64
    /// The maximum number of bytes in all incomplete messages together.
    package static let maximumUnfinishedByteCount = 2 << 20
    private static let extendedMark: UInt32 = 0xFF_FFFF

    /// The state of a chunk stream that later headers refer to (5.3.1.2).
    private struct Stream {
        var timestamp: UInt32 = 0
        var delta: UInt32 = 0
        var isExtended = false
        var length = 0
        var kind: UInt8 = 0
        var streamID: UInt32 = 0
        /// Received bytes of the current message.
        var received = 0
        var isUnfinished = false
    }

    /// The maximum payload of a chunk in bytes, as set by the peer.
    package private(set) var chunkSize = ChunkStreamWriter.initialChunkSize
    private var streams: [Int: Stream] = [:]
    /// Received payload of incomplete messages. It is separate from `streams` so that a chunk is appended in place.
    private var payloads: [Int: ByteBuffer] = [:]
    private var unfinishedByteCount = 0
    /// Received bytes that are not part of a whole chunk yet.
    private var buffer = ByteBuffer()

    package init() {}

    /// Appends received bytes. Then call `next` until it returns nil.
    package mutating func append(_ bytes: ByteBuffer) {
        buffer.appendReceived(bytes)
    }

    /// Returns the next complete message, or nil if more bytes are needed.
    package mutating func next() throws(ChunkStreamError) -> RTMPMessage? {
        while let chunkStream = try readChunk() {
            guard let stream = streams[chunkStream], !stream.isUnfinished else { continue }
            let payload = payloads.removeValue(forKey: chunkStream) ?? ByteBuffer()
            let message = RTMPMessage(
                kind: stream.kind, timestamp: stream.timestamp, streamID: stream.streamID, payload: payload)
            switch RTMPMessage.Kind(rawValue: message.kind) {
            case .setChunkSize: try setChunkSize(message)
            case .abort: try abort(message)
            case .acknowledgement, .userControl, .windowAcknowledgementSize, .setPeerBandwidth, .commandAMF3,
                .commandAMF0, nil:
                return message
            }
        }
        return nil
    }

    private mutating func setChunkSize(_ message: RTMPMessage) throws(ChunkStreamError) {
        guard let size = message.firstInteger else { throw .invalidControlMessage(kind: message.kind) }
        guard (1...0x7FFF_FFFF).contains(size) else { throw .invalidChunkSize(size) }
        chunkSize = Int(size)
    }

    /// Discards the incomplete message of the chunk stream (5.4.2).
    private mutating func abort(_ message: RTMPMessage) throws(ChunkStreamError) {
        guard let chunkStream = message.firstInteger else { throw .invalidControlMessage(kind: message.kind) }
        discardUnfinished(of: Int(chunkStream))
    }

    private mutating func discardUnfinished(of chunkStream: Int) {
        guard let stream = streams[chunkStream], stream.isUnfinished else { return }
        unfinishedByteCount -= stream.received
        payloads[chunkStream] = nil
        streams[chunkStream]?.isUnfinished = false
    }

    /// Reads one whole chunk and returns its chunk stream ID. If the chunk is incomplete, returns nil and changes
    /// nothing.
    private mutating func readChunk() throws(ChunkStreamError) -> Int? {
        var cursor = buffer.readerIndex
        guard let basic = integer(bytes: 1, at: &cursor) else { return nil }
        var chunkStream = Int(basic & 0x3F)
        if chunkStream < 2 {
            // IDs from 64 on use one or two additional bytes, the low byte first (5.3.1.1).
            guard let number = integer(bytes: chunkStream + 1, at: &cursor) else { return nil }
            chunkStream = Int(chunkStream == 0 ? number : UInt32(UInt16(truncatingIfNeeded: number).byteSwapped)) + 64
        }
        let known = streams[chunkStream]
        guard known != nil || streams.count < Self.maximumChunkStreamCount else { throw .tooManyChunkStreams }
        guard var stream = try header(type: basic >> 6, of: known, chunkStream: chunkStream, at: &cursor) else {
            return nil
        }

        if !stream.isUnfinished { stream.received = 0 }
        let count = min(chunkSize, stream.length - stream.received)
        guard let payload = buffer.getSlice(at: cursor, length: count) else { return nil }
        if !stream.isUnfinished { discardUnfinished(of: chunkStream) }
        guard unfinishedByteCount + count <= Self.maximumUnfinishedByteCount else { throw .tooMuchUnfinished }
        if count == stream.length {
            payloads[chunkStream] = payload
        } else {
            // A copy, because a few bytes of an incomplete message must not keep the memory of all that came with them.
            payloads[chunkStream, default: ByteBuffer()].writeImmutableBuffer(payload)
        }
        unfinishedByteCount += count
        stream.received += count
        stream.isUnfinished = stream.received < stream.length
        if !stream.isUnfinished { unfinishedByteCount -= stream.received }
        streams[chunkStream] = stream
        buffer.moveReaderIndex(to: cursor + count)
        return chunkStream
    }

    /// Returns the chunk stream's state after this message header, or nil if the header is incomplete. `isUnfinished`
    /// is true if the chunk continues a message. A full header within a message starts a new message.
    private func header(type: UInt32, of known: Stream?, chunkStream: Int, at cursor: inout Int)
        throws(ChunkStreamError) -> Stream?
    {
        // Types 2 and 3 reuse the previous length. Type 1 lacks only the message stream ID, and some servers start with
        // it.
        guard known != nil || type < 2 else { throw .missingHeader(chunkStream: chunkStream) }
        var stream = known ?? Stream()
        guard type < 3 else {
            if stream.isExtended {
                guard let time = integer(bytes: 4, at: &cursor) else { return nil }
                if !stream.isUnfinished { stream.delta = time }
            }
            if !stream.isUnfinished { stream.timestamp &+= stream.delta }
            return stream
        }
        stream.isUnfinished = false
        guard var time = integer(bytes: 3, at: &cursor) else { return nil }
        if type < 2 {
            guard let length = integer(bytes: 3, at: &cursor), let kind = integer(bytes: 1, at: &cursor) else {
                return nil
            }
            guard length <= Self.maximumMessageLength else { throw .messageTooLong(Int(length)) }
            stream.length = Int(length)
            stream.kind = UInt8(truncatingIfNeeded: kind)
        }
        if type == 0 {
            guard let streamID = integer(bytes: 4, at: &cursor) else { return nil }
            stream.streamID = streamID.byteSwapped
        }
        stream.isExtended = time == Self.extendedMark
        if stream.isExtended {
            guard let extended = integer(bytes: 4, at: &cursor) else { return nil }
            time = extended
        }
        // If a type 3 chunk starts a message after a type 0 chunk, its delta is the absolute time of that chunk
        // (5.3.1.2.4).
        stream.delta = time
        stream.timestamp = type == 0 ? time : stream.timestamp &+ time
        return stream
    }

    /// Reads a big-endian integer of at most four bytes. Returns nil if bytes are missing.
    private func integer(bytes count: Int, at cursor: inout Int) -> UInt32? {
        guard count <= buffer.writerIndex - cursor else { return nil }
        defer { cursor += count }
        return buffer.readableBytesView[cursor..<cursor + count].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension ByteBuffer {
    /// Appends received bytes. If all earlier bytes have been read, this takes over the memory of `bytes` and copies
    /// nothing.
    mutating func appendReceived(_ bytes: ByteBuffer) {
        guard readableBytes > 0 else {
            self = bytes
            return
        }
        discardReadBytes()
        writeImmutableBuffer(bytes)
    }
}
