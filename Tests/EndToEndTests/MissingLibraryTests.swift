import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Libraries that are opened at run time, and cannot be opened: empty files precede them.
    struct MissingLibraryTests {
        private static let names =
            (58...64).map { "libavcodec.so.\($0)" } + ["libcurl.so.4", "libpulse.so.0"]
            + (3...6).map { "libsrt.so.1.\($0)" }

        private func hideLibraries(in peers: Peers) throws -> String {
            let folder = try peers.makeFolder("hidden-libraries")
            for name in Self.names { try Data().write(to: URL(fileURLWithPath: folder + "/" + name)) }
            return folder
        }

        @Test func `Without libavcodec, sound is refused with a sentence, and a recording without sound is made`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                var broadcast = studio.broadcast
                broadcast.environment["LD_LIBRARY_PATH"] = try hideLibraries(in: studio.peers)
                let refused = try await broadcast.run(["start", "--to", studio.path("a.mp4"), "--duration", "1s"])
                #expect(refused.status == .exited(70), "\(refused)")
                expectSentence(in: refused.errors, saying: ["libavcodec.so.", "--no-app-audio"])
                let silent = try await broadcast.run(
                    ["start", "--no-app-audio", "--to", studio.path("b.mp4"), "--duration", "1s"])
                #expect(silent.status == .exited(0), "\(silent)")
                let probe = try await FFProbe.probe(studio.path("b.mp4"), in: studio.peers)
                #expect(probe.video != nil && probe.audio == nil)
            }
        }

        @Test func `Without libpulse, a broadcast is silent, and says why`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let hidden = try hideLibraries(in: studio.peers)
                for name in Self.names where name.hasPrefix("libavcodec") {
                    try FileManager.default.removeItem(atPath: hidden + "/" + name)
                }
                var broadcast = studio.broadcast
                broadcast.environment["LD_LIBRARY_PATH"] = hidden
                let result = try await broadcast.run(["start", "--to", studio.path("a.mp4"), "--duration", "2s"])
                #expect(result.status == .exited(0), "\(result)")
                #expect(result.errors.contains("libpulse.so.0 cannot be opened. Install libpulse."), "\(result)")
                let audio = try await AudioDecoder.decode(studio.path("a.mp4"), in: studio.peers)
                #expect(audio.samples.count > 48_000 && audio.level(from: 0, duration: 1) == 0)
            }
        }

        @Test(arguments: [
            ("srt", "srt://127.0.0.1:9", "install libsrt"), ("whip", "whip:http://127.0.0.1:9", "install libcurl"),
        ])
        func `An extension without its library says what to install`(
            name: String, target: String, advice: String
        ) async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                // The host gives an extension no such variable, so the program of this one is a script.
                let hidden = try hideLibraries(in: studio.peers)
                try await ShippedExtensions.lay(in: studio.peers)
                let program = try ShippedExtensions.path(of: name)
                let folders = try studio.peers.makeFolder("extensions")
                let own = folders + "/" + name
                try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
                let manifest = try String(
                    contentsOfFile: ShippedExtensions.package + "/Extensions/\(name)/extension.toml", encoding: .utf8)
                try manifest.replacing("./broadcast-\(name)", with: "./without-libraries").write(
                    toFile: own + "/extension.toml", atomically: false, encoding: .utf8)
                try "#!/bin/sh\nLD_LIBRARY_PATH='\(hidden)' exec '\(program)'\n".write(
                    toFile: own + "/without-libraries", atomically: false, encoding: .utf8)
                chmod(own + "/without-libraries", 0o755)
                var broadcast = studio.broadcast
                broadcast.environment["BROADCAST_EXTENSION_PATH"] = folders
                let result = try await broadcast.run(["start", "--no-app-audio", "--to", target])
                #expect(result.status == .exited(69), "\(result)")
                expectSentence(in: result.errors, saying: ["lib", "cannot be opened", advice])
            }
        }

        @Test func `Doctor and the long version name the libraries that cannot be opened`() async throws {
            try await withPeers { peers in
                try await ShippedExtensions.lay(in: peers)
                var broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                broadcast.environment["LD_LIBRARY_PATH"] = try hideLibraries(in: peers)
                let version = try await broadcast.run(["--version", "--verbose"])
                for name in ["libavcodec", "libcurl", "libpulse", "libsrt"] {
                    #expect(version.output.contains("\(name): not installed"), "\(version)")
                }
                let doctor = try await broadcast.run(["doctor"], deadline: .seconds(60)).output
                #expect(doctor.contains("hls and whip cannot send to a server: libcurl.so.4"), "\(doctor)")
                #expect(doctor.contains("srt cannot send to a server: libsrt.so.1"), "\(doctor)")
                #expect(doctor.contains("Install libavcodec") && doctor.contains("Install libpulse"), "\(doctor)")
            }
        }

        @Test func `An extension that a user starts says how it is used`() async throws {
            try await withPeers { peers in
                try await ShippedExtensions.lay(in: peers)
                let peer = try peers.start("extension", [try ShippedExtensions.path(of: "lan"), "--version"])
                #expect(try await peer.waitForExit() == .exited(64))
                #expect(peer.standardError.contains("broadcast start --to lan"), "\(peer.standardError)")
            }
        }
    }
}
