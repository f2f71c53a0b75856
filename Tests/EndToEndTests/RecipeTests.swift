import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What docs/recipes.md promises.
    struct RecipeTests {
        @Test func `Every command of the recipes works as written`() async throws {
            try await withStudio(["demo"], width: 640, height: 360) { studio in
                try await WindowManagement.openbox.start(on: studio.screen, in: studio.peers)
                // The window that a recipe records. Its manager gives it the focus, as `hide active` needs.
                _ = try studio.peers.start(
                    "firefox", ["xterm", "-class", "Firefox", "-T", "Firefox", "-e", "sleep", "600"],
                    environment: studio.screen.environment)
                let desktop = try Desktop(studio.screen.display, in: studio.peers)
                _ = try await desktop.window(titled: "Firefox")
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await NginxRTMP.start(in: studio.peers)
                let commands = try ReadmeCommands.recipes()
                #expect(commands.count >= 20)
                let files = try await ReadmeCommands.run(commands, server: server, in: studio)
                #expect(files.count >= 12)
                for file in files where file != "www" && !file.hasSuffix(".png") {
                    try await studio.media(file).expectDecodable()
                }
                try await studio.media("www/live.m3u8").expectDecodable()
            }
        }

        @Test func `Every command of a key or a bar works as written`() async throws {
            try await withStudio(["demo"], width: 320, height: 240) { studio in
                try studio.broadcast.writeConfiguration(
                    "preferred = \"mine\"\n[destinations.mine]\nextension = \"file\"\npath = \"\(studio.folder)/\"\n")
                var left = try ReadmeCommands.bindings()
                for command in [
                    "broadcast start --toggle --detach --notify", "broadcast captured --wait",
                    "broadcast pause --toggle --notify", "broadcast mic toggle --notify", "broadcast stop --notify",
                    "broadcast captured --wait-end",
                ] {
                    #expect(left.remove(command) != nil, "\(command) is in no recipe")
                    let words = command.split(separator: " ").dropFirst().map(String.init)
                    let result = try await studio.broadcast.run(words)
                    #expect(result.status == .exited(0), "\(command): \(result)")
                }
                let buffered = try await studio.startLive(["--to", "clips"])
                try await studio.waitUntilElapsed(2, of: buffered)
                #expect(left.remove("broadcast clip --notify") != nil)
                #expect(try await studio.broadcast.run(["clip", "--notify"]).status == .exited(0))
                _ = try await studio.broadcast.stop(buffered)
                #expect(left.isEmpty, "not tried: \(left)")
            }
        }
    }
}
