/// What a peer finds on its standard input.
package enum PeerInput: Sendable, Equatable {
    /// Nothing: /dev/null.
    case nothing
    /// A pipe that the test writes to (`Peer.write`, `Peer.closeInput`).
    case pipe
    /// The file at that path.
    case file(String)
}
