/// What is wrong with a chunk stream, or more than this side is willing to hold.
package enum ChunkStreamError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A message claims this many bytes.
    case messageTooLong(Int)
    /// More chunk streams than `ChunkStreamReader.maximumChunkStreamCount`.
    case tooManyChunkStreams
    /// The first chunk of a chunk stream refers to a message before it.
    case missingHeader(chunkStream: Int)
    /// Zero, or the first bit is set.
    case invalidChunkSize(UInt32)
    /// Messages that were begun and not ended hold too many bytes together.
    case tooMuchUnfinished
    /// A protocol control message of the wrong length.
    case invalidControlMessage(kind: UInt8)

    package var description: String {
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
