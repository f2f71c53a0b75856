import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Notifications are held back while the screen is broadcast, with dunst, a real notification service.
    struct DoNotDisturbTests {
        /// Notifications are loud, and stay.
        private static let loud =
            "[global]\nfollow = none\n[urgency_normal]\nbackground = \"#ff00ff\"\nforeground = \"#ff00ff\"\ntimeout = 0\n"

        @Test func `A notification that comes while live is in no frame, and comes after it`() async throws {
            try await withNotifications { studio, desktop in
                let live = try await studio.startLive(["--quality", "10", "--to", studio.path("out.mp4")])
                try await notify(in: studio, desktop)
                try await live.wait(for: "dunst to hold it back") {
                    try await dunstctl(["count", "waiting"], in: studio, desktop) == "1"
                }
                let now = try await studio.status()?.elapsed ?? 0
                try await studio.waitUntilElapsed(now + 1, of: live)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await live.waitForExit() == .exited(0))
                #expect(
                    live.standardError.hasPrefix(
                        "Your whole screen will be visible. Notifications wait until the broadcast ends.\n"),
                    "\(live.standardError)")
                #expect(!live.standardError.contains("Warning: Notif"), "\(live.standardError)")
                try await waitUntil("notifications") { try await !isPaused(in: studio, desktop) }
                try await waitUntil("dunst to show it") {
                    try await dunstctl(["count", "displayed"], in: studio, desktop) == "1"
                }
                try await waitUntil("its pixels") { try await loudestPixel(in: studio) > 200 }
                #expect(try await loudestFrame(studio.path("out.mp4"), in: studio) < 30)
            }
        }

        @Test func `The config can let notifications come`() async throws {
            try await withNotifications { studio, desktop in
                try studio.broadcast.writeConfiguration("[privacy]\ndo-not-disturb = false\nnotice = false\n")
                let live = try await studio.startLive(["--quality", "10", "--to", studio.path("out.mp4")])
                try await notify(in: studio, desktop)
                try await live.wait(for: "the notification") { try await loudestPixel(in: studio) > 200 }
                let now = try await studio.status()?.elapsed ?? 0
                try await studio.waitUntilElapsed(now + 1, of: live)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(!live.standardError.contains("will be visible"))
                #expect(try await loudestFrame(studio.path("out.mp4"), in: studio) > 200)
            }
        }

        @Test(arguments: [true, false]) func `After a crash the next start and its end let them come again`(holds: Bool)
            async throws
        {
            try await withNotifications { studio, desktop in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                #expect(try await isPaused(in: studio, desktop))
                first.signal(SIGKILL)
                _ = try await first.waitForExit()
                #expect(try await isPaused(in: studio, desktop))
                if !holds { try studio.broadcast.writeConfiguration("[privacy]\ndo-not-disturb = false\n") }
                _ = try await studio.startLive(["--to", studio.path("two.mp4")])
                #expect(try await isPaused(in: studio, desktop) == holds)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await waitUntil("notifications") { try await !isPaused(in: studio, desktop) }
            }
        }

        @Test func `After a crash any command lets them come again, and says so`() async throws {
            try await withNotifications { studio, desktop in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                #expect(try await isPaused(in: studio, desktop))
                // While it is live, other commands leave them off.
                #expect(try await !studio.broadcast.run(["status"]).errors.contains("on again"))
                #expect(try await isPaused(in: studio, desktop))
                first.signal(SIGKILL)
                _ = try await first.waitForExit()
                let status = try await studio.broadcast.run(["status"])
                #expect(status.errors.contains("are on again"), "\(status.errors)")
                #expect(try await !isPaused(in: studio, desktop))
                #expect(try await studio.broadcast.run(["status"]).errors == "")
            }
        }

        /// gsettings that is missing, or slower than its limit.
        @Test(arguments: [nil, "#!/bin/sh\nexec sleep 60\n"] as [String?])
        func `Without an answer of gsettings, no command says that notifications are on, and a later one turns them on`(
            script: String?
        ) async throws {
            try await withPeers { peers in
                let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
                var broadcast = try BroadcastCommand(in: peers)
                broadcast.environment.merge(desktop.environment) { $1 }
                let programs = try peers.makeFolder("programs")
                let record = broadcast.home + "/state/broadcast/do-not-disturb"
                try FileManager.default.createDirectory(
                    atPath: broadcast.home + "/state/broadcast", withIntermediateDirectories: true)
                try "gnome".write(toFile: record, atomically: false, encoding: .utf8)
                func install(_ script: String) throws {
                    try script.write(toFile: programs + "/gsettings", atomically: false, encoding: .utf8)
                    chmod(programs + "/gsettings", 0o755)
                }
                if let script { try install(script) }
                var without = broadcast
                without.environment["PATH"] = programs + (script == nil ? "" : ":/usr/bin:/bin")
                let silent = try await without.run(["status"])
                #expect(!silent.errors.contains("on again"), "\(silent.errors)")
                #expect(try String(contentsOfFile: record, encoding: .utf8) == "gnome")
                try install(
                    "#!/bin/sh\ncd \(programs)\ncase $1 in get) cat banners 2>/dev/null || echo false;; set) echo $4 >banners;; esac\n"
                )
                broadcast.environment["PATH"] = programs + ":/usr/bin:/bin"
                let restored = try await broadcast.run(["status"])
                #expect(restored.errors.contains("are on again"), "\(restored.errors)")
                #expect(try String(contentsOfFile: programs + "/banners", encoding: .utf8) == "true\n")
                #expect(try String(contentsOfFile: record, encoding: .utf8) == "")
            }
        }

        @Test func `What the user has silenced stays silent`() async throws {
            try await withNotifications { studio, desktop in
                _ = try await dunstctl(["set-paused", "true"], in: studio, desktop)
                try await studio.record(["--duration", "1s", "--to", studio.path("out.mp4")])
                #expect(try await isPaused(in: studio, desktop))
            }
        }

        @Test func `Notifications come when the last of two sessions has ended`() async throws {
            try await withNotifications { studio, desktop in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                let second = try await studio.startLive(["--to", studio.path("two.mp4")], session: "second")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await first.waitForExit() == .exited(0))
                #expect(try await isPaused(in: studio, desktop))
                #expect(try await studio.broadcast.run(["stop", "--session", "second"]).status == .exited(0))
                #expect(try await second.waitForExit() == .exited(0))
                try await waitUntil("notifications") { try await !isPaused(in: studio, desktop) }
            }
        }

        @Test func `A notification service that starts again while live is asked again`() async throws {
            try await withNotifications { studio, desktop in
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                #expect(try await isPaused(in: studio, desktop))
                try await desktop.daemon.killNow()
                let second = try await desktop.restarted()
                try await live.wait(for: "the second service to hold them back") {
                    try await isPaused(in: studio, second)
                }
                // A third one, and not only the one after the first.
                try await second.daemon.killNow()
                let third = try await second.restarted()
                try await live.wait(for: "the third service to hold them back") {
                    try await isPaused(in: studio, third)
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await live.waitForExit() == .exited(0))
                #expect(!live.standardError.contains("Warning: Notif"), "\(live.standardError)")
                try await waitUntil("notifications") { try await !isPaused(in: studio, third) }
            }
        }

        @Test
        func `After a crash of the session, the next start turns the notifications of a restarted service on again`()
            async throws
        {
            try await withNotifications { studio, desktop in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                try await desktop.daemon.killNow()
                let second = try await desktop.restarted()
                try await first.wait(for: "the second service to hold them back") {
                    try await isPaused(in: studio, second)
                }
                try await first.killNow()
                try studio.broadcast.writeConfiguration("[privacy]\ndo-not-disturb = false\n")
                _ = try await studio.startLive(["--to", studio.path("two.mp4")])
                try await waitUntil("notifications") { try await !isPaused(in: studio, second) }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test
        func `A notification service that restarts during two sessions shows notifications after the last session`()
            async throws
        {
            try await withNotifications { studio, desktop in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                let second = try await studio.startLive(["--to", studio.path("two.mp4")], session: "second")
                try await desktop.daemon.killNow()
                let service = try await desktop.restarted()
                try await first.wait(for: "the service to hold them back") { try await isPaused(in: studio, service) }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await first.waitForExit() == .exited(0))
                #expect(try await isPaused(in: studio, service))
                #expect(try await studio.broadcast.run(["stop", "--session", "second"]).status == .exited(0))
                #expect(try await second.waitForExit() == .exited(0))
                try await waitUntil("notifications") { try await !isPaused(in: studio, service) }
            }
        }

        @Test func `A notification service that comes only while live is asked then`() async throws {
            try await withNotifications { studio, desktop in
                try await desktop.daemon.killNow()
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                let late = try await desktop.restarted()
                try await live.wait(for: "the service to hold them back") { try await isPaused(in: studio, late) }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await live.waitForExit() == .exited(0))
                #expect(!live.standardError.contains("Warning: Notif"), "\(live.standardError)")
                try await waitUntil("notifications") { try await !isPaused(in: studio, late) }
            }
        }

        @Test func `A notification service that hangs costs a warning and not the broadcast`() async throws {
            try await withNotifications { studio, desktop in
                desktop.daemon.signal(SIGSTOP)
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                #expect(
                    live.standardError.components(separatedBy: "Notifications may be visible").count == 2,
                    "\(live.standardError)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                desktop.daemon.signal(SIGCONT)
            }
        }

        @Test func `A notification service with Inhibit is inhibited until the broadcast ends`() async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let desktop = try await FakeDesktop.start(in: studio.peers)
                var studio = studio
                studio.broadcast.environment.merge(desktop.environment) { $1 }
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                #expect(desktop.service.standardOutput.contains("inhibit broadcast\n"))
                #expect(!desktop.service.standardOutput.contains("uninhibit"))
                try await live.wait(for: "the screen saver to be kept away") {
                    desktop.service.standardOutput.contains("keep awake for broadcast\n")
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await live.waitForExit() == .exited(0))
                try await desktop.service.wait(for: "its end") {
                    desktop.service.standardOutput.contains("uninhibit 7\n")
                }
            }
        }

        /// A studio without sound, whose desktop has dunst.
        private nonisolated(nonsending) func withNotifications(
            _ body: (Studio, NotificationDaemon) async throws -> Void
        ) async throws {
            try await withStudio(["still"], width: 640, height: 360, hasSound: false) { studio in
                let desktop = try await NotificationDaemon.start(
                    in: studio.peers, on: studio.screen, configuration: Self.loud)
                var studio = studio
                studio.broadcast.environment.merge(desktop.environment) { $1 }
                try await body(studio, desktop)
            }
        }

        private nonisolated(nonsending) func notify(in studio: Studio, _ desktop: NotificationDaemon) async throws {
            try await studio.peers.run(
                "notify-send", ["notify-send", "A private message"], environment: desktop.environment)
        }

        private nonisolated(nonsending) func dunstctl(
            _ arguments: [String], in studio: Studio, _ desktop: NotificationDaemon
        ) async throws -> String {
            try await studio.peers.run("dunstctl", ["dunstctl"] + arguments, environment: desktop.environment)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private nonisolated(nonsending) func isPaused(in studio: Studio, _ desktop: NotificationDaemon) async throws
            -> Bool
        {
            try await dunstctl(["is-paused"], in: studio, desktop) == "true"
        }

        /// What stands on the screen now.
        private nonisolated(nonsending) func loudestPixel(in studio: Studio) async throws -> Int {
            let file = studio.path("now.png")
            // Not with preview: that holds notifications back too.
            try await studio.peers.run(
                "ffmpeg",
                [
                    "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "x11grab", "-video_size", "640x360", "-i",
                    studio.screen.display, "-frames:v",
                    "1", file,
                ])
            return try await loudestFrame(file, in: studio)
        }

        private nonisolated(nonsending) func loudestFrame(_ file: String, in studio: Studio) async throws -> Int {
            var loudest = 0
            try await FrameDecoder(file, layout: .rgb24).forEachFrame(in: studio.peers) { frame in
                loudest = max(loudest, frame.loudness)
                return true
            }
            return loudest
        }
    }
}
