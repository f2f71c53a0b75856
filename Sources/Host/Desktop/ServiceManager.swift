import Glibc

/// Reports the state of a program to systemd, for a unit with `Type=notify` (sd_notify(3)).
package final class ServiceManager {
    /// A path, or a name in the abstract namespace with `@` first.
    private let socketName: String
    /// The interval in which systemd wants a sign of life; nil without a watchdog.
    private let watchdog: Duration?
    private var lastSign = ContinuousClock.now
    private var isReady = false

    /// Returns nil if systemd does not want to know.
    ///
    /// - Parameter environment: of the process: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
        socketName = name
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        watchdog = isOurs ? environment["WATCHDOG_USEC"].flatMap(Int.init).map { .microseconds($0) } : nil
    }

    /// Each destination has accepted the broadcast, or is over.
    package func ready() {
        guard !isReady else { return }
        isReady = true
        send("READY=1")
    }

    /// Reports that the session works. Call it at least twice a second: it sends three signs in each interval.
    package func sign(_ status: String) {
        guard let watchdog, ContinuousClock.now - lastSign > watchdog / 3 else { return }
        lastSign = .now
        send("WATCHDOG=1\nSTATUS=\(status)")
    }

    /// Shows the state of the session in `systemctl status`.
    package func show(_ status: String) {
        send("STATUS=\(status)")
    }

    package func stopping() {
        send("STOPPING=1")
    }

    /// One datagram. A failure has no effect on the broadcast.
    private func send(_ state: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socketName.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(state.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
