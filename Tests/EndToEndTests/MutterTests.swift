import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// A Wayland desktop with a real compositor, mutter, and the real portal, which looks at its callers. Its other
    /// tests are slow: `MutterFaults`.
    struct MutterTests {
        @Test
        func `Colours are right, a window is shown without the rest, and the monitor is shared again without a dialog`()
            async throws
        {
            try await withPeers { peers in
                let desktop = try await MutterDesktop.start(width: 1280, height: 720, in: peers)
                let (broadcast, folder) = (try desktop.broadcast(), try peers.makeFolder("recordings"))
                try await desktop.paint("chart", width: 1280, height: 720)
                for (arguments, source) in [
                    (["--ask"], "monitor"), (["--no-dialog"], "again"), (["--ask", "--window", "pick"], "window"),
                ] {
                    if source != "again" { try await desktop.tell("source \(source)") }
                    let path = "\(folder)/\(source).mp4"
                    let result = try await broadcast.run(
                        ["start", "--quality", "4", "--no-cursor", "--duration", "2s", "--to", path] + arguments,
                        deadline: .seconds(60))
                    #expect(result.status == .exited(0), "\(result.errors)")
                    let last = try #require(try await FrameDecoder(path, layout: .rgb24).frames(in: desktop.peers).last)
                    let worst = try #require(ColourChartReader.measure(last).max { $0.error < $1.error })
                    #expect(worst.error <= 3, "\(source): \(worst)")
                }
            }
        }
    }
}
