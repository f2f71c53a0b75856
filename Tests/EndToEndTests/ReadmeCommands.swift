import Foundation

/// The commands and configurations that README.md and docs/usage.md show.
enum ReadmeCommands {
    /// Each command of the `sh` blocks, the README's first, without those that build (`make`, `git clone`, `cd`).
    static func all() throws -> [String] {
        try documents().flatMap { commands(in: $0) }.filter { command in
            !["make", "git", "cd"].contains { command == $0 || command.hasPrefix($0 + " ") }
        }
    }

    /// The README's example configuration: its first `toml` block.
    static func configuration() throws -> String? {
        try configurations().first
    }

    /// The example configuration of each document: its first `toml` block.
    static func configurations() throws -> [String] {
        try documents().compactMap { blocks("toml", in: $0).first }
    }

    /// The package's folder.
    private static let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The text of README.md and of docs/usage.md.
    private static func documents() throws -> [String] {
        try ["README.md", "docs/usage.md"].map {
            try String(contentsOf: package.appendingPathComponent($0), encoding: .utf8)
        }
    }

    /// A command a line; a backslash at the end continues it. Comments and prompts are left out.
    private static func commands(in text: String) -> [String] {
        blocks("sh", in: text).flatMap { block in
            block.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n").compactMap { line in
                var command = line.trimmingCharacters(in: .whitespaces)
                if command.hasPrefix("$ ") { command.removeFirst(2) }
                if let comment = command.range(of: #"(^|\s+)# .*$"#, options: .regularExpression) {
                    command.removeSubrange(comment)
                }
                return command.isEmpty || command.hasPrefix("#") ? nil : command
            }
        }
    }

    private static func blocks(_ language: String, in text: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                if line.trimmingCharacters(in: .whitespaces) == "```" {
                    blocks.append(lines.joined(separator: "\n"))
                    block = nil
                } else {
                    block = lines + [line]
                }
            } else if line.trimmingCharacters(in: .whitespaces) == "```" + language {
                block = []
            }
        }
        return blocks
    }
}
