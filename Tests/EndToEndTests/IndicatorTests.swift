import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What a desktop's indicator learns on the session bus.
    struct IndicatorTests {
        private static let name = "org.broadcast.Broadcast"
        private static let path = "/org/broadcast/Broadcast"

        @Test func `The property Captured is true while a session captures, and says so when it changes`() async throws
        {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let desktop = try await FakeDesktop.start(in: studio.peers)
                var studio = studio
                studio.broadcast.environment.merge(desktop.environment) { $1 }
                let monitor = try studio.peers.start(
                    "monitor", ["gdbus", "monitor", "--session", "--dest", Self.name], environment: desktop.environment)
                try await monitor.wait(for: "its begin") { monitor.standardOutput.contains("does not have an owner") }
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                // A busy session bus may answer the session only after it is live.
                try await first.wait(for: "the property") { try await captured(in: studio, desktop) == "(<true>,)\n" }
                // gdbus asks for an owner's signals once it has heard of the owner: the first one may come before that,
                // the last one does not.
                try await monitor.wait(for: "its owner") { monitor.standardOutput.contains("is owned by") }
                // Another session has its turn when the first one is over, however that comes about.
                _ = try await studio.startLive(["--to", studio.path("two.mp4")], session: "second")
                first.signal(SIGKILL)
                try await monitor.wait(for: "the second session") {
                    monitor.standardOutput.components(separatedBy: "is owned by").count == 3
                }
                #expect(try await captured(in: studio, desktop) == "(<true>,)\n")
                #expect(!monitor.standardOutput.contains("<false>"))
                #expect(try await studio.broadcast.run(["stop", "--session", "second"]).status == .exited(0))
                try await monitor.wait(for: "the end") { monitor.standardOutput.contains("{'Captured': <false>}") }
            }
        }

        private nonisolated(nonsending) func captured(in studio: Studio, _ desktop: FakeDesktop) async throws -> String
        {
            try await studio.peers.run(
                "gdbus",
                [
                    "gdbus", "call", "--session", "--dest", Self.name, "--object-path", Self.path, "--method",
                    "org.freedesktop.DBus.Properties.Get", Self.name, "Captured",
                ], environment: desktop.environment)
        }
    }
}
