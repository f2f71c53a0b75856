import TestSupport
import Testing

extension EndToEndTests {
    /// What scripts and reports about errors use.
    struct QuietTests {
        @Test(arguments: [[], ["--detach"]]) func `A quiet recording that works says nothing`(extra: [String])
            async throws
        {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let result = try await broadcast.run(
                    ["start", "--to", "a.mp4", "--no-app-audio", "--duration", "1s", "--quiet"] + extra)
                #expect(result.status == .exited(0))
                #expect(result.errors == "" && result.output == "", "\(result.errors)")
                let failed = try await broadcast.run(
                    ["start", "--to", "a.mp4", "-q", "--size", "wide"] + extra)
                expectSentence(in: failed.errors, saying: ["--size"])
            }
        }

        @Test func `The long version names the commit and the libraries`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let short = try await broadcast.run(["--version"])
                let long = try await broadcast.run(["--version", "--verbose"])
                #expect(long.status == .exited(0) && long.errors == "")
                let lines = long.output.split(separator: "\n").map(String.init)
                #expect(lines.first == "broadcast " + short.output.split(separator: "\n")[0])
                #expect(lines.dropFirst().first?.hasPrefix("commit: ") == true)
                for name in ["x264", "OpenH264", "libavcodec", "libcurl", "libpulse", "libsrt", "D-Bus", "OpenSSL"] {
                    let line = lines.first { $0.hasPrefix(name + ": ") } ?? ""
                    #expect(line.dropFirst(name.count + 2).first?.isNumber == true, "\(name): \(line)")
                }
            }
        }
    }
}
