import NIOCore

/// How a publisher connects, once and when the server wants another connection.
struct ConnectSettings: Sendable {
    /// Instead of those in the URL.
    var credentials: RTMPCredentials?
    /// PEM certificates to trust, instead of the system's.
    var caFile: String?
    var deadlines: RTMPDeadlines
    var group: any EventLoopGroup
}
