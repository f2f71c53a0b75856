import Foundation
import TestPatterns
import TestSupport
import Testing

extension FaultTests {
    /// A Wayland desktop with a real compositor, mutter, and the real portal: what is shown, and how each part ends.
    struct MutterFaults {
        @Test func `The painted clock is readable in every frame of a file and of a stream`() async throws {
            try await withMutter { desktop, broadcast, folder in
                try await desktop.paint("clock", width: 1280, height: 720)
                let server = try await NginxRTMP.start(
                    in: desktop.peers, live: "record all; record_path \(folder); record_suffix .flv;")
                let live = try await broadcast.startLive([
                    "--ask", "--to", folder + "/out.mp4", "--to", server.url(key: "key"),
                ])
                try await broadcast.waitUntilElapsed(10, of: live)
                _ = try await broadcast.stop(live)
                for name in ["out.mp4", "key.flv"] {
                    let clock = try await ClockTrack.read(
                        FrameDecoder(folder + "/" + name, size: (640, 360)), in: desktop.peers)
                    let distinct = Set(clock.readings.map(\.milliseconds)).count
                    print(
                        "\(name): \(clock.readings.count) readings, \(distinct) distinct, \(clock.unreadable) unreadable"
                    )
                    // Nothing is torn, and nothing goes back.
                    #expect(clock.unreadableAfterFirst == 0 && clock.isRunning, "\(name): \(clock.fault ?? "")")
                    #expect(distinct > 60, "\(name)")
                }
                try await MediaFile(path: folder + "/out.mp4", peers: desktop.peers).expectDecodable()
                // The token of the portal shares it again without a dialog.
                let again = try await broadcast.run(["start", "--duration", "1s", "--to", folder + "/again.mp4"])
                #expect(again.status == .exited(0) && !again.errors.contains("Choose"), "\(again.errors)")
            }
        }

        // mutter 43 crashes when a virtual monitor is switched off, and each has a single size.
        @Test(arguments: [(2, true), (1, false)])
        func `A monitor that is turned goes on, or ends the broadcast cleanly`(turn: Int, goesOn: Bool) async throws {
            try await withMutter { desktop, broadcast, folder in
                let live = try await broadcast.startLive(["--ask", "--to", folder + "/out.mp4"])
                try await broadcast.waitUntilElapsed(2, of: live)
                try await desktop.tell("configure \(turn)")
                if goesOn {
                    try await broadcast.waitForMoreSeconds(5, of: live)
                    _ = try await broadcast.stop(live)
                } else {
                    // mutter ends the sharing of a monitor that has changed.
                    #expect(try await live.waitForExit(deadline: .seconds(15)) == .exited(0), "\(live.standardError)")
                    #expect(live.standardError.contains("The desktop ended the sharing"))
                }
                try await MediaFile(path: folder + "/out.mp4", peers: desktop.peers).expectDecodable()
            }
        }

        @Test(arguments: ["stop", "window", "mutter", "backend", "portal", "pipewire", "wireplumber"])
        func `Each end of a part of the desktop ends the broadcast, or it goes on`(part: String) async throws {
            try await withMutter { desktop, broadcast, folder in
                let painter = try await desktop.paint("clock", width: 1280, height: 720)
                if part == "window" { try await desktop.tell("source window") }
                let live = try await broadcast.startLive(
                    ["--ask", "--to", folder + "/out.mp4"] + (part == "window" ? ["--window", "pick"] : []))
                try await broadcast.waitUntilElapsed(2, of: live)
                var expected: TestSupport.ExitStatus? = .exited(69)
                switch part {
                case "stop":
                    try await desktop.tell("close")
                    expected = .exited(0)
                case "window":
                    try await painter.terminate()
                    expected = .exited(0)
                case "mutter": try await desktop.mutter.killNow()
                case "backend": try await desktop.backend.killNow()
                case "pipewire": try await desktop.pipeWire.killNow()
                case "wireplumber":
                    try await desktop.sessionManager.killNow()
                    expected = nil
                    // A slate, not a frozen picture.
                    _ = try await live.waitForErrorLine(containing: "Viewers see a slate")
                default:
                    try await desktop.portal.killNow()
                    expected = nil
                    try await broadcast.waitForMoreSeconds(3, of: live)
                }
                if expected == nil { #expect(try await broadcast.run(["stop"]).status == .exited(0)) }
                #expect(
                    try await live.waitForExit(deadline: .seconds(15)) == expected ?? .exited(0),
                    "\(live.standardError)")
                try await MediaFile(path: folder + "/out.mp4", peers: desktop.peers).expectDecodable()
            }
        }

        @Test func `The pointer is in the picture, and moves without anything else`() async throws {
            try await withMutter { desktop, broadcast, folder in
                for arguments in [[], ["--no-cursor"]] {
                    let path = "\(folder)/pointer\(arguments.count).y4m"
                    try await desktop.tell("pointer 200 200")
                    let live = try await broadcast.startLive(["--ask", "--to", path] + arguments)
                    try await broadcast.waitUntilElapsed(1.5, of: live)
                    try await desktop.tell("pointer 900 500")
                    try await broadcast.waitForMoreSeconds(1.5, of: live)
                    _ = try await broadcast.stop(live)
                    let frames = try await FrameDecoder(path, layout: .gray).frames(in: desktop.peers)
                    let (first, last) = (try #require(frames.first), try #require(frames.last))
                    // The pointer hides a part of the plain background, first here and then there.
                    let changes = zip(first.bytes, last.bytes).count { abs(Int($0) - Int($1)) > 20 }
                    #expect(
                        arguments.isEmpty ? (20...4000).contains(changes) : changes == 0, "\(arguments): \(changes)")
                }
            }
        }

        private func withMutter(_ body: (MutterDesktop, BroadcastCommand, String) async throws -> Void) async throws {
            try await withPeers { peers in
                let desktop = try await MutterDesktop.start(width: 1280, height: 720, in: peers)
                try await body(desktop, try desktop.broadcast(), try peers.makeFolder("recordings"))
            }
        }
    }
}
