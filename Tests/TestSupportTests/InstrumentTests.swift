import Foundation
import TestPatterns
import TestSupport
import Testing

/// The instruments for time, with ffmpeg in the place of `broadcast`.
struct InstrumentTimingTests {
    @Test func `The clock and the beep that ffmpeg records read back together`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers)
            let pulse = try await PulseServer.start(in: peers)
            try await PaintedScreen.start(["clock", "--beep"], on: screen.display, pulse: pulse, in: peers)
            let file = try peers.makeFolder("recording") + "/clock.nut"
            let recorder = try peers.start(
                "recorder",
                [
                    "ffmpeg", "-nostdin", "-v", "error", "-copyts", "-thread_queue_size", "512", "-f", "pulse",
                    "-fragment_size", "1920",
                ]
                    + [
                        "-i", "app.monitor", "-thread_queue_size", "64", "-f", "x11grab", "-framerate", "30", "-i",
                        screen.display,
                    ]
                    + [
                        "-c:a", "pcm_s16le", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "500k", "-maxrate",
                        "500k", "-bufsize", "500k",
                    ]
                    + ["-vf", "scale=960:540", "-fps_mode", "passthrough", "-y", file],
                environment: pulse.environment.merging(screen.environment) { $1 })
            try await recorder.wait(for: "its first packets") { size(of: file) > 10_000 }
            let start = MonotonicTime.now()
            try await recorder.wait(for: "five beeps") { MonotonicTime.now() - start > 5_500_000_000 }
            try await recorder.terminate()

            let track = try await ClockTrack.read(FrameDecoder(file), in: peers)
            #expect(track.readings.count > 60)
            #expect(track.unreadable == 0)
            #expect(track.smoothFault == nil)

            let audio = try await AudioDecoder.decode(file, in: peers)
            // The first second is left out: ffmpeg begins with the sound that the server had in store, and smooths its
            // time stamps from there.
            let delays = track.soundDelays(BeepFinder.beeps(in: audio)).dropFirst()
            #expect(delays.count >= 3)
            #expect(delays.areInTime(within: 0.03), "sound against picture: \(delays) s")
        }
    }

    private func size(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }
}

/// The instruments for pictures, with ffmpeg in the place of `broadcast`.
struct InstrumentTests {
    @Test(arguments: [24, 16])
    func `The colour chart reads back exactly from a lossless grab`(depth: Int) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 1280, height: 720, depth: depth)
            try await PaintedScreen.start(["chart"], on: screen.display, in: peers)
            let decoder = FrameDecoder(
                screen.display, layout: .rgb24, inputOptions: ["-f", "x11grab", "-draw_mouse", "0", "-framerate", "10"])
            var worst: ColourChartReader.Measurement?
            try await decoder.forEachFrame(in: peers) { frame in
                worst = ColourChartReader.measure(frame).first
                return false
            }
            let measurement = try #require(worst)
            // 16 bits hold five or six a component.
            #expect(measurement.error <= (depth == 24 ? 0 : 8), "\(measurement)")
        }
    }

    @Test(arguments: ["typing", "everything", "still", "demo"])
    func `A scene is painted at any size and ends on SIGTERM`(scene: String) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 720, height: 1280)
            let pulse = try await PulseServer.start(in: peers)
            let painter = try await PaintedScreen.start([scene], on: screen.display, pulse: pulse, in: peers)
            let status = try await painter.terminate()
            #expect(status == .exited(0))
        }
    }
}
