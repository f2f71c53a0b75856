import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Recordings that end early, cleanly or not.
    struct SurvivalTests {
        @Test(arguments: [3.1, 4.7])
        func `A killed broadcast leaves a file that plays up to the last group of pictures`(seconds: Double)
            async throws
        {
            try await withStudio(["clock", "--beep"]) { studio in
                let peer = try await studio.startLive(["--to", studio.path("killed.mp4")])
                try await studio.waitUntilElapsed(seconds, of: peer)
                let end = MonotonicTime.now() / 1_000_000
                try await peer.killNow()
                let media = studio.media("killed.mp4")
                try await media.expectDecodable()
                try await media.playInGStreamer()
                let clock = try await media.clock()
                let last = try #require(clock.readings.last)
                let lost = Int32(bitPattern: UInt32(truncatingIfNeeded: end) &- last.milliseconds)
                print("lost after kill -9 at \(seconds) s: \(lost) ms")
                #expect(lost <= 2200)
                #expect(clock.isRunning && clock.unreadable == 0)
            }
        }

        enum Ending: CaseIterable, CustomTestStringConvertible {
            case term, interrupt, hangup, stop
            var testDescription: String {
                switch self {
                case .term: "SIGTERM"
                case .interrupt: "SIGINT"
                case .hangup: "SIGHUP"
                case .stop: "broadcast stop"
                }
            }
            var signal: Int32? {
                switch self {
                case .term: SIGTERM
                case .interrupt: SIGINT
                case .hangup: SIGHUP
                case .stop: nil
                }
            }
        }

        @Test(arguments: Ending.allCases)
        func `A clean end leaves an ordinary file that can be sought in`(ending: Ending) async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                try await studio.waitUntilElapsed(3, of: peer)
                if let signal = ending.signal {
                    peer.signal(signal)
                } else {
                    let stop = try await studio.broadcast.run(["stop"])
                    #expect(stop.status == .exited(0))
                    #expect(stop.output.contains(studio.path("out.mp4")))
                    #expect(stop.errors == "")
                }
                #expect(try await peer.waitForExit(deadline: .seconds(5)) == .exited(0))
                let media = studio.media("out.mp4")
                try media.expectOrdinaryMP4()
                try await media.expectDecodable()
                try await media.playInGStreamer()
                try await expectSeekable(media)
            }
        }

        /// A player that seeks to 2.5 s begins at the key frame of 2 s, not at the file's start.
        private nonisolated(nonsending) func expectSeekable(_ media: MediaFile) async throws {
            var first: Double?
            try await FrameDecoder(media.path, inputOptions: ["-ss", "2.5", "-noaccurate_seek"]).forEachFrame(
                in: media.peers
            ) { frame in
                first = frame.pts
                return false
            }
            let time = try #require(first)
            #expect((1.9...2.5).contains(time), "the seek led to \(time) s")
        }

        @Test func `A second signal forces the end`() async throws {
            try await withPeers { peers in
                let studio = try await Studio.open(["clock"], width: 640, height: 360, in: peers)
                let peer = try studio.broadcast.start(["start", "--to", "-", "--format", "y4m"], output: .pipe)
                // Nobody reads the pipe: a clean end would have to wait for its reader.
                _ = try await peer.waitForErrorLine(containing: "session default: live")
                try await studio.waitUntilElapsed(1, of: peer)
                peer.signal(SIGINT)
                _ = try await peer.waitForErrorLine(containing: "session default: finishing")
                // A clean end gives up the reader after 8 s.
                try await peer.signalUntilExit(SIGINT, deadline: .seconds(6))
                #expect(peer.status == .exited(128 + SIGINT))
            }
        }

        @Test func `When the X server dies the file is finished and the status says so`() async throws {
            try await withStudio { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                try await studio.waitUntilElapsed(2.5, of: peer)
                try await studio.screen.peer.killNow()
                #expect(try await peer.waitForExit(deadline: .seconds(5)) == .exited(69))
                expectSentence(in: peer.standardError, saying: ["X server", studio.screen.display])
                let media = studio.media("out.mp4")
                try media.expectOrdinaryMP4()
                try await media.expectDecodable()
                #expect(try await FFProbe.probe(media.path, in: studio.peers).format.seconds > 2)
            }
        }

        @Test(.enabled("a file system may be mounted here") { try await canMount() })
        func `A full disk is said before, its recording plays, and the other destination continues`()
            async throws
        {
            try await withStudio(["everything"]) { studio in
                let disk = try studio.peers.makeFolder("disk")
                let script = """
                    mount -t tmpfs -o size=4m tmpfs "$1" || exit 99
                    "$0" start --duration 60s --bitrate 8000 --to "$1/full.mp4" --to "$2/whole.mp4"
                    status=$?
                    cp "$1/full.mp4" "$2/full.mp4"
                    exit $status
                    """
                let peer = try studio.peers.start(
                    "full-disk", Self.unshare + ["sh", "-c", script, studio.broadcast.binary, disk, studio.folder],
                    environment: studio.broadcast.environment)
                let warning = try await peer.waitForErrorLine(containing: "has room for about")
                #expect(warning.contains("full.mp4") && !warning.contains("whole.mp4"), "\(warning)")
                _ = try await peer.waitForErrorLine(containing: "full.mp4: failed")
                // The other destination goes on.
                let status = try #require(try await studio.status())
                #expect(status.destinations.map(\.state) == ["failed", "live"])
                #expect(status.destinations[0].error?.code == 507)
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(74))
                #expect(try await peer.waitForExit() == .exited(74))
                expectSentence(in: peer.standardError, saying: ["full.mp4", "No space left on device"])
                for name in ["full.mp4", "whole.mp4"] { try await studio.media(name).expectDecodable() }
                #expect(studio.media("full.mp4").size > 1_000_000)
                try studio.media("whole.mp4").expectOrdinaryMP4()
            }
        }

        /// A mount name space of its own: the disk is gone with the last process in it.
        private static let unshare =
            getuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--mount", "--map-root-user"]

        private static func canMount() async throws -> Bool {
            try await withPeers { peers in
                let peer = try peers.start("mount", unshare + ["sh", "-c", "mount -t tmpfs -o size=1m tmpfs ."])
                return try await peer.waitForExit() == .exited(0)
            }
        }
    }
}
