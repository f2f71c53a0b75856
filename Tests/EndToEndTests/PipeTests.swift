import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast start --to -` in front of other programs.
    struct PipeTests {
        @Test(arguments: ["y4m", "mpegts", "h264", "flv", nil])
        func `Another program reads what goes to standard output`(format: String?) async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let options = format.map { ["--format", $0] } ?? []
                let (result, video) = try await pipeUntilStopped(
                    ["--to", "-"] + options,
                    into: "tee copy | ffmpeg -nostdin -v warning -xerror -i - -enc_time_base -1 -f null -", in: studio)
                #expect(result.statuses == [0, 0, 0])
                #expect(!result.errors.contains("ffmpeg") && !result.errors.contains("@ 0x"), "\(result.errors)")
                let clock = try await ClockTrack.read(FrameDecoder(result.copy, size: (480, 270)), in: studio.peers)
                #expect(clock.unreadable == 0 && clock.fault == nil, "\(clock.fault ?? "")")
                // Every frame that the session made is there.
                let count = clock.readings.count
                if format == "y4m" {
                    // Raw: nothing is encoded, and a repeated picture is not counted as captured.
                    #expect(count >= video.captured - video.dropped && count > 30, "\(count) frames, \(video)")
                } else {
                    #expect(count == video.encoded + video.repeated, "\(count) frames, \(video)")
                }
            }
        }

        @Test func `Nothing but media is on standard output`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                for (format, check) in [("y4m", isWholeY4M), ("mpegts", isWholeTS), ("h264", isAnnexB), ("flv", isFLV)]
                {
                    let result = try await pipe(
                        ["--to", "-", "--duration", "1s", "--format", format], into: "tee copy", in: studio)
                    #expect(result.statuses == [0, 0])
                    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: result.copy)))
                    #expect(check(bytes), "\(format) begins with \(bytes.prefix(16)), \(bytes.count) bytes")
                }
            }
        }

        private func isWholeY4M(_ bytes: [UInt8]) -> Bool {
            let header = bytes.prefix { $0 != 0x0A }.count + 1
            return bytes.starts(with: Array("YUV4MPEG2 W320 H240 ".utf8))
                && (bytes.count - header) % (6 + 320 * 240 * 3 / 2) == 0
        }

        private func isWholeTS(_ bytes: [UInt8]) -> Bool {
            bytes.count % 188 == 0 && stride(from: 0, to: bytes.count, by: 188).allSatisfy { bytes[$0] == 0x47 }
        }

        private func isAnnexB(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0, 0, 0, 1]) }

        private func isFLV(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("FLV".utf8)) }

        @Test func `ffprobe reads MPEG-TS from the pipe`() async throws {
            try await withStudio(["clock", "--beep"]) { studio in
                let result = try await pipe(
                    ["--to", "-", "--format", "mpegts", "--duration", "3s"],
                    into: "ffprobe -v error -show_streams -show_format -of json -",
                    in: studio)
                #expect(result.statuses == [0, 0])
                let probe = try JSONDecoder().decode(FFProbe.self, from: Data(result.output.utf8))
                #expect(probe.video?.codec == "h264" && probe.video?.width == 1280)
                #expect(probe.audio?.codec == "aac")
            }
        }

        @Test(arguments: ["y4m", "mpegts", "h264", "flv"])
        func `A reader that closes the pipe ends the broadcast cleanly`(format: String) async throws {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                // No --duration: it would go on for ever.
                let result = try await pipe(
                    ["--to", "-", "--format", format], into: "head -c 15000 > copy", in: studio)
                #expect(result.statuses == [0, 0])
                #expect(!result.errors.contains("broadcast: "), "\(result.errors)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(1))
            }
        }

        @Test func `A file goes on when the reader of the pipe has left`() async throws {
            try await withStudio(width: 640, height: 360) { studio in
                let result = try await pipe(
                    ["--to", "-", "--to", studio.path("out.mp4"), "--duration", "3s"], into: "head -c 20000 > copy",
                    in: studio)
                #expect(result.statuses == [0, 0])
                let probe = try await FFProbe.probe(studio.path("out.mp4"), in: studio.peers)
                // The reader leaves in the first half second.
                #expect(probe.format.seconds > 2)
            }
        }

        @Test func `A named pipe is written when it has a reader, and one without a reader does not delay the end`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                for name in ["read.ts", "unread.ts"] { try #require(mkfifo(studio.path(name), 0o600) == 0) }
                let peer = try studio.broadcast.start([
                    "start", "--to", studio.path("read.ts"), "--to", studio.path("unread.ts"),
                ])
                try await peer.wait(for: "the session") {
                    try await studio.status()?.destinations.map(\.state) == ["connecting", "connecting"]
                }
                // Both are waited for, and the user is told so.
                try await peer.wait(for: "both messages") {
                    peer.standardError.components(separatedBy: "is a named pipe without a reader").count == 3
                }
                let reader = try studio.peers.start(
                    "reader", ["sh", "-c", "cat read.ts > copy.ts"], folder: studio.folder)
                _ = try await peer.waitForErrorLine(containing: "session default: live")
                try await studio.broadcast.waitForMoreSeconds(1, of: peer)
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0) && !stop.errors.contains("did not finish in time"), "\(stop.errors)")
                #expect(stop.output.contains("unread.ts: nothing was written"), "\(stop.output)")
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                #expect(try await reader.waitForExit() == .exited(0))
                #expect(
                    peer.standardError.components(separatedBy: "is a named pipe without a reader").count == 3,
                    "\(peer.standardError)")
                try await studio.media("copy.ts").expectDecodable()
            }
        }

        @Test func `A reader of a named pipe that ends is a clean end`() async throws {
            try await withStudio(["everything"], width: 640, height: 360, hasSound: false) { studio in
                try #require(mkfifo(studio.path("pipe.ts"), 0o600) == 0)
                let reader = try studio.peers.start(
                    "reader", ["sh", "-c", "head -c 15000 pipe.ts > copy.ts"], folder: studio.folder)
                // No --duration: it would go on for ever.
                let result = try await studio.broadcast.run(["start", "--to", studio.path("pipe.ts")])
                #expect(result.status == .exited(0) && !result.errors.contains("free some space"), "\(result.errors)")
                #expect(try await reader.waitForExit() == .exited(0))
            }
        }

        private struct Result {
            /// The exit statuses of the pipeline's commands.
            let statuses: [Int]
            let output: String
            let errors: String
            /// The file `copy` in the pipeline's folder.
            let copy: String
        }

        /// Runs `broadcast start` in a pipeline of bash to its end.
        private nonisolated(nonsending) func pipe(_ arguments: [String], into command: String, in studio: Studio)
            async throws -> Result
        {
            try await result(of: try pipeline(arguments, into: command, in: studio))
        }

        /// Runs `broadcast start` in a pipeline of bash for two seconds, and gives what the session says of its frames
        /// too.
        private nonisolated(nonsending) func pipeUntilStopped(
            _ arguments: [String], into command: String, in studio: Studio
        ) async throws -> (Result, SessionStatus.Video) {
            let peer = try pipeline(arguments, into: command, in: studio)
            try await studio.waitUntilElapsed(2, of: peer)
            let video = try #require(try await studio.broadcast.stop(peer).video)
            return (try await result(of: peer), video)
        }

        private func pipeline(_ arguments: [String], into command: String, in studio: Studio) throws -> Peer {
            let script = "\"$0\" start \"$@\" | \(command); echo \"${PIPESTATUS[@]}\" > statuses"
            return try studio.peers.start(
                "pipeline", ["bash", "-c", script, studio.broadcast.binary] + arguments,
                environment: studio.broadcast.environment)
        }

        private nonisolated(nonsending) func result(of peer: Peer) async throws -> Result {
            try await peer.waitForExit()
            let statuses = try String(contentsOfFile: peer.folder + "/statuses", encoding: .utf8)
            return Result(
                statuses: statuses.split(whereSeparator: \.isWhitespace).compactMap { Int($0) },
                output: peer.standardOutput,
                errors: peer.standardError, copy: peer.folder + "/copy")
        }
    }

    /// How long a reader of a pipe is waited for.
    struct PipeTimingTests {
        @Test
        func
            `A reader of a named pipe that takes nothing any more does not hold up the end, and the file beside it is whole`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try #require(mkfifo(studio.path("pipe.y4m"), 0o600) == 0)
                let program = "import time; pipe = open('pipe.y4m', 'rb'); time.sleep(300)"
                _ = try studio.peers.start("stalled-reader", ["python3", "-c", program], folder: studio.folder)
                let peer = try await studio.startLive(["--to", studio.path("out.mp4"), "--to", studio.path("pipe.y4m")])
                try await studio.waitUntilElapsed(2, of: peer)
                let begin = ContinuousClock.now
                let stop = try await studio.broadcast.run(["stop"])
                #expect(begin.duration(to: .now) < .seconds(5))
                #expect(
                    stop.status == .exited(69) && stop.errors.contains("so the end of the stream is lost"),
                    "\(stop.errors)")
                #expect(try await peer.waitForExit() == .exited(69))
                try await studio.media("out.mp4").expectDecodable()
            }
        }
    }
}
