import Media
import Pipeline
import RTMP

/// The settings of a session.
package struct SessionConfiguration: Sendable {
    /// What is captured, and how it is encoded.
    package var media = MediaConfiguration()
    /// The session ends after this duration; nil for no limit.
    package var duration: MediaTime?
    /// True if first connections that fail because of the network are retried until they succeed.
    package var waitsForNetwork = false
    /// The IP version, the proxy and the local address of connections to servers, also of those of extensions.
    package var route = RTMPRoute()
    /// True if the proxy has a user name, and no password is known.
    package var lacksProxyPassword = false

    package init() {}
}
