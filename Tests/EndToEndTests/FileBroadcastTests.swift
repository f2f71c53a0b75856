import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// Recordings: how many frames they have, and how sound lies to picture.
    struct FileTimingTests {
        @Test func `Six seconds of a moving screen become an MP4 with picture and sound together`() async throws {
            try await withStudio(["clock", "--beep"], width: 1920, height: 1080) { studio in
                try await studio.record(["--duration", "6s", "--to", studio.path("out.mp4")])
                let media = studio.media("out.mp4")
                try await expectUsualFormats(media)
                try await media.expectDecodable()
                try media.expectOrdinaryMP4()
                try await media.playInGStreamer()
                try await expectClockAndBeepsTogether(media)
            }
        }

        private nonisolated(nonsending) func expectUsualFormats(_ media: MediaFile) async throws {
            let probe = try await FFProbe.probe(media.path, in: media.peers)
            #expect(abs(probe.format.seconds - 6) <= 0.2)
            let video = try #require(probe.video)
            #expect(video.codec == "h264" && video.profile == "High" && video.pixelFormat == "yuv420p")
            #expect(video.width == 1920 && video.height == 1080)
            #expect(video.colourRange == "tv" && video.colourSpace == "bt709")
            #expect(abs(video.seconds - 6) <= 0.2)
            #expect((171...182).contains(video.frames), "\(video.frames) frames")
            let audio = try #require(probe.audio)
            #expect(audio.codec == "aac" && audio.profile == "LC" && audio.sampleRate == "48000" && audio.channels == 2)
            #expect(abs(audio.seconds - 6) <= 0.2)
        }

        private nonisolated(nonsending) func expectClockAndBeepsTogether(_ media: MediaFile) async throws {
            let clock = try await media.clock()
            #expect(clock.readings.count > 168)
            #expect(clock.unreadable == 0)
            #expect(clock.smoothFault == nil)
            let audio = try await AudioDecoder.decode(media.path, in: media.peers)
            let beeps = BeepFinder.beeps(in: audio)
            let delays = clock.soundDelays(beeps)
            print("sound against picture, ms:", delays.map { Int(($0 * 1000).rounded()) })
            #expect(delays.count >= 4, "\(beeps)")
            #expect(delays.areInTime(within: 0.04), "\(delays)")
        }

        @Test func `A byte stream with B pictures lasts as long as the broadcast`() async throws {
            // They leave out ticks when the encoder is not scheduled for a quarter of a second.
            try await FileBroadcastTests.expectFullByteStream(latency: "normal")
        }
    }

    /// Where recordings go, their formats, and how long they are.
    struct FileBroadcastTests {
        @Test func `One run writes every format by the file's ending`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let names = ["a.mp4", "a.mkv", "a.flv", "a.ts", "a.h264", "a.y4m"]
                let peer = try await studio.startLive(names.flatMap { ["--to", studio.path($0)] })
                try await studio.waitUntilElapsed(2, of: peer)
                let video = try #require(try await studio.broadcast.stop(peer).video)
                let made = video.encoded + video.repeated
                // How many frames a second has is judged by FileTimingTests.
                #expect(made > 30, "\(video)")
                for (name, format) in zip(names, ["mov", "matroska", "flv", "mpegts", "h264", "yuv4mpegpipe"]) {
                    let media = studio.media(name)
                    try await media.expectDecodable()
                    let probe = try await FFProbe.probe(media.path, in: studio.peers)
                    #expect(probe.format.name.contains(format))
                    #expect(probe.video?.width == 640 && probe.video?.height == 360, "\(name)")
                    // Every frame that the session made is in the file.
                    #expect(probe.video?.frames == made, "\(name): \(probe.video?.frames ?? 0) frames, \(video)")
                    #expect(
                        (probe.audio?.codec == "aac") == ["a.mp4", "a.mkv", "a.flv", "a.ts"].contains(name), "\(name)")
                    let clock = try await media.clock()
                    #expect(clock.unreadable == 0, "\(name)")
                }
            }
        }

        @Test func `A file of the same name is kept`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                try await studio.record(["--duration", "1s", "--to", studio.path("a.mp4")])
                let first = try Data(contentsOf: URL(fileURLWithPath: studio.path("a.mp4")))
                try await studio.record(["--duration", "1s", "--to", studio.path("a.mp4")])
                #expect(try Data(contentsOf: URL(fileURLWithPath: studio.path("a.1.mp4"))) == first)
                try await studio.media("a.mp4").expectDecodable()
            }
        }

        @Test func `A byte stream of a still screen lasts as long as the broadcast`() async throws {
            try await Self.expectFullByteStream(latency: "low")
        }

        fileprivate nonisolated(nonsending) static func expectFullByteStream(latency: String) async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                try await studio.record(
                    [
                        "--duration", "3s", "--frame-pacing", "variable", "--latency", latency, "--to",
                        studio.path("a.h264"), "--to",
                        studio.path("a.mp4"),
                    ])
                let seconds = try await FFProbe.probe(studio.path("a.mp4"), in: studio.peers).format.seconds
                let frames = try #require(
                    try await FFProbe.probe(studio.path("a.h264"), in: studio.peers).video?.frames)
                #expect(abs(Double(frames) - seconds * 30) <= 1.5, "\(frames) frames in \(seconds) s")
            }
        }

        @Test func `A folder gets a file with a name of its own`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                try await studio.record(["--duration", "1s", "--to", studio.folder + "/"])
                let files = try FileManager.default.contentsOfDirectory(atPath: studio.folder)
                let name = try #require(files.first)
                #expect(files.count == 1 && name.hasPrefix("broadcast-") && name.hasSuffix(".mp4"))
                try await studio.media(name).expectDecodable()
            }
        }
    }
}
