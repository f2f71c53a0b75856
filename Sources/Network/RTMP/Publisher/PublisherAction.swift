import NIOCore

/// An action that the publisher's state machine requests. Perform the actions in order.
package enum PublisherAction: Equatable, Sendable {
    /// Send these bytes to the server.
    case send(ByteBuffer)
    /// A step started: start its deadline and cancel the previous one.
    case entered(RTMPStep)
    /// The server accepted the stream. The preceding `send` contains metadata and sequence headers.
    case publishing
    /// The total number of bytes that the server acknowledged.
    case acknowledged(UInt64)
    /// The server requests that the stream continue on another connection.
    case reconnectRequested(RTMPReconnectRequest)
    /// The server rejected `connect` and told the client how to continue. `failed` follows.
    case rejected(ConnectRejection)
    /// The server closed the connection after the publisher ended the stream.
    case finished
    /// The connection failed. Close it; no action follows.
    case failed(RTMPError)
}
