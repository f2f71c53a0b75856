import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast picker --menu`: a program in the manner of dmenu chooses. No terminal is there.
    struct PickerMenuTests {
        @Test
        func `The menu reads the names, the preferred one first, and what it prints is started; then it can stop it`()
            async throws
        {
            try await withConfiguredStudio { studio in
                let session = try studio.broadcast.start(["picker", "--menu", "tee \(studio.path("seen")) | grep arch"])
                _ = try await session.waitForErrorLine(containing: "session default: live")
                #expect(try String(contentsOfFile: studio.path("seen"), encoding: .utf8) == "talks\narchive\nlan\n")
                #expect(try await studio.status()?.destinations.map(\.name) == ["archive"])
                // The first entry, which a menu selects, ends nothing.
                #expect(try await studio.broadcast.run(["picker", "--menu", "head -n 1"]).status == .exited(1))
                #expect(try await studio.status()?.state == "live")
                let stop = try await studio.broadcast.run([
                    "picker", "--menu", "tee \(studio.path("seen")) | grep Stop",
                ])
                #expect(stop.status == .exited(0), "\(stop.errors)")
                #expect(
                    try String(contentsOfFile: studio.path("seen"), encoding: .utf8)
                        == "Continue the broadcast\nStop the broadcast\n")
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test(arguments: [
            ("cat >/dev/null", 1, "Nothing was started."), ("echo talks; exit 1", 1, "Nothing was started."),
            ("exec true", 1, "Nothing was started."),
            ("kill -TERM $$; echo talks", 1, "Nothing was started."), ("/nonexistent/menu", 1, "Nothing was started."),
            ("echo nonsense", 66, "nonsense"),
        ])
        func `A menu that is left, or says something else, starts nothing`(menu: String, status: Int32, word: String)
            async throws
        {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try broadcast.writeConfiguration(PickerTests.configuration(folder: "/tmp"))
                let result = try await broadcast.run(["picker", "--menu", menu])
                #expect(result.status == .exited(status))
                #expect(
                    result.output == "" && result.errors.contains("broadcast: ") && result.errors.contains(word),
                    "\(result.errors)")
            }
        }

        private nonisolated(nonsending) func withConfiguredStudio(_ body: (Studio) async throws -> Void) async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try FileManager.default.createDirectory(
                    atPath: studio.path("talks"), withIntermediateDirectories: false)
                try studio.broadcast.writeConfiguration(PickerTests.configuration(folder: studio.folder))
                try await body(studio)
            }
        }
    }
}
