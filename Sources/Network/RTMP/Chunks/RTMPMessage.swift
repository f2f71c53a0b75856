import NIOCore

/// A message of the RTMP chunk stream (Adobe RTMP 1.0, 6.1).
package struct RTMPMessage: Equatable, Sendable {
    /// Message type IDs (5.4, 6.2, 7.1).
    package enum Kind: UInt8 {
        case setChunkSize = 1
        case abort = 2
        case acknowledgement = 3
        case userControl = 4
        case windowAcknowledgementSize = 5
        case setPeerBandwidth = 6
        case commandAMF3 = 17
        case commandAMF0 = 20
    }

    /// The message type ID. Media messages have the type of their FLV tag.
    package var kind: UInt8
    /// Milliseconds. The value wraps after 49.7 days.
    package var timestamp: UInt32
    /// The message stream ID. Messages of the connection itself use 0.
    package var streamID: UInt32
    /// A received payload can share the memory of the bytes that it arrived in.
    package var payload: ByteBuffer

    package init(kind: UInt8, timestamp: UInt32 = 0, streamID: UInt32 = 0, payload: ByteBuffer) {
        self.kind = kind
        self.timestamp = timestamp
        self.streamID = streamID
        self.payload = payload
    }

    init(kind: Kind, streamID: UInt32 = 0, payload: ByteBuffer) {
        self.init(kind: kind.rawValue, streamID: streamID, payload: payload)
    }

    /// The first four bytes of the payload as a big-endian integer, or nil if the payload is shorter.
    package var firstInteger: UInt32? {
        payload.getInteger(at: payload.readerIndex)
    }
}
