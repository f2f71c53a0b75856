import Glibc

/// The file that says what is to be restored when no broadcast needs quiet any more: the switches that were turned, or nothing.
///
/// Every session that needs quiet holds a lock on it (flock(2)), which the kernel takes from those that die: whoever finds no other
/// lock and yet a word in it finds what a crash left.
final class QuietRecord {
    private let descriptor: Int32

    /// Nil where there can be no such file.
    init?(path: String) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// True where no other session holds it. False leaves it without a lock.
    func lockAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Holds it beside others.
    func lockTogether() { flock(descriptor, LOCK_SH) }

    /// The names of the switches that are to be turned back. There is more than one where another service came while live.
    var pending: Set<String> {
        get {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = pread(descriptor, &bytes, bytes.count, 0)
            return Set(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: " ").map(String.init))
        }
        set {
            ftruncate(descriptor, 0)
            _ = Array(newValue.sorted().joined(separator: " ").utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        }
    }
}
