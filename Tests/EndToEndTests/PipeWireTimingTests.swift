import TestSupport
import Testing

extension EndToEndTests {
    /// Sound from PipeWire, through its server for clients of PulseAudio, as most desktops have it now.
    struct PipeWireTimingTests {
        @Test func `What an application plays is heard with its picture`() async throws {
            try await withPeers { peers in
                let sound = try await PulseServer.startPipeWire(in: peers)
                let studio = try await Studio.open(
                    ["clock", "--beep"], width: 640, height: 360, sound: sound, in: peers)
                let sources = try await studio.broadcast.run(["list-sources", "--json"])
                #expect(sources.output.contains("app.monitor"), "\(sources.output)\(sources.errors)")
                try await studio.record(["--duration", "6s", "--to", studio.path("out.mp4")])
                let media = studio.media("out.mp4")
                try await media.expectDecodable()
                // PipeWire plays a block later if it gets no processor in time, here without real-time priority.
                print("played late, ms:", studio.latePlayback.mapValues { Int(($0 * 1000).rounded()) })
                #expect(!studio.latePlayback.isEmpty)
                try await media.expectClockAndBeeps(seconds: 5, latePlayback: studio.latePlayback)
            }
        }
    }
}
