/// A server's request to continue the stream on another connection (Enhanced RTMP v2, “Reconnect Request”).
public struct RTMPReconnectRequest: Equatable, Sendable {
    /// The target as a `tcUrl`, absolute or relative to the current one. If nil, reconnect to the same address.
    let tcURL: String?

    package init(tcURL: String?) {
        self.tcURL = tcURL
    }
}
