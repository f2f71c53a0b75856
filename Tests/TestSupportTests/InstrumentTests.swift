import TestSupport
import Testing

/// The instruments for time, with a file that ffmpeg makes of a clock and beeps whose times are known.
///
/// The file is not a recording: the time stamps of a recorder, ffmpeg's too, jump on a busy machine, and the test would
/// measure the recorder.
struct TimeInstrumentTests {
    @Test(arguments: [0, 0.04, -0.06])
    func `The clock and the beeps of a file with a known delay of the sound read back`(delay: Double) async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("content")
            try ClockContent.write(pictures: folder + "/clock.y4m", sound: folder + "/clock.wav", seconds: 5)
            // Both start a second late, so that no delay moves the sound before the time 0 of the file.
            let muxer = try peers.start(
                "muxer",
                ["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-itsoffset", "1", "-i", folder + "/clock.y4m"]
                    + ["-itsoffset", "\(1 + delay)", "-i", folder + "/clock.wav"]
                    + ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "pcm_s16le", folder + "/clock.nut"])
            #expect(try await muxer.waitForExit() == .exited(0))

            let track = try await ClockTrack.read(FrameDecoder(folder + "/clock.nut"), in: peers)
            #expect(track.readings.count == 5 * ClockContent.frameRate)
            #expect(track.unreadable == 0)
            #expect(track.smoothFault == nil)

            let audio = try await AudioDecoder.decode(folder + "/clock.nut", in: peers)
            let delays = track.soundDelays(BeepFinder.beeps(in: audio))
            #expect(delays.count == 5)
            #expect(delays.allSatisfy { abs($0 - delay) < 0.002 }, "\(delays) s")
        }
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
