/// Where a peer's standard output goes.
package enum PeerOutput: Sendable, Equatable {
    /// Into a file in the peer's folder (`Peer.standardOutput`).
    case file
    /// Into a pipe that the test reads (`Peer.read`).
    case pipe
}
