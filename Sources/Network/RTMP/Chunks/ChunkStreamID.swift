/// The chunk streams that a publisher uses (Adobe RTMP 1.0, 5.3.1.1). Each ID fits in a basic header of one byte.
package enum ChunkStreamID: UInt8, Sendable {
    /// Protocol control messages. The protocol fixes this ID.
    case control = 2
    /// Commands of the connection.
    case command = 3
    case audio = 4
    case video = 6
    /// Commands and metadata of the published stream.
    case stream = 8
}
