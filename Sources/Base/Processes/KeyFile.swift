import Glibc

/// A group of a key file, as desktop entries and portal backends are (Desktop Entry Specification 1.5, section 3).
package struct KeyFile: Sendable, Equatable {
    /// The size in bytes above which a file is ignored.
    private static let maximumSize = 1 << 18

    /// The values by key, as the file has them: escape sequences stay. Of equal keys, the first counts.
    package let values: [String: String]

    /// Reads the group with this name; without one, there are no values. Nil if the file is not a regular one, is too
    /// large, or cannot be read. Blocks the calling thread.
    package init?(_ path: String, group: String) {
        // A named pipe without a writer would block the thread.
        var status = stat()
        guard let descriptor = try? FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK),
            fstat(descriptor.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.maximumSize, let bytes = try? descriptor.readToEnd(limit: Self.maximumSize)
        else { return nil }
        self.init(text: String(decoding: bytes, as: UTF8.self), group: group)
    }

    package init(text: String, group: String) {
        var values: [String: String] = [:]
        var isInGroup = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.first == "[" {
                isInGroup = line.hasPrefix("[\(group)]")
            } else if isInGroup, line.first != "#", let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].filter { $0 != " " }
                if values[key] == nil { values[key] = String(line[line.index(after: equals)...].drop { $0 == " " }) }
            }
        }
        self.values = values
    }

    /// A value that is a list: what semicolons separate, without white space around it.
    package func list(_ key: String) -> [String]? {
        values[key]?.split(separator: ";").compactMap { part in
            let words = part.split(separator: " ")
            return words.isEmpty ? nil : words.joined(separator: " ")
        }
    }
}
