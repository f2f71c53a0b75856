import Foundation
import TestSupport
import Testing

/// The commands and configurations that README.md, docs/usage.md and docs/recipes.md show.
enum ReadmeCommands {
    /// Each command of the `sh` blocks, the README's first, without those that build (`make`, `git clone`, `cd`).
    static func all() throws -> [String] {
        try documents().flatMap { commands(in: $0) }.filter { command in
            !["make", "git", "cd"].contains { command == $0 || command.hasPrefix($0 + " ") }
        }
    }

    /// Each command of the `sh` blocks of docs/recipes.md.
    static func recipes() throws -> [String] { commands(in: try text("docs/recipes.md")) }

    /// The calls of `broadcast` in the other blocks of docs/recipes.md: those of keys and bars, each once.
    static func bindings() throws -> Set<String> {
        let blocks = blocks("text", in: try text("docs/recipes.md"))
        return Set(
            blocks.flatMap { block in
                block.matches(of: /broadcast (?:start|stop|pause|resume|mic|clip|captured)[ a-z-]*/).map {
                    $0.output.trimmingCharacters(in: .whitespaces)
                }
            })
    }

    /// Runs the commands in the folder for recordings, with another server, ends what they leave running, and returns
    /// the names of the files that they made.
    nonisolated(nonsending) static func run(
        _ commands: [String], server: NginxRTMP, in studio: Studio
    ) async throws -> [String] {
        let environment = try environment(for: studio)
        for command in commands {
            let result = try await run(withServer(server, in: command), environment: environment, in: studio)
            #expect(result.status == .exited(0), "\(command): \(result.errors)")
        }
        _ = try await studio.broadcast.run(["stop", "--all"])
        return try FileManager.default.contentsOfDirectory(atPath: studio.folder).filter { !$0.hasPrefix("std") }
    }

    /// Only the example's server is another one.
    private static func withServer(_ server: NginxRTMP, in command: String) -> String {
        command.replacingOccurrences(
            of: #"rtmp://(127\.0\.0\.1|localhost|[a-z0-9.-]*example\.(com|org|net))(:[0-9]+)?/[a-z]+"#,
            with: "rtmp://127.0.0.1:\(server.port)/live",
            options: .regularExpression)
    }

    /// `broadcast` in PATH, and an mpv that needs neither screen nor loudspeaker.
    private static func environment(for studio: Studio) throws -> [String: String] {
        let mpv = try studio.peers.makeFolder("mpv")
        try "vo=null\nao=null\n".write(toFile: mpv + "/mpv.conf", atomically: false, encoding: .utf8)
        let folder = URL(fileURLWithPath: studio.broadcast.binary).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return studio.broadcast.environment.merging(["MPV_HOME": mpv, "PATH": folder + ":" + path]) { $1 }
    }

    /// Runs one in bash. A broadcast without an end is stopped from outside, once it has run longer than any with
    /// one.
    private nonisolated(nonsending) static func run(
        _ command: String, environment: [String: String], in studio: Studio
    ) async throws -> (status: TestSupport.ExitStatus, errors: String) {
        let peer = try studio.peers.start(
            "readme", ["bash", "-o", "pipefail", "-c", command], environment: environment, folder: studio.folder)
        let isEndless =
            command.contains("broadcast start") && !command.contains("--duration") && !command.contains("--detach")
        if isEndless {
            // Content may end by itself.
            try await waitUntil("3 s of \(command)") {
                if peer.status != nil { return true }
                return (try await studio.status()?.elapsed ?? 0) >= 3
            }
            _ = try await studio.broadcast.run(["stop", "--all"])
        }
        let status = try await peer.waitForExit(deadline: .seconds(60))
        return (status, String(peer.standardError.suffix(2000)))
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
        try ["README.md", "docs/usage.md"].map(text)
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: package.appendingPathComponent(name), encoding: .utf8)
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
