import Glibc

/// Finds the ancestors of a process, because browsers play sound in a separate process (proc(5), /proc/PID/stat).
enum ProcessAncestry {
    /// Returns true if `process` or one of its ancestors is in `processes`.
    static func contains(_ processes: Set<Int32>, from process: Int32) -> Bool {
        var current = process
        // A chain on a desktop is never longer than this.
        for _ in 0..<64 where current > 1 {
            if processes.contains(current) { return true }
            current = parent(of: current) ?? 0
        }
        return false
    }

    /// Returns nil if the process no longer exists.
    private static func parent(of process: Int32) -> Int32? {
        guard let file = fopen("/proc/\(process)/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        // The name can contain spaces and brackets. The state and the parent follow the last bracket.
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: bracket)...].split(separator: " ").dropFirst().first.flatMap { Int32($0) }
    }
}
