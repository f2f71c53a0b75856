import Foundation
import TestSupport

/// Where this process looks for PulseAudio. libpulse reads it from the environment, which is set once and never again, as other threads
/// read it too: to a path that leads to the server of the moment.
enum PulseEnvironment {
    private static let link: String = {
        let path = "/tmp/broadcast-pulse-\(getpid())"
        setenv("PULSE_SERVER", "unix:\(path)/native", 1)
        setenv("PULSE_COOKIE", "\(path)/cookie", 1)
        return path
    }()

    /// Runs `body` while `server` is the one that is found; nil where none is to be found. One at a time.
    nonisolated(nonsending) static func with<Result>(_ server: PulseServer?, _ body: () async throws -> Result) async throws -> Result {
        unlink(link)
        defer { unlink(link) }
        if let folder = server?.peer.folder {
            guard symlink(folder, link) == 0 else { throw PeerError.system(call: "symlink \(link)", errno: errno) }
        }
        return try await body()
    }
}
