import NIOCore

/// A message of the RTMP chunk stream (Adobe RTMP 1.0, 6.1).
package struct RTMPMessage: Equatable, Sendable {
    /// Message type IDs (5.4, 6.2, 7.1).
    package enum Kind {
        package static let setChunkSize: UInt8 = 1
        package static let abort: UInt8 = 2
        package static let acknowledgement: UInt8 = 3
        package static let userControl: UInt8 = 4
        package static let windowAcknowledgementSize: UInt8 = 5
        package static let setPeerBandwidth: UInt8 = 6
        package static let commandAMF3: UInt8 = 17
        package static let commandAMF0: UInt8 = 20
    }

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

    /// The first four bytes of the payload as a big-endian integer, or nil if the payload is shorter.
    package var firstInteger: UInt32? {
        payload.getInteger(at: payload.readerIndex)
    }
}
