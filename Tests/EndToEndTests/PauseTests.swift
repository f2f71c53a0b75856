import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// A paused broadcast: viewers get the slate and silence and nothing else, recordings leave the pause out.
    struct PauseTests {
        @Test func `During a pause viewers get no frame of the screen and no sound, and the file leaves it out`()
            async throws
        {
            try await withStudio(["clock"], width: 640, height: 360) { studio in
                try await PaintedScreen.start(["tone"], pulse: studio.pulse, in: studio.peers)
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix .flv;")
                try FileManager.default.createDirectory(atPath: studio.path("hls"), withIntermediateDirectories: false)
                let peer = try await studio.startLive(
                    [
                        "--keyframe-interval", "1", "--to", studio.path("out.mp4"), "--to", server.url(key: "key"),
                        "--to", "hls:\(studio.path("hls"))",
                    ])
                try await studio.waitUntilElapsed(3, of: peer)
                #expect(try await studio.broadcast.run(["pause"]).status == .exited(0))
                #expect(try await studio.status()?.state == "paused")
                #expect(try await studio.broadcast.run(["pause"]).status == .exited(1))
                try await studio.broadcast.waitForMoreSeconds(2.5, of: peer)
                #expect(try await studio.broadcast.run(["resume"]).status == .exited(0))
                #expect(try await studio.broadcast.run(["resume"]).status == .exited(1))
                try await studio.broadcast.waitForMoreSeconds(3, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                try await expectSlateAndSilence(studio.media("key.flv"))
                try await expectSlateAndSilence(studio.media("hls/live.m3u8"))
                try await expectCut(studio.media("out.mp4"))
            }
        }

        /// Expects the clock with its tone, the slate without a sound, and the clock with its tone again.
        private nonisolated(nonsending) func expectSlateAndSilence(_ media: MediaFile) async throws {
            let track = try await PictureTrack.read(FrameDecoder(media.path, size: (640, 360)), in: media.peers)
            #expect(track.order == "csc" && track.count(.other) == 0, "\(media.path): \(track)")
            let slate = try #require(track.span(of: .slate))
            let length = slate.upperBound - slate.lowerBound
            #expect(length > 2, "\(media.path): \(slate)")
            let sound = try await AudioDecoder.decode(media.path, in: media.peers)
            let start = sound.time(ofSample: 0)
            // An AAC frame is 21 ms long, overlaps the next one, and rings before a sudden start.
            let heard = sound.level(from: slate.lowerBound + 0.06 - start, duration: length - 0.12)
            #expect(heard < 0.001, "\(media.path): a level of \(heard) during the slate of \(slate)")
            // The tone, as a control: a sine with a peak of 0.251, 3 dB louder when ffmpeg adds up two equal channels.
            for stretch in [start...slate.lowerBound, slate.upperBound + 0.2...Double.infinity] {
                let level = try #require(
                    sound.toneLevel(from: stretch.lowerBound - start, to: stretch.upperBound - start),
                    "\(media.path): no tone in \(stretch)")
                #expect(abs(level - 0.251) < 0.02, "\(media.path) in \(stretch)")
            }
        }

        /// Expects that every frame shows the clock, that the clock runs but for one cut, and that neither track has a
        /// hole or a pause in it.
        private nonisolated(nonsending) func expectCut(_ media: MediaFile) async throws {
            try await media.expectDecodable()
            try media.expectOrdinaryMP4()
            let clock = try await ClockTrack.read(FrameDecoder(media.path, size: (640, 360)), in: media.peers)
            #expect(clock.unreadable == 0)
            // The pause is longer than 2.5 s. A painter that is stopped for a moment makes no such cut.
            let parts = clock.parts(betweenCutsOver: 1.5)
            #expect(
                parts.count == 2 && parts.allSatisfy { $0.isRunning }, "\(parts.map { ($0.readings.count, $0.fault) })")
            #expect(zip(clock.readings, clock.readings.dropFirst()).allSatisfy { $1.pts - $0.pts < 0.3 })
            let sound = try await AudioDecoder.decode(media.path, in: media.peers)
            // The cut falls into an AAC frame: less than one of 1024 samples is missing or doubled.
            #expect(sound.largestGap < 1024.0 / 48_000)
            let seconds = Double(sound.samples.count) / Double(sound.rate)
            #expect(
                abs(seconds - (try #require(clock.readings.last).pts - (try #require(clock.readings.first)).pts)) < 0.3)
            // The tone continues across the cut: no tenth of a second there is silent. Elsewhere a busy machine may
            // silence the player for a moment.
            let cut = try #require(parts.first?.readings.last).pts - sound.time(ofSample: 0)
            let silent = stride(from: 0.3, to: seconds - 0.3, by: 0.1).filter {
                sound.level(from: $0, duration: 0.1) < 0.1
            }
            #expect(
                silent.count <= 2 && !silent.contains { abs($0 + 0.05 - cut) < 0.25 },
                "silent at \(silent) s, the cut is at \(cut) s")
        }
    }
}
