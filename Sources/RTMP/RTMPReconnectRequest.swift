/// A server's wish that the stream goes on over another connection (Enhanced RTMP v2, “Reconnect Request”).
public struct RTMPReconnectRequest: Equatable, Sendable {
    /// Where to: a `tcUrl`, absolute or relative to the present one; nil is the same address again.
    let tcURL: String?

    package init(tcURL: String?) {
        self.tcURL = tcURL
    }
}
