import Glibc
import Processes

/// The file that stores which settings to restore when no broadcast needs do-not-disturb any more.
///
/// Every session that needs do-not-disturb holds a lock on the file (flock(2)). The kernel releases the lock of a
/// process that dies. If no other session holds a lock and the file is not empty, a broadcast crashed.
final class QuietRecord {
    private let descriptor: Int32

    /// Returns nil if the file cannot be opened or created.
    init?(path: String) {
        let creation = FileCreation.isAllowed(path) ? O_CREAT : 0
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | creation, 0o600)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// True if there is something to restore and no session holds a lock.
    static func isPending(path: String) -> Bool {
        guard access(path, F_OK) == 0, let record = QuietRecord(path: path) else { return false }
        return !record.pending.isEmpty && record.lockAlone()
    }

    /// Acquires an exclusive lock. Returns false if another session holds a lock; then this session holds none.
    func lockAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Acquires a shared lock.
    func lockTogether() { flock(descriptor, LOCK_SH) }

    /// The names of the settings to restore. There is more than one if another service started during the broadcast.
    var pending: Set<String> {
        get {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = pread(descriptor, &bytes, bytes.count, 0)
            return Set(
                String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: " ").map(String.init))
        }
        set {
            ftruncate(descriptor, 0)
            _ = Array(newValue.sorted().joined(separator: " ").utf8).withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, 0)
            }
        }
    }
}
