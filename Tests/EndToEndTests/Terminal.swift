import Foundation
import TestSupport

/// A terminal for a person to sit at: a tmux of the test's own, in which commands run and keys are typed.
struct Terminal {
    private let server: Peer
    private let socket: String
    private let environment: [String: String]
    private let peers: Peers

    /// Opens one, in characters, with bash in it.
    nonisolated(nonsending) static func open(
        width: Int = 120, height: Int = 40, environment: [String: String], in peers: Peers
    ) async throws -> Terminal {
        let folder = try peers.makeFolder("tmux")
        let socket = folder + "/socket"
        // In the foreground: a server in the background would outlive a killed test.
        let server = try peers.start(
            "tmux-server", ["tmux", "-S", socket, "-f", "/dev/null", "-D"], environment: environment, folder: folder)
        try await server.wait(for: "its socket") { listens(at: socket) }
        let terminal = Terminal(server: server, socket: socket, environment: environment, peers: peers)
        try await terminal.tmux([
            "new-session", "-d", "-x", "\(width)", "-y", "\(height)", "PS1='ready> ' bash --norc --noprofile",
        ])
        try await terminal.wait(for: "ready>")
        return terminal
    }

    /// Types a text, and Enter.
    nonisolated(nonsending) func type(_ text: String) async throws {
        if !text.isEmpty { try await tmux(["send-keys", "-l", "--", text]) }
        try await tmux(["send-keys", "Enter"])
    }

    /// Empties the screen and its history at once, then types a text, and Enter: what stood there before cannot be
    /// taken for what comes. The shell would run a `clear` in the text only after `type` has returned.
    nonisolated(nonsending) func typeAfresh(_ text: String) async throws {
        try await tmux(["send-keys", "-R", ";", "clear-history"])
        try await type(text)
    }

    /// Types letters, and nothing after them.
    nonisolated(nonsending) func write(_ text: String) async throws {
        try await tmux(["send-keys", "-l", "--", text])
    }

    /// Gives it another size, in characters.
    nonisolated(nonsending) func resize(width: Int, height: Int) async throws {
        try await tmux(["resize-window", "-x", "\(width)", "-y", "\(height)"])
    }

    /// Presses a key by tmux's name for it (`C-c`).
    nonisolated(nonsending) func press(_ key: String) async throws {
        try await tmux(["send-keys", key])
    }

    /// What has been shown up to now, with what has scrolled away.
    nonisolated(nonsending) func text() async throws -> String {
        try await tmux(["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// What stands on it now, a line each.
    nonisolated(nonsending) func screen() async throws -> String {
        try await tmux(["capture-pane", "-p"])
    }

    /// Waits until that is shown.
    nonisolated(nonsending) func wait(for text: String) async throws {
        try await wait(for: text) { try await self.text().contains(text) }
    }

    /// Waits until that is shown after `mark`, which was shown before it.
    nonisolated(nonsending) func wait(for text: String, after mark: String) async throws {
        try await wait(for: text) {
            try await self.text().components(separatedBy: mark).dropFirst().last?.contains(text) == true
        }
    }

    /// Waits until a condition holds.
    nonisolated(nonsending) func wait(for text: String, condition: () async throws -> Bool) async throws {
        do {
            try await server.wait(for: text, condition: condition)
        } catch PeerError.deadline {
            throw PeerError.deadline(text, context: "The terminal shows:\n\(try await self.text())")
        }
    }

    @discardableResult
    private nonisolated(nonsending) func tmux(_ arguments: [String]) async throws -> String {
        // A client too: tmux takes DISPLAY from whoever opens a window.
        try await peers.run("tmux", ["tmux", "-S", socket] + arguments, environment: environment)
    }
}
