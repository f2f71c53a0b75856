/// What the publisher's state machine wants done, in this order.
package enum PublisherAction: Equatable, Sendable {
    /// Bytes for the server.
    case send([UInt8])
    /// A step has begun; its deadline starts now, and the one before it has been met.
    case entered(RTMPStep)
    /// The server takes the stream; metadata and sequence headers are in the `send` before this.
    case publishing
    /// The server has received this many bytes, by its own count.
    case acknowledged(UInt64)
    /// The server wants the stream to go on over another connection.
    case reconnectRequested(RTMPReconnectRequest)
    /// `connect` was rejected, with the way to go on; `failed` follows.
    case rejected(ConnectRejection)
    /// The server has closed after it was told that the stream is over.
    case finished
    /// Nothing follows: close the connection.
    case failed(RTMPError)
}
