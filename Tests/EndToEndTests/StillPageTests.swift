import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// A page that does not change, in a real browser.
    struct StillPageTests {
        /// Seeks through the video, and keeps what is seen at each of the times.
        private static let page = """
            <!doctype html><video id="video" src="page.mp4" muted></video><script>
            const video = document.getElementById('video'), canvas = document.createElement('canvas');
            window.seen = null;
            video.onloadeddata = async () => {
              const seen = [], picture = canvas.getContext('2d', { willReadFrequently: true });
              canvas.width = video.videoWidth;
              canvas.height = video.videoHeight;
              for (let time = 7; time < 13; time += 0.5) {
                await new Promise(done => { video.onseeked = done; video.currentTime = time; });
                picture.drawImage(video, 0, 0);
                const { data } = picture.getImageData(0, 0, canvas.width, canvas.height);
                const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
                seen.push([...sum].map(byte => byte.toString(16).padStart(2, '0')).join(''));
              }
              window.seen = seen;
            };
            </script>
            """

        @Test func `Chromium shows the same pixels of a still page before and after each keyframe`() async throws {
            try await withStudio(["still"], width: 1280, height: 720, hasSound: false) { studio in
                // Too little for a sharp keyframe: the pictures of the first seconds make the page sharp.
                let session = try await studio.startLive(["--bitrate", "1500", "--to", studio.path("page.mp4")])
                try await studio.waitUntilElapsed(14, of: session)
                _ = try await studio.broadcast.stop(session)
                let probe = try studio.peers.start(
                    "ffprobe",
                    [
                        "ffprobe", "-v", "error", "-select_streams", "v", "-skip_frame", "nokey", "-show_entries",
                        "frame=pts_time", "-of", "csv=p=0", studio.path("page.mp4"),
                    ])
                #expect(try await probe.waitForExit() == .exited(0))
                let keyframes = probe.standardOutput.split(whereSeparator: { ",\n".contains($0) }).compactMap {
                    Double($0)
                }
                #expect(keyframes.count { (7..<12.5).contains($0) } >= 2, "\(keyframes)")

                try Self.page.write(toFile: studio.path("index.html"), atomically: true, encoding: .utf8)
                let port = try freePort()
                let server = try studio.peers.start(
                    "server",
                    ["python3", "-u", "-m", "http.server", String(port), "--bind", "127.0.0.1", "-d", studio.folder])
                _ = try await server.waitForOutputLine(containing: "Serving")
                let browser = try await Browser.open("http://127.0.0.1:\(port)/", in: studio.peers)
                try await browser.wait(for: "all pictures", "seen !== null")
                let seen = try await browser.evaluate("seen", as: [String].self)
                #expect(seen.count == 12 && Set(seen).count == 1, "\(seen)")
                try await browser.close()
            }
        }
    }
}
