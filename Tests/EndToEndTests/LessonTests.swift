import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `Examples/classroom`: one window in a page of another site.
    struct LessonTests {
        @Test func `The page of a site shows the window of the lesson`() async throws {
            try await withStudio(["clock", "--window", "320x180+40+30"], width: 640, height: 360, hasSound: false) {
                studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let site = try freePort()
                let server = try studio.peers.start(
                    "site",
                    ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", "-d", studio.folder, "\(site)"])
                try await server.wait(for: "its port") { isListening(site) }
                _ = try await lesson(
                    ["setup", "http://127.0.0.1:\(site)", "--set", "port=\(try freePort())", "--plain-file"], in: studio
                )
                _ = try await lesson(
                    ["start", "class:TestScreen", "--bind", "127.0.0.1", "--no-app-audio"], in: studio)
                let page = try await lesson(["page"], in: studio)
                #expect(page.contains(/src="http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/"/), "\(page)")
                try page.write(toFile: studio.path("lesson.html"), atomically: true, encoding: .utf8)

                let browser = try await Browser.open("http://127.0.0.1:\(site)/lesson.html", in: studio.peers)
                try await browser.enter(frame: "iframe")
                try await browser.wait(for: "a picture", "document.querySelector('video')?.currentTime > 0.5")
                let seen = try await browser.measure(seconds: 2)
                #expect(seen.size == [320, 180] && seen.ages.count > 10 && seen.unreadable == 0, "\(seen)")
                try await browser.close()
                _ = try await lesson(["stop"], in: studio)
            }
        }

        private nonisolated(nonsending) func lesson(_ arguments: [String], in studio: Studio) async throws -> String {
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Examples/classroom/lesson").standardized.path
            let programs = URL(fileURLWithPath: try BuiltPrograms.path(of: "broadcast")).deletingLastPathComponent()
            let environment = studio.broadcast.environment.merging(["PATH": programs.path + ":/usr/bin:/bin"]) { $1 }
            let peer = try studio.peers.start("lesson", [script] + arguments, environment: environment)
            #expect(try await peer.waitForExit() == .exited(0), "\(arguments): \(peer.standardError)")
            return peer.standardOutput
        }
    }
}
