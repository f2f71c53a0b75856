import Glibc

/// Which process started which: browsers play their sound in a process of their own (proc(5), /proc/PID/stat).
enum ProcessAncestry {
    /// True where `process`, or one that it descends from, is among `processes`.
    static func contains(_ processes: Set<Int32>, from process: Int32) -> Bool {
        var current = process
        // A chain longer than this is none that a desktop has.
        for _ in 0..<64 where current > 1 {
            if processes.contains(current) { return true }
            current = parent(of: current) ?? 0
        }
        return false
    }

    /// Nil where there is no such process any more.
    private static func parent(of process: Int32) -> Int32? {
        guard let file = fopen("/proc/\(process)/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        // The name may hold spaces and brackets: what follows the last bracket is the state and the parent.
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: bracket)...].split(separator: " ").dropFirst().first.flatMap { Int32($0) }
    }
}
