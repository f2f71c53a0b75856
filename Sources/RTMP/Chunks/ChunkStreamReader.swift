/// Puts chunks together to messages (Adobe RTMP 1.0, 5.3), from a peer that is not trusted.
///
/// It keeps no more than the bytes that came, and of those no more than its limits: nothing is reserved on a claim.
/// Set Chunk Size and Abort Message are obeyed here and not given out. After an error it must not be used again.
package struct ChunkStreamReader: Sendable {
    /// Bytes in a message, at most: a server has nothing long to say to a publisher.
    package static let maximumMessageLength = 1 << 20
    package static let maximumChunkStreamCount = 64
    /// Bytes of all messages together that were begun and not ended.
    package static let maximumUnfinishedByteCount = 2 << 20
    private static let extendedMark: UInt32 = 0xFF_FFFF

    /// What a chunk stream remembers for the headers to come (5.3.1.2).
    private struct Stream {
        var timestamp: UInt32 = 0
        var delta: UInt32 = 0
        var isExtended = false
        var length = 0
        var kind: UInt8 = 0
        var streamID: UInt32 = 0
        /// Bytes of the message that came so far.
        var received = 0
        var isUnfinished = false
    }

    /// Payload bytes in a chunk, as the peer has set it.
    package private(set) var chunkSize = ChunkStreamWriter.initialChunkSize
    private var streams: [Int: Stream] = [:]
    /// What came of unfinished messages; apart from `streams`, so that each chunk is added in place.
    private var payloads: [Int: [UInt8]] = [:]
    private var unfinishedByteCount = 0
    private var buffer: [UInt8] = []
    private var position = 0

    package init() {}

    /// Takes bytes that came; ask `next` for messages until it has none.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        if position > 0 {
            buffer.removeFirst(position)
            position = 0
        }
        buffer += bytes
    }

    /// The next message that is complete; nil where more bytes are needed.
    package mutating func next() throws(ChunkStreamError) -> RTMPMessage? {
        while let chunkStream = try readChunk() {
            guard let stream = streams[chunkStream], !stream.isUnfinished else { continue }
            let payload = payloads.removeValue(forKey: chunkStream) ?? []
            let message = RTMPMessage(kind: stream.kind, timestamp: stream.timestamp, streamID: stream.streamID, payload: payload)
            switch message.kind {
            case RTMPMessage.Kind.setChunkSize: try setChunkSize(message)
            case RTMPMessage.Kind.abort: try abort(message)
            default: return message
            }
        }
        return nil
    }

    private mutating func setChunkSize(_ message: RTMPMessage) throws(ChunkStreamError) {
        guard let size = message.firstInteger else { throw .invalidControlMessage(kind: message.kind) }
        guard (1...0x7FFF_FFFF).contains(size) else { throw .invalidChunkSize(size) }
        chunkSize = Int(size)
    }

    /// Throws away what came of the chunk stream's message (5.4.2).
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

    /// Reads one whole chunk and gives its chunk stream; nil, with nothing changed, where it is not all there.
    private mutating func readChunk() throws(ChunkStreamError) -> Int? {
        var cursor = position
        guard let basic = integer(bytes: 1, at: &cursor) else { return nil }
        var chunkStream = Int(basic & 0x3F)
        if chunkStream < 2 {
            // Numbers from 64 on stand in one or two more bytes, the lower one first (5.3.1.1).
            guard let number = integer(bytes: chunkStream + 1, at: &cursor) else { return nil }
            chunkStream = Int(chunkStream == 0 ? number : UInt32(UInt16(truncatingIfNeeded: number).byteSwapped)) + 64
        }
        let known = streams[chunkStream]
        guard known != nil || streams.count < Self.maximumChunkStreamCount else { throw .tooManyChunkStreams }
        guard var stream = try header(type: basic >> 6, of: known, chunkStream: chunkStream, at: &cursor) else { return nil }

        if !stream.isUnfinished { stream.received = 0 }
        let count = min(chunkSize, stream.length - stream.received)
        guard count <= buffer.count - cursor else { return nil }
        if !stream.isUnfinished { discardUnfinished(of: chunkStream) }
        guard unfinishedByteCount + count <= Self.maximumUnfinishedByteCount else { throw .tooMuchUnfinished }
        if count > 0 { payloads[chunkStream, default: []] += buffer[cursor..<cursor + count] }
        unfinishedByteCount += count
        stream.received += count
        stream.isUnfinished = stream.received < stream.length
        if !stream.isUnfinished { unfinishedByteCount -= stream.received }
        streams[chunkStream] = stream
        position = cursor + count
        return chunkStream
    }

    /// The chunk stream as it is after this message header, `isUnfinished` where the chunk goes on with a message.
    /// A full header in the middle of a message starts a new one. nil where the header is not all there.
    private func header(type: UInt32, of known: Stream?, chunkStream: Int, at cursor: inout Int) throws(ChunkStreamError) -> Stream? {
        // Types 2 and 3 take the length from before. Type 1 lacks only the message stream, and real peers start with it.
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
            guard let length = integer(bytes: 3, at: &cursor), let kind = integer(bytes: 1, at: &cursor) else { return nil }
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
        // A type 3 chunk that starts a message after a type 0 one adds the absolute time again (5.3.1.2.4).
        stream.delta = time
        stream.timestamp = type == 0 ? time : stream.timestamp &+ time
        return stream
    }

    /// Big endian, of four bytes at most; nil where they are not all there.
    private func integer(bytes count: Int, at cursor: inout Int) -> UInt32? {
        guard count <= buffer.count - cursor else { return nil }
        defer { cursor += count }
        return buffer[cursor..<cursor + count].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
