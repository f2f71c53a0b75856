import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// While the screen is locked viewers see a slate, and hear nothing.
    struct ScreenLockTests {
        @Test func `The screen saver hides picture and sound, and both come back after it`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let setLocked: (Bool) async throws -> Void = { locked in
                    try await studio.peers.run(
                        "xset", ["xset", "s", locked ? "activate" : "reset"], environment: studio.screen.environment)
                }
                try await expectSlate(in: studio, setLocked: setLocked)
            }
        }

        @Test(arguments: [true, false]) func `While live, an idle screen saver starts only with keep-awake = false`(
            comes: Bool
        ) async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                if comes { try studio.broadcast.writeConfiguration("[privacy]\nkeep-awake = false\n") }
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                // One that is activated on purpose comes in either case. Then the timeout is set to a second.
                try await studio.peers.run("xset", ["xset", "s", "activate"], environment: studio.screen.environment)
                try await live.wait(for: "the lock") { try await isLocked(in: studio) }
                try await studio.peers.run("xset", ["xset", "s", "reset"], environment: studio.screen.environment)
                try await live.wait(for: "the end of the lock") { try await !isLocked(in: studio) }
                try await studio.peers.run("xset", ["xset", "s", "1", "1"], environment: studio.screen.environment)
                let begin = try #require(try await studio.status()).elapsed
                if comes {
                    try await live.wait(for: "the idle screen saver") { try await isLocked(in: studio) }
                } else {
                    try await studio.waitUntilElapsed(begin + 3, of: live)
                    #expect(try await !isLocked(in: studio))
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A screen lock that is announced on the session bus hides picture and sound`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let desktop = try await FakeDesktop.start(in: studio.peers)
                var studio = studio
                studio.broadcast.environment.merge(desktop.environment) { $1 }
                try await expectSlate(in: studio) { try await desktop.setLocked($0) }
            }
        }

        @Test func `A screen that was locked before the start is not shown`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await studio.peers.run("xset", ["xset", "s", "activate"], environment: studio.screen.environment)
                try await studio.record(["--duration", "2s", "--to", studio.path("out.mp4")])
                let clock = try await studio.media("out.mp4").clock()
                #expect(clock.readings.isEmpty && clock.unreadable > 5)
            }
        }

        @Test func `A locker that leaves the session bus locks nothing any more`() async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let desktop = try await FakeDesktop.start(in: studio.peers)
                try await desktop.setLocked(true)
                var studio = studio
                studio.broadcast.environment.merge(desktop.environment) { $1 }
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                try await live.wait(for: "the lock") { try await isLocked(in: studio) }
                desktop.service.signal(SIGKILL)
                try await live.wait(for: "the end of the lock") { try await !isLocked(in: studio) }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        /// Records, locks, pauses and resumes in between, unlocks, and looks at every frame.
        private nonisolated(nonsending) func expectSlate(in studio: Studio, setLocked: (Bool) async throws -> Void)
            async throws
        {
            let live = try await studio.startLive(["--frame-pacing", "constant", "--to", studio.path("out.ts")])
            // Two whole seconds of sound, also where the sound starts late: a beep comes before the lock.
            try await studio.waitUntilElapsed(2.5, of: live)
            try await setLocked(true)
            try await live.wait(for: "the lock") { try await isLocked(in: studio) }
            let locked = try await studio.status()?.elapsed ?? 0
            #expect(try await studio.broadcast.run(["pause"]).status == .exited(0))
            #expect(try await studio.broadcast.run(["resume"]).status == .exited(0))
            try await studio.waitUntilElapsed(locked + 2.5, of: live)
            #expect(try await isLocked(in: studio))
            let unlocking = try await studio.status()?.elapsed ?? 0
            try await setLocked(false)
            try await live.wait(for: "the end of the lock") { try await !isLocked(in: studio) }
            let unlocked = try await studio.status()?.elapsed ?? 0
            try await studio.waitUntilElapsed(unlocked + 2.5, of: live)
            #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            #expect(live.standardError.contains("viewers see a slate and hear nothing"))

            let readings = try await studio.media("out.ts").clock().readings
            // What was painted while it was locked is in no frame; what was painted before and after it is.
            let times = readings.map { Double($0.milliseconds) / 1000 }
            let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > unlocking - locked - 0.3 }
            #expect(gaps.count == 1, "\(times)")
            #expect(readings.count > 60)
            let audio = try await AudioDecoder.decode(studio.path("out.ts"), in: studio.peers)
            #expect(audio.largestGap < 0.05)
            let onsets = BeepFinder.beeps(in: audio).map(\.onset)
            #expect(onsets.count >= 2)
            #expect(zip(onsets, onsets.dropFirst()).contains { $1 - $0 > 1.5 }, "\(onsets)")
        }

        private nonisolated(nonsending) func isLocked(in studio: Studio) async throws -> Bool {
            try await studio.broadcast.statusText().contains("\"locked\"")
        }
    }
}
