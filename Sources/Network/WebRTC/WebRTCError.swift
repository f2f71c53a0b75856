/// Why a connection of WebRTC cannot be made, or ended.
package enum WebRTCError: Error, Equatable, Sendable {
    case noMemory
    /// The peer's session description: what is wrong with it.
    case unusableDescription(String)
    /// The handshake of DTLS.
    case handshakeFailed
    /// The peer is not the one that the description names.
    case wrongFingerprint
    /// No path to the peer was found in time.
    case noPath
    /// The peer has not answered for `ICEAgent.consentTime`.
    case lost
    /// The peer has ended the connection.
    case closed
}
