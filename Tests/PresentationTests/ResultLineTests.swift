import Control
import Host
import Media
import Presentation
import Session
import Testing
import Upload
import UserConfiguration

/// The lines about results, and how errors name their destination.
struct ResultLineTests {
    private func destination(
        _ name: String, path: String? = nil, url: String? = nil, bytes: Int = 3_000_000, dropped: Int = 0,
        duration: MediaTime?,
        status: String? = nil, error: UploadError? = nil
    ) -> DestinationSnapshot {
        var destination = DestinationSnapshot(
            name: name, kind: path == nil ? .rtmp : .file, state: error == nil ? .finished : .failed, url: url,
            path: path, byteCount: bytes,
            bitrate: 0,
            dropped: dropped, backlog: .zero, statusText: status, error: error)
        destination.duration = duration
        return destination
    }

    @Test func `A session without a result has a sentence`() {
        #expect(
            ResultLine.abandoned("talk")
                == "The session \"talk\" ended without cleaning up: it was killed, or it crashed. To see what it did, run: broadcast logs --session talk"
        )
        #expect(
            ResultLine.ended("talk", at: "14:05", "The X server has ended. a.mp4: 00:09")
                == "The session \"talk\" ended at 14:05: The X server has ended. a.mp4: 00:09")
        #expect(ResultLine.endedEarly("slow") == "Session \"slow\" has ended before it was live.")
    }

    @Test func `A result names its destination, the duration of its media, and its place`() {
        let minutes = MediaTime(milliseconds: 608_900)
        let cases: [(DestinationSnapshot, String)] = [
            (
                destination("copy.mp4", path: "/v/copy.mp4", duration: MediaTime(milliseconds: 24_600)),
                "copy.mp4: 00:25, 3.0 MB (/v/copy.mp4)"
            ),
            (
                destination("rtmp-2", url: "rtmp://h/live/…", dropped: 1, duration: minutes),
                "rtmp-2: 10:09, 3.0 MB, 1 frame dropped (rtmp://h/live/…)"
            ),
            (
                destination("stdout", dropped: 2, duration: MediaTime(milliseconds: 3_600_000)),
                "stdout: 01:00:00, 3.0 MB, 2 frames dropped"
            ),
            (
                destination(
                    "hls", url: "https://h/live/", dropped: 1, duration: minutes,
                    status: "3 segments (12 s) could not be uploaded."),
                "hls: 10:09, 3.0 MB, 1 frame dropped, 3 segments (12 s) could not be uploaded (https://h/live/)"
            ),
            (destination("pipe", path: "/v/pipe", bytes: 0, duration: .zero), "pipe: nothing was written (/v/pipe)"),
            (destination("srt", url: "srt://h:9", bytes: 12_000, duration: nil), "srt: never went live (srt://h:9)"),
            (
                destination("stale", url: "rtmp://h/live/…", duration: nil, error: .connectionLost(status: "refused")),
                "stale: failed. The connection is lost: refused."
            ),
            (
                destination(
                    "lost", url: "rtmp://h/live/…", duration: minutes, error: .connectionLost(status: "refused")),
                "lost: failed after 10:09, 3.0 MB. The connection is lost: refused."
            ),
            (destination("a\u{1b}]0;b\u{9b}2J", duration: nil), "a?]0;b?2J: never went live"),
        ]
        for (destination, line) in cases {
            #expect(ResultLine.text(destination) == line)
            // broadcast stop says the same of the report.
            let report = DestinationReport(
                name: destination.name, extension: "x", state: destination.state.rawValue, url: destination.url,
                bytes: destination.byteCount,
                bitrateKbps: 0, dropped: destination.dropped, duration: destination.duration?.seconds, queueMs: 0,
                path: destination.path,
                status: destination.statusText,
                error: destination.error.map { ErrorPresenter().report($0, of: destination.name, isRetried: false) })
            #expect(ResultLine.text(report) == line)
        }
    }

    @Test func `An error of a destination names it once`() {
        let error = UploadError.connectionLost(status: nil)
        #expect(CommandError(error, destination: "stale").message == "stale: The connection is lost.")
        #expect(ErrorPresenter().report(.destination(name: "stale", error)).message == "stale: The connection is lost.")
        // Where the name stands beside it already.
        #expect(ErrorPresenter().report(error, of: "stale", isRetried: false).message == "The connection is lost.")
        #expect(ErrorPresenter().report(error, of: "stale", isRetried: false).status == 69)
    }

    @Test func `A live destination is announced when it goes live, and not after each pause`() {
        var live = destination("rtmp", url: "rtmp://h/live", duration: .zero)
        live.state = .live
        live.previousState = .connecting
        #expect(ConsoleLine(.destination(live), session: "default")?.text == "rtmp: live (rtmp://h/live)")
        live.previousState = .paused
        #expect(ConsoleLine(.destination(live), session: "default") == nil)
    }

    @Test func `No line, sentence or table cell contains terminal control characters`() {
        let title = "x\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}y\nz"
        let clean = "x?]0;owned??2J?y?z"
        #expect(TextTable.text([["window", title]]) == "window  " + clean)
        #expect(CommandError(.noInput, title).message == clean)
        #expect(ConsoleLine(.changed(.hidden(rule: title)), session: "s")?.text == "hidden: " + clean)
        #expect(
            StatusLine.text(
                SessionSnapshot(state: .live, elapsed: .zero, destinations: [destination(title, duration: nil)])
            ).contains(clean))
    }

    @Test func `A session that does not run is answered with those that do`() {
        #expect(
            CommandError.noSession("default", running: ["one", "two"]).message.contains(
                "\"default\" is running. Running: \"one\", \"two\"."))
        #expect(CommandError.noSession("default", running: []).message == "No session is running.")
        // It is not a file that cannot be created.
        #expect(CommandError(HostError.nameInUse("default")).status == .nothing)
    }
}
