import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Errors of `broadcast picker` for a user whose terminal closes at its end, or who has none.
    struct PickerErrorTests {
        @Test func `The command of the desktop's menu keeps an error on the terminal until Enter`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try broadcast.writeConfiguration("colour = 3\n")
                let terminal = try await Terminal.open(environment: broadcast.environment, in: peers)
                try await terminal.type("\(try Self.menuCommand(broadcast)); echo status=$?")
                try await terminal.wait(for: "Press Enter to close.")
                let screen = try await terminal.screen()
                #expect(
                    screen.contains("config.toml:1") && screen.contains("colour") && !screen.contains("status=78"),
                    "\(screen)")
                try await terminal.press("Enter")
                try await terminal.wait(for: "status=78")
                let after = try await terminal.screen()
                #expect(after.components(separatedBy: "colour").count == 2, "The error appears once: \(after)")
            }
        }

        @Test
        func
            `The command of the desktop's menu keeps the result of a broadcast on the terminal, and Esc closes it at once`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try studio.broadcast.writeConfiguration(PickerTests.configuration(folder: studio.folder))
                let command = try Self.menuCommand(studio.broadcast)
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type("\(command) --preferred archive; echo status=$?")
                try await terminal.wait(for: "> * archive")
                try await terminal.press("Enter")
                try await terminal.wait(for: "archive: live")
                // Before the question, so it closes nothing.
                try await terminal.press("Enter")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await terminal.wait(for: "Press Enter to close.")
                let result = try await terminal.screen()
                #expect(result.contains("archive: 00:") && !result.contains("status=0"), "\(result)")
                try await terminal.press("Enter")
                try await terminal.wait(for: "status=0")
                try await terminal.typeAfresh("\(command); echo left=$?")
                try await terminal.wait(for: "> * talks")
                try await terminal.press("Escape")
                try await terminal.wait(for: "left=1")
                #expect(try await !terminal.screen().contains("Press Enter"))
            }
        }

        @Test func `Without a configuration the picker offers a recording and the services`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                let terminal = try await Terminal.open(environment: broadcast.environment, in: peers)
                try await terminal.type("\(broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: ">   file")
                try await terminal.wait(for: "Enter: start")
                try await terminal.write("twitch")
                try await terminal.wait(for: "Enter: sign in")
                try await terminal.press("Enter")
                try await terminal.wait(for: "Stream key")
            }
        }

        @Test(arguments: [
            // The menu fails before anything starts, the destination is not signed in, and the server is not there.
            ("echo nonsense", "nonsense"), ("echo mobcrush", "Not signed in to mobcrush"), ("echo mine", "127.0.0.1"),
        ])
        func `With a menu program and without a terminal, an error is one notification`(menu: String, words: String)
            async throws
        {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let desktop = try await NotificationDaemon.start(in: peers, on: screen)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                broadcast.environment.merge(desktop.environment) { $1 }
                try broadcast.writeConfiguration(
                    """
                    [destinations.mobcrush]
                    service = "mobcrush"
                    [destinations.mine]
                    extension = "rtmp"
                    url = "rtmp://127.0.0.1:\(try freePort())/live/KEY"
                    """)
                let result = try await broadcast.run(["picker", "--menu", menu])
                #expect(result.status != .exited(0) && result.errors.contains(words), "\(result.errors)")
                try await desktop.daemon.wait(for: "the notification") { desktop.daemon.standardOutput.contains(words) }
                #expect(
                    desktop.daemon.standardOutput.components(separatedBy: "summary: ").count == 2,
                    "\(desktop.daemon.standardOutput)")
            }
        }

        /// The command line of the desktop entry, with the path of the program under test.
        private static func menuCommand(_ broadcast: BroadcastCommand) throws -> String {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let entry = try String(
                contentsOf: folder.appendingPathComponent("../../packaging/desktop/org.broadcast.Broadcast.desktop"),
                encoding: .utf8)
            let line = try #require(entry.split(separator: "\n").first { $0.hasPrefix("Exec=broadcast ") })
            return broadcast.binary + line.dropFirst("Exec=broadcast".count)
        }
    }
}
