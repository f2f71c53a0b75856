import Mux
import NIOCore
import RTMP

// Array literals for the tests of a module that works on `ByteBuffer`.

extension RTMPMessage {
    init(kind: UInt8, timestamp: UInt32 = 0, streamID: UInt32 = 0, payload: [UInt8]) {
        self.init(kind: kind, timestamp: timestamp, streamID: streamID, payload: ByteBuffer(bytes: payload))
    }

    /// The payload.
    var bytes: [UInt8] { Array(payload.readableBytesView) }
}

extension ChunkStreamReader {
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        append(ByteBuffer(bytes: bytes))
    }
}

extension ChunkStreamWriter {
    mutating func write(_ message: RTMPMessage, on chunkStream: ChunkStreamID, to output: inout [UInt8]) {
        var buffer = ByteBuffer()
        write(message, on: chunkStream, to: &buffer)
        output += buffer.readableBytesView
    }

    mutating func write(_ tag: FLVTag, streamID: UInt32, on chunkStream: ChunkStreamID, to output: inout [UInt8]) {
        var buffer = ByteBuffer()
        write(tag, streamID: streamID, on: chunkStream, to: &buffer)
        output += buffer.readableBytesView
    }

    mutating func setChunkSize(_ size: UInt32, to output: inout [UInt8]) {
        var buffer = ByteBuffer()
        setChunkSize(size, to: &buffer)
        output += buffer.readableBytesView
    }
}
