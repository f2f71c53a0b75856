/// A chunk stream that violates the protocol or exceeds the reader's limits.
public enum ChunkStreamError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A message declares this length in bytes, which is over the limit.
    case messageTooLong(Int)
    /// More chunk streams than `ChunkStreamReader.maximumChunkStreamCount`.
    case tooManyChunkStreams
    /// The first chunk of a chunk stream has a header that refers to an earlier message.
    case missingHeader(chunkStream: Int)
    /// The chunk size is 0, or its first bit is set.
    case invalidChunkSize(UInt32)
    /// The incomplete messages together exceed `ChunkStreamReader.maximumUnfinishedByteCount`.
    case tooMuchUnfinished
    /// A protocol control message has the wrong length.
    case invalidControlMessage(kind: UInt8)

    public var description: String {
        switch self {
        case .messageTooLong(let length): "a message claims \(length) bytes"
        case .tooManyChunkStreams: "it uses more than \(ChunkStreamReader.maximumChunkStreamCount) chunk streams"
        case .missingHeader(let chunkStream): "chunk stream \(chunkStream) starts in the middle"
        case .invalidChunkSize(let size): "it sets the chunk size to \(size)"
        case .tooMuchUnfinished: "it leaves too many messages unfinished"
        case .invalidControlMessage(let kind): "control message \(kind) has the wrong length"
        }
    }
}
