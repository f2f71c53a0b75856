import NIOCore

extension PublisherStateMachine {
    /// What the caller must do after an event.
    package enum Action: Equatable, Sendable {
        /// Nothing: wait for the next event.
        case wait
        /// Send these bytes to the server.
        case send(ByteBuffer)
        /// Send these bytes, of which there can be none. Then cancel the deadline of the previous step and start the
        /// one of this step.
        case enter(RTMPStep, sending: ByteBuffer)
        /// The server accepted the stream: send these bytes, which are metadata and sequence headers, and cancel the
        /// deadline. Packets can be sent.
        case startPublishing(sending: ByteBuffer)
        /// Report the total number of bytes that the server acknowledged.
        case reportAcknowledged(UInt64)
        /// Report that the server requests that the stream continue on another connection. This one continues.
        case reportReconnectRequest(RTMPReconnectRequest)
        /// Send these bytes, which end the stream, and start the deadline of the end. When the last byte was passed to
        /// the system, call `delivered`.
        case finish(sending: ByteBuffer)
        /// Close the sending direction, and wait a limited time until the server closes the connection.
        case closeOutput
        /// Reject the packet or the request of the caller with this error.
        case reject(RTMPError)
        /// Close the connection. No event changes the state after that.
        case close(Ending)
    }

    /// How a connection ended.
    package enum Ending: Equatable, Sendable {
        /// The server closed the connection after the whole stream was sent.
        case finished
        case failed(RTMPError)
        /// The server rejected `connect` and told the client how to continue. The error is for a client that does not.
        case rejected(ConnectRejection, RTMPError)

        /// Why the connection failed, or nil if the stream was finished.
        package var error: RTMPError? {
            switch self {
            case .finished: nil
            case .failed(let error), .rejected(_, let error): error
            }
        }
    }
}
