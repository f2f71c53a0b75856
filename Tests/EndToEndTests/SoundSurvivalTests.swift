import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// A sound server that dies and comes back.
    struct SoundTimingTests {
        @Test func `Sound comes back after PulseAudio was restarted, and the track has no hole`() async throws {
            try await withStudio(["clock", "--beep"]) { studio in
                let pulse = try #require(studio.pulse)
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                try await studio.waitUntilElapsed(2.5, of: peer)
                try await pulse.kill()
                _ = try await peer.waitForErrorLine(containing: "Warning: No sound")
                let problem = try await studio.status()?.audio.app?.problem
                #expect(problem?.hasPrefix("No sound: PulseAudio cannot be reached") == true, "\(problem ?? "none")")
                try await studio.waitUntilElapsed(4.5, of: peer)
                try await pulse.restart()
                try await peer.wait(for: "sound") { try await studio.status()?.audio.app?.source != nil }
                #expect(try await studio.status()?.audio.app?.problem == nil)
                _ = try await peer.waitForErrorLine(containing: "The sound of the applications is back.")
                try await peer.wait(for: "the player") {
                    try await !pulse.control(["list", "short", "sink-inputs"]).isEmpty
                }
                let comeback = try #require(try await studio.status()).elapsed
                try await studio.waitUntilElapsed(comeback + 5, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))

                let media = studio.media("out.mp4")
                try await media.expectDecodable()
                let audio = try await AudioDecoder.decode(media.path, in: studio.peers)
                #expect(audio.largestGap < 0.002)
                let probe = try await FFProbe.probe(media.path, in: studio.peers)
                #expect(abs((probe.audio?.seconds ?? 0) - (probe.video?.seconds ?? 0)) < 0.1)
                let beeps = BeepFinder.beeps(in: audio)
                #expect(beeps.contains { $0.onset < 2.5 })
                #expect(beeps.count { $0.onset > comeback + 0.5 } >= 3)
                // A beep that sounds while the server is killed is cut off.
                let delays = try await media.clock().soundDelays(
                    beeps.filter { $0.onset < 2.4 || $0.onset > comeback + 1 })
                print("sound against picture around a restart, ms:", delays.map { Int(($0 * 1000).rounded()) })
                #expect(delays.areInTime(within: 0.04), "\(delays)")
            }
        }
    }

    /// Broadcasts without a sound server, or without sound.
    struct SoundSurvivalTests {
        @Test func `Without PulseAudio there is one warning and silence`() async throws {
            try await withStudio(hasSound: false) { studio in
                let result = try await studio.record(["--duration", "4s", "--to", studio.path("out.mp4")])
                let warnings = result.errors.components(separatedBy: "\n").filter { $0.hasPrefix("Warning:") }
                #expect(warnings.count == 1, "\(result.errors)")
                #expect(warnings.first?.contains("PulseAudio") == true)
                let audio = try await AudioDecoder.decode(studio.path("out.mp4"), in: studio.peers)
                #expect(abs(Double(audio.samples.count) / 48_000 - 4) < 0.2)
                #expect(audio.level(from: 0, duration: 4) == 0)
                #expect(audio.largestGap < 0.002)
            }
        }

        @Test func `Without sound no sound track is made`() async throws {
            try await withStudio(hasSound: false) { studio in
                let result = try await studio.record([
                    "--no-app-audio", "--duration", "1s", "--to", studio.path("out.mp4"),
                ])
                #expect(!result.errors.contains("Warning"))
                let probe = try await FFProbe.probe(studio.path("out.mp4"), in: studio.peers)
                #expect(probe.streams.map(\.kind) == ["video"])
            }
        }
    }
}
