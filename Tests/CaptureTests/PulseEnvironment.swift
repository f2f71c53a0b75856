import Foundation
import TestSupport

/// The PulseAudio server that this process finds. libpulse reads its address from the environment. Other threads read
/// the environment too, so it is set only once, to a symbolic link to the current server.
enum PulseEnvironment {
    private static let link: String = {
        let path = "/tmp/broadcast-pulse-\(getpid())"
        setenv("PULSE_SERVER", "unix:\(path)/native", 1)
        setenv("PULSE_COOKIE", "\(path)/cookie", 1)
        return path
    }()

    /// Runs `body` with `server` as the PulseAudio server, or without a server if it is nil. Use it for one server at a
    /// time.
    nonisolated(nonsending) static func with<Result>(_ server: PulseServer?, _ body: () async throws -> Result)
        async throws -> Result
    {
        unlink(link)
        defer { unlink(link) }
        if let folder = server?.peer.folder {
            guard symlink(folder, link) == 0 else { throw PeerError.system(call: "symlink \(link)", errno: errno) }
        }
        return try await body()
    }
}
