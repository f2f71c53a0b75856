import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// What a recording shows: colours and sizes.
    struct PictureTests {
        @Test(arguments: [["--bitrate", "30000"], ["--quality", "4"]])
        func `Colours come out as they were painted`(options: [String]) async throws {
            try await withStudio(["chart"], width: 1920, height: 1080) { studio in
                try await studio.record(
                    options + ["--no-cursor", "--duration", "2s", "--to", studio.path("chart.mp4")])
                var measurements: [ColourChartReader.Measurement] = []
                try await FrameDecoder(studio.path("chart.mp4"), layout: .rgb24).forEachFrame(in: studio.peers) {
                    frame in
                    measurements = ColourChartReader.measure(frame)
                    return true
                }
                #expect(measurements.count == ColourChart.patches.count)
                #expect(measurements.filter { $0.error > 3 }.isEmpty)
            }
        }

        @Test func `Without loss and in full chroma every pixel has its own colour`() async throws {
            // Neither the chart's edges nor the letters lie on even pixels.
            for scene in ["chart", "typing"] {
                try await withStudio([scene], width: 1006, height: 602) { studio in
                    // What it typed stays, and ffmpeg's own grabber says what is there.
                    if scene == "typing" { try await Task.sleep(for: .seconds(1)) }
                    studio.painter.signal(SIGSTOP)
                    defer { studio.painter.signal(SIGCONT) }
                    let path = studio.path("sharp.mp4")
                    try await studio.record(
                        [
                            "--chroma", "444", "--quality", "0", "--no-cursor", "--duration", "2s", "--to", path,
                            "--to", studio.path("sharp.y4m"),
                        ])
                    let probe = try await FFProbe.probe(path, in: studio.peers)
                    let video = try #require(probe.video)
                    #expect(video.pixelFormat == "yuv444p" && video.profile == "High 4:4:4 Predictive")
                    #expect(video.colourRange == "tv" && video.colourSpace == "bt709")
                    try await studio.media("sharp.mp4").expectDecodable()
                    try studio.media("sharp.mp4").expectOrdinaryMP4()
                    let painted = try await painting(of: studio)
                    let frames = try await FrameDecoder(path, layout: .rgb24).frames(in: studio.peers)
                    #expect(frames.count > 3)
                    for frame in frames {
                        let worst = zip(frame.bytes, painted.bytes).lazy.map { abs(Int($0) - Int($1)) }.max()
                        #expect(worst ?? 255 <= 2, "\(scene) at \(frame.pts) s")
                    }
                    #expect(frames.first?.bytes.count == painted.bytes.count)
                    let raw = try await FFProbe.probe(studio.path("sharp.y4m"), in: studio.peers)
                    #expect(raw.video?.pixelFormat == "yuv444p" && raw.video?.frames ?? 0 > 30)
                }
            }
        }

        /// The screen, as somebody else sees it.
        private nonisolated(nonsending) func painting(of studio: Studio) async throws -> DecodedFrame {
            var frame: DecodedFrame?
            try await FrameDecoder(
                studio.screen.display, layout: .rgb24,
                inputOptions: ["-f", "x11grab", "-draw_mouse", "0", "-framerate", "10"]
            ).forEachFrame(in: studio.peers) {
                frame = $0
                return false
            }
            return try #require(frame)
        }

        @Test func `A smaller size shows the whole screen`() async throws {
            try await withStudio(width: 1920, height: 1080) { studio in
                try await studio.record(["--size", "1280x720", "--duration", "2s", "--to", studio.path("small.mp4")])
                let probe = try await FFProbe.probe(studio.path("small.mp4"), in: studio.peers)
                #expect(probe.video?.width == 1280 && probe.video?.height == 720)
                let clock = try await studio.media("small.mp4").clock()
                #expect(clock.readings.count > 10 && clock.unreadable == 0)
            }
        }

        @Test func `Another aspect gets black bars and keeps the picture's`() async throws {
            try await withStudio(width: 1280, height: 720) { studio in
                try await studio.record([
                    "--size", "800x600", "--quality", "10", "--duration", "2s", "--to", studio.path("boxed.mp4"),
                ])
                // 800 by 450 in the middle of 800 by 600.
                let screen = PatternRectangle(x: 0, y: 0.125, width: 1, height: 0.75)
                var clock = ClockTrack()
                var last: DecodedFrame?
                try await FrameDecoder(studio.path("boxed.mp4")).forEachFrame(in: studio.peers) { frame in
                    clock.add(frame, with: ClockReader(screen: screen))
                    last = frame
                    return true
                }
                #expect(clock.readings.count > 10 && clock.unreadable == 0)
                let frame = try #require(last)
                #expect(frame.width == 800 && frame.height == 600)
                for bar in [0.0, 0.88] {
                    let level = frame.mean(of: PatternRectangle(x: 0, y: bar, width: 1, height: 0.12))
                    #expect(level[0] < 2, "the bar at \(bar) has level \(level)")
                }
                // The scene's grey ground reaches up to the bars.
                #expect(frame.mean(of: PatternRectangle(x: 0, y: 0.14, width: 1, height: 0.01))[0] > 60)
            }
        }
    }

    /// How often a still screen gives a frame.
    struct PacingTimingTests {
        /// Two sessions at the same time: a still screen gives them next to nothing to do.
        @Test func `A still screen gives five frames a second with variable pacing, and thirty with constant pacing`()
            async throws
        {
            try await withStudio(["still"]) { studio in
                let variable = try await studio.startLive(["--to", studio.path("variable.mp4")], session: "variable")
                let constant = try await studio.startLive(
                    ["--frame-pacing", "constant", "--to", studio.path("constant.mp4")], session: "constant")
                try await studio.waitUntilElapsed(4, of: variable, session: "variable")
                try await studio.waitUntilElapsed(4, of: constant, session: "constant")
                let video = try #require(try await studio.broadcast.stop(constant, session: "constant").video)
                _ = try await studio.broadcast.stop(variable, session: "variable")
                try expectFiveFramesASecond(try await videoTimes("variable.mp4", studio))
                expectThirtyFramesASecond(try await videoTimes("constant.mp4", studio), video)
                try await studio.media("constant.mp4").expectDecodable()
            }
        }

        private func expectFiveFramesASecond(_ times: [Double]) throws {
            let settled = times.filter { $0 >= 2 && $0 < 4 }
            #expect((8...12).contains(settled.count), "\(times)")
            // A frame each 200 ms. A busy machine delays one of them, not the middle one.
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(steps.count { $0 >= 0.26 } <= 1, "\(times)")
            #expect(try #require(steps.sorted().dropFirst(steps.count / 2).first) < 0.21, "\(times)")
        }

        private func expectThirtyFramesASecond(_ times: [Double], _ video: SessionStatus.Video) {
            #expect(times.count { $0 >= 1 && $0 < 3 } >= 59)
            #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 1.0 / 30) < 0.04 }, "\(times)")
            // Once the picture has settled, a frame costs no encoding.
            print("a still screen: \(video.encoded) frames encoded, \(video.repeated) repeated")
            #expect(video.repeated > 2 * video.encoded, "\(video)")
            #expect(video.encoded + video.repeated == times.count)
        }

        private nonisolated(nonsending) func videoTimes(_ name: String, _ studio: Studio) async throws -> [Double] {
            try await FFProbe.packets(of: studio.path(name), in: studio.peers).filter { $0.kind == "video" }
                .compactMap { $0.pts.flatMap { Double($0) } }
        }
    }
}
