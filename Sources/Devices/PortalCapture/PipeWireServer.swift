import Glibc
import Processes

/// PipeWire and its session manager, which connects the pictures of the desktop with those who receive them.
package enum PipeWireServer {
    /// The programs of session managers, as the kernel names processes: 15 bytes (proc_pid_comm(5)).
    private static let managers = ["wireplumber", "pipewire-media-"]

    /// True if a server listens at the socket, or at the one of the whole system.
    package static func isRunning(socket: String) -> Bool { PortalScreenSource.isPipeWireThere(socket) }

    /// The name of the session manager that runs as this user; nil if none does.
    package static func sessionManager() -> String? {
        guard let folder = opendir("/proc") else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard Int32(name) != nil, stat("/proc/\(name)", &status) == 0, status.st_uid == getuid(),
                let manager = command(ofProcess: name), managers.contains(manager)
            else { continue }
            return manager == "wireplumber" ? manager : "pipewire-media-session"
        }
        return nil
    }

    private static func command(ofProcess number: String) -> String? {
        guard let file = fopen("/proc/\(number)/comm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
