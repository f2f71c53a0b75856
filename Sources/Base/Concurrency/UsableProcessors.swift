import CLinux
import Glibc

/// The processors that this process may use, which can be fewer than the machine has: `taskset`, a container, a systemd
/// unit with `CPUQuota=`.
package enum UsableProcessors {
    /// The number of processors on which the calling thread may run (sched_getaffinity(2)), or of those whose time its
    /// control group may use if these are fewer. At least 1.
    package static var count: Int {
        count(affinity: Int(clinux_affinity_count()), read: readStart)
    }

    /// - Parameters:
    ///   - affinity: the number of processors on which the thread may run.
    ///   - read: returns the content of a file; nil if it cannot be read.
    package static func count(affinity: Int, read: (_ path: String) -> String?) -> Int {
        max(1, min(affinity, quota(read) ?? .max))
    }

    /// The smallest `cpu.max` of the process's group and its parents (cgroup v2, "CPU Interface Files"), in whole
    /// processors, rounded up. Nil if none is limited.
    private static func quota(_ read: (String) -> String?) -> Int? {
        let groups = read("/proc/self/cgroup") ?? ""
        // Version 2 has the number 0 and no controllers (cgroups(7)).
        guard let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        var path = own.dropFirst(3).split(separator: "/")
        var quotas: [Int] = []
        while true {
            let file = (["/sys/fs/cgroup"] + path.map(String.init) + ["cpu.max"]).joined(separator: "/")
            // Microseconds of time in each period: `150000 100000`, or `max 100000`.
            let values = (read(file) ?? "").split { $0 == " " || $0 == "\n" }.map { Int($0) }
            if values.count == 2, let time = values[0], let period = values[1], time > 0, period > 0 {
                quotas.append(time / period + (time % period == 0 ? 0 : 1))
            }
            guard path.popLast() != nil else { return quotas.min() }
        }
    }

    /// Returns the first 16 KiB of a file of the kernel, as text.
    private static func readStart(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let length = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
