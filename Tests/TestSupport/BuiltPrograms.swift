import Foundation

/// Finds the programs that were built together with the running tests.
package enum BuiltPrograms {
    /// The path of a program beside the running test program (`.build/debug`, `.build/release`).
    /// An environment variable overrides it: `BROADCAST_BINARY` for `broadcast`, `TESTSCREEN_BINARY` for `TestScreen`.
    package static func path(of name: String) throws(PeerError) -> String {
        // The extensions are laid beside the program, and not beside a link to it.
        if let path = ProcessInfo.processInfo.environment[name.uppercased() + "_BINARY"] {
            return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        }
        let running = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let path = running.deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw .missing("no program \(name) beside \(running.path); build it, or set \(name.uppercased())_BINARY")
        }
        return path
    }
}
