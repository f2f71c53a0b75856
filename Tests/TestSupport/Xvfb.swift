/// An X server without a screen to look at.
package struct Xvfb: Sendable {
    /// The process.
    package let peer: Peer
    /// Its display's name, `:7`.
    package let display: String
    /// Pixels.
    package let width: Int
    /// Pixels.
    package let height: Int

    /// What its clients need.
    package var environment: [String: String] { ["DISPLAY": display] }

    /// Starts one of that size in pixels and depth in bits, on a display number of its own choice, and waits until it
    /// answers.
    nonisolated(nonsending) package static func start(
        in peers: Peers, width: Int = 1920, height: Int = 1080, depth: Int = 24, arguments: [String] = []
    ) async throws -> Xvfb {
        let peer = try peers.start(
            "xvfb",
            ["Xvfb", "-displayfd", "1", "-screen", "0", "\(width)x\(height)x\(depth)", "-nolisten", "tcp", "-noreset"]
                + arguments)
        try await peer.wait(for: "a display number") { peer.standardOutput.hasSuffix("\n") }
        let number = peer.standardOutput.prefix { $0.isNumber }
        return Xvfb(peer: peer, display: ":\(number)", width: width, height: height)
    }
}
