import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// How many pictures an application's own content gives, and how its sound lies to them: `--y4m` and `--wav`.
    struct InAppTimingTests {
        @Test func `Picture and sound come from files, at their own rates, and the end of the picture is the end`()
            async throws
        {
            try await withPeers { peers in
                // No display and no sound server: nothing of them is needed.
                let own = try BroadcastCommand(in: peers)
                let folder = try peers.makeFolder("files")
                try ClockContent.write(pictures: folder + "/own.y4m", sound: folder + "/own.wav", seconds: 4)
                let result = try await own.run([
                    "start", "--y4m", folder + "/own.y4m", "--wav", folder + "/own.wav", "--to", folder + "/again.mp4",
                ])
                #expect(result.status == .exited(0), "\(result.errors)")
                let media = MediaFile(path: folder + "/again.mp4", peers: peers)
                try await media.expectDecodable()
                let probe = try await FFProbe.probe(media.path, in: peers)
                #expect(probe.video?.width == 640 && probe.video?.height == 360 && abs(probe.format.seconds - 4) < 0.4)
                #expect(
                    (92...108).contains(probe.video?.frames ?? 0), "\(probe.video?.frames ?? 0) frames of 25 a second")
                let clock = try await media.clock()
                #expect(clock.unreadable == 0 && clock.isSmooth)
                let delays = clock.soundDelays(
                    BeepFinder.beeps(in: try await AudioDecoder.decode(media.path, in: peers)))
                #expect(delays.count >= 2 && delays.areInTime(within: 0.1), "\(delays)")
            }
        }

        @Test func `Another program's pictures come through standard input, and its sound through a named pipe`()
            async throws
        {
            try await withPeers { peers in
                let own = try BroadcastCommand(in: peers)
                let folder = try peers.makeFolder("pipe")
                let script = """
                    mkfifo sound
                    ffmpeg -nostdin -v error -re -f lavfi -i sine=frequency=1000:duration=3 -f wav -y sound &
                    ffmpeg -nostdin -v error -re -f lavfi -i testsrc=size=320x240:rate=30:duration=3 -pix_fmt yuv420p -f yuv4mpegpipe - \
                        | "$BROADCAST" start --y4m - --wav sound --to out.mp4 --fps 30
                    """
                var environment = own.environment
                environment["BROADCAST"] = own.binary
                let shell = try peers.start("shell", ["sh", "-c", script], environment: environment, folder: folder)
                #expect(try await shell.waitForExit(deadline: .seconds(60)) == .exited(0), "\(shell.standardError)")
                let media = MediaFile(path: folder + "/out.mp4", peers: peers)
                try await media.expectDecodable()
                let probe = try await FFProbe.probe(media.path, in: peers)
                #expect(probe.video?.width == 320 && (80...95).contains(probe.video?.frames ?? 0))
                let sound = try await AudioDecoder.decode(media.path, in: peers)
                #expect(sound.samples.count { abs($0) > 0.01 } > sound.rate * 2, "a tone of 3 s")
            }
        }
    }

    /// An application's own picture and sound after an interruption, and what cannot be one.
    struct InAppTests {
        @Test func `After a stall and a pause, picture and sound are still together`() async throws {
            try await withPeers { peers in
                let own = try BroadcastCommand(in: peers)
                let folder = try peers.makeFolder("files")
                try ClockContent.write(pictures: folder + "/own.y4m", sound: folder + "/own.wav", seconds: 12)
                let peer = try await own.startLive([
                    "--y4m", folder + "/own.y4m", "--wav", folder + "/own.wav", "--to", folder + "/again.mp4",
                ])
                try await own.waitUntilElapsed(2.5, of: peer)
                peer.signal(SIGSTOP)
                try await Task.sleep(for: .seconds(2))
                peer.signal(SIGCONT)
                try await own.waitUntilElapsed(7, of: peer)
                #expect(try await own.run(["pause"]).status == .exited(0))
                try await own.waitUntilElapsed(9, of: peer)
                #expect(try await own.run(["resume"]).status == .exited(0))
                #expect(try await peer.waitForExit(deadline: .seconds(60)) == .exited(0), "\(peer.standardError)")
                let media = MediaFile(path: folder + "/again.mp4", peers: peers)
                try await media.expectDecodable()
                let clock = try await media.clock()
                #expect(clock.unreadable == 0)
                // A beep lasts 90 ms and says its second at its end: the stall or the pause may cut it in two. Sound is
                // up to 200 ms ahead.
                let interruptions = clock.interruptions(over: 0.5)
                // The stall and the pause; a busy machine can add others.
                #expect(interruptions.count >= 2, "\(interruptions)")
                let beeps = BeepFinder.beeps(in: try await AudioDecoder.decode(media.path, in: peers))
                    .filter { beep in !interruptions.contains { ($0 - 0.2...$0 + 0.4).contains(beep.onset) } }
                // The pause is cut out; what the content showed meanwhile is not in the file.
                let delays = clock.parts(betweenCutsOver: 0.5).flatMap { part in
                    part.soundDelays(
                        beeps.filter {
                            ((part.readings.first?.pts ?? 0)...(part.readings.last?.pts ?? 0)).contains($0.onset)
                        })
                }
                #expect(delays.count >= 6 && delays.areInTime(within: 0.1), "\(delays)")
            }
        }

        @Test func `Sound that is not a number is silence, and the broadcast goes on`() async throws {
            try await withPeers { peers in
                let own = try BroadcastCommand(in: peers)
                let folder = try peers.makeFolder("files")
                try await peers.run(
                    "ffmpeg",
                    [
                        "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                        "testsrc=size=320x240:rate=30:duration=3", "-pix_fmt",
                        "yuv420p", folder + "/a.y4m", "-f", "lavfi", "-i",
                        "sine=frequency=1000:sample_rate=44100:duration=3", "-map", "1:a", "-c:a",
                        "pcm_f32le", folder + "/a.wav",
                    ])
                var sound = try Data(contentsOf: URL(fileURLWithPath: folder + "/a.wav"))
                // A block of each in the second second: not a number, and infinite.
                let first = try #require(sound.range(of: Data("data".utf8))).upperBound + 4
                for (frame, value) in [(50_000, 0x7FC0_0000), (60_000, 0x7F80_0000)] as [(Int, UInt32)] {
                    let start = first + 4 * frame
                    for index in 0..<1000 {
                        sound.replaceSubrange(
                            start + 4 * index..<start + 4 * index + 4,
                            with: withUnsafeBytes(of: value.littleEndian) { Data($0) })
                    }
                }
                try sound.write(to: URL(fileURLWithPath: folder + "/a.wav"))
                let result = try await own.run([
                    "start", "--y4m", folder + "/a.y4m", "--wav", folder + "/a.wav", "--to", folder + "/a.mp4",
                ])
                #expect(result.status == .exited(0), "\(result.errors)")
                let media = MediaFile(path: folder + "/a.mp4", peers: peers)
                try await media.expectDecodable()
                let heard = try await AudioDecoder.decode(media.path, in: peers)
                #expect(
                    heard.samples.allSatisfy { $0.isFinite } && heard.samples.count { abs($0) > 0.01 } > heard.rate * 2)
            }
        }

        @Test(arguments: [
            (["--y4m", "/nonexistent/a.y4m"], 66, "Cannot read /nonexistent/a.y4m"),
            (["--y4m", "/etc/passwd"], 66, "it is not YUV4MPEG2"),
            (["--y4m", "-", "--wav", "-"], 64, "cannot both come from standard input"),
            (["--y4m", "a.y4m", "--display", ":0"], 64, "omit --display"),
            (["--wav", "a.wav", "--no-app-audio"], 64, "omit"),
            (["--wav", "/nonexistent/a.wav"], 66, "Cannot read /nonexistent/a.wav"),
            (["--wav", "/etc/passwd"], 66, "it is not a WAV file"),
            (["--wav", "/etc"], 66, "Is a directory"),
            (["--y4m", "-", "--detach"], 64, "no standard input"),
            (["--y4m", "-", "--key-from-stdin"], 64, "cannot both come from standard input"),
        ])
        func `Each invalid input file or combination of options is an error with its exit status`(
            arguments: [String], status: Int32, words: String
        )
            async throws
        {
            try await withPeers { peers in
                let own = try BroadcastCommand(in: peers)
                let result = try await own.run(
                    ["start"] + arguments + ["--to", try peers.makeFolder("out") + "/a.mp4"])
                #expect(
                    result.status == .exited(status) && result.errors.contains(words),
                    "\(result.status) \(result.errors)")
                #expect(!result.errors.contains("live"), "\(result.errors)")
            }
        }
    }
}
