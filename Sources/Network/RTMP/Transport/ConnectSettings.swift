import NIOCore

/// The settings of a connection. A connection that the server requests later uses the same settings.
struct ConnectSettings: Sendable {
    /// Credentials that override those in the URL.
    var credentials: RTMPCredentials?
    /// A file of trusted PEM certificates. If nil, the system's certificates are trusted.
    var caFile: String?
    var route = RTMPRoute()
    var deadlines: RTMPDeadlines
    var group: any EventLoopGroup
}
