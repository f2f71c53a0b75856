import Glibc
import Processes

/// The entry of a session in a list that does not depend on the runtime folder: where its socket is, and which process
/// it is.
///
/// The runtime folder can differ between the session and a client (cron, su, ssh), and the system can remove it while
/// the session is live. The entry is a file in the state folder.
package final class SessionRegistration: Sendable {
    /// The content of the entry, for clients.
    package struct Entry: Sendable, Equatable {
        /// The path of the control socket.
        package var socket: String
        package var process: Int32

        package init(socket: String, process: Int32) {
            self.socket = socket
            self.process = process
        }
    }

    private let entry: LockedFile

    /// Creates the entry at `path`. Throws `inUse` if another process has an entry there.
    package init(path: String, socket: String) throws(ControlServer.Failure) {
        do throws(LockedFile.Failure) {
            entry = try LockedFile(path: path, kind: .writing)
        } catch {
            throw ControlServer.Failure(error)
        }
        update(socket: socket)
    }

    /// The socket has another path now.
    package func update(socket: String) {
        entry.write("\(getpid()) \(socket)")
    }

    /// Returns the entry at `path`, or nil if no process has one there.
    package static func read(_ path: String) -> Entry? {
        let parts = LockedFile.read(path)?.split(separator: " ", maxSplits: 1)
        guard let parts, parts.count == 2, let process = Int32(parts[0]), parts[1].hasPrefix("/") else { return nil }
        return Entry(socket: String(parts[1]), process: process)
    }

    /// Deletes the entry at `path` if its session was killed, or crashed. Returns false if there is no such entry.
    package static func removeAbandoned(_ path: String) -> Bool { LockedFile.removeAbandoned(path) }
}
