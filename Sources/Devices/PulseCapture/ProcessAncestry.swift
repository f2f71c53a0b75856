import Glibc

/// Finds the program and the ancestors of a process, because browsers play sound in a separate process (proc(5),
/// /proc/PID/stat).
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

    /// Returns true if the process exists and runs the program with this file name. A process in a container has
    /// another identifier here than the one that it reports itself, so another program has that identifier.
    static func runs(_ program: String, as process: Int32) -> Bool {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(process)/exe", &path, path.count)
        if length > 0 {
            // The kernel appends this to the path of a program that was replaced.
            let name = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let file = name.hasSuffix(" (deleted)") ? String(name.dropLast(10)) : name
            return file.split(separator: "/").last.map(String.init) == program
        }
        // A process of another user does not reveal its file, but its name, of which the kernel keeps 15 bytes.
        guard let name = stat(of: process)?.name else { return false }
        return !name.isEmpty && name.utf8.elementsEqual(program.utf8.prefix(15))
    }

    /// Returns nil if the process no longer exists.
    private static func parent(of process: Int32) -> Int32? {
        stat(of: process)?.parent
    }

    /// Returns the name and the parent of a process, or nil if it no longer exists.
    private static func stat(of process: Int32) -> (name: String, parent: Int32)? {
        guard let file = fopen("/proc/\(process)/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        // The name can contain spaces and brackets. The state and the parent follow the last bracket.
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let open = text.firstIndex(of: "("), let bracket = text.lastIndex(of: ")"), open < bracket,
            let parent = text[text.index(after: bracket)...].split(separator: " ").dropFirst().first.flatMap({
                Int32($0)
            })
        else { return nil }
        return (String(text[text.index(after: open)..<bracket]), parent)
    }
}
