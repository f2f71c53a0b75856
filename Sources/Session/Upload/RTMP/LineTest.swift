import Media
import RTMP

/// A place on an RTMP server to which a test can send without going live.
package struct LineTest: Sendable {
    /// With the user's key.
    private let url: RTMPURL
    private let caFile: String?
    private let route: RTMPRoute
    /// What keeps a stream with the user's key from viewers; nil to publish under a name that nobody watches.
    private var parameter: String?
    /// The limits of the service.
    package private(set) var limits = PictureLimits()

    /// A test on the user's own server: a stream of the same application with a name of its own.
    ///
    /// Returns nil if the key has parameters: they can say where the stream goes, whatever its name is.
    package init?(at url: RTMPURL, caFile: String? = nil, route: RTMPRoute = RTMPRoute()) {
        guard !url.streamKey.contains("?") else { return nil }
        (self.url, self.caFile, self.route) = (url, caFile, route)
    }

    /// Returns the test of a service that keeps a stream with `parameter` after its key from viewers.
    ///
    /// - Parameters:
    ///   - parameter: as the service documents it, such as `bandwidthtest=true`.
    ///   - limits: those of the service.
    package func with(parameter: String, limits: PictureLimits) -> LineTest {
        var test = self
        (test.parameter, test.limits) = (parameter, limits)
        return test
    }

    /// True if a stream with the user's key is sent, which the service does not show.
    package var usesKey: Bool { parameter != nil }

    /// The stream name, which can be a secret.
    private var name: String {
        if let parameter { return url.streamKey + "?" + parameter }
        return "broadcast-line-test-" + String(UInt32.random(in: 0...UInt32.max), radix: 16)
    }

    /// Begins to publish there.
    package func connect(_ stream: StreamDescription) async throws(RTMPError) -> RTMPPublisher {
        try await RTMPPublisher.connect(
            to: url.with(streamKey: name), stream: stream, caFile: caFile, route: route)
    }
}
