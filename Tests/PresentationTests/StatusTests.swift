import Capture
import Control
import Encode
import Host
import Media
import Pipeline
import Presentation
import Session
import Testing
import Upload

/// The state of a session: the line on the terminal, and the text of `broadcast status`.
struct StatusTests {
    private func snapshot(_ state: SessionState = .live, _ destinations: [DestinationSnapshot] = []) -> SessionSnapshot
    {
        SessionSnapshot(state: state, elapsed: MediaTime(milliseconds: 62_900), destinations: destinations)
    }

    private func video(_ reduction: EncoderReduction = .none, dropped: Int = 0) -> RenditionFigures {
        var video = RenditionFigures(size: PixelSize(width: 1280, height: 720), frameRate: 60)
        video.bitrate = 4500
        video.writtenFrameRate = 59
        video.dropped = dropped
        video.reduction = reduction
        return video
    }

    @Test func `The line shows the state, the clock and the picture`() {
        var live = snapshot()
        #expect(StatusLine.text(live) == "● live  01:02")
        live.video = video()
        #expect(StatusLine.text(live) == "● live  01:02  1280x720 59 fps 4500 kbit/s")
        live.video = video(EncoderReduction(usesFastestPreset: true), dropped: 3)
        #expect(
            StatusLine.text(live) == "● live  01:02  1280x720 59 fps 4500 kbit/s  3 dropped  too slow: fastest preset")
        live.video = video(EncoderReduction(usesFastestPreset: true, frameDivisor: 2))
        #expect(StatusLine.text(live) == "● live  01:02  1280x720 59 fps 4500 kbit/s  too slow: 30 fps")
        var paused = snapshot(.paused)
        #expect(StatusLine.text(paused) == "○ paused  01:02")
        // It leaves the keys in the line: nothing is recorded in a pause.
        paused.app = SessionSnapshot.Audio(source: "app.monitor", level: -12)
        #expect(StatusLine.text(paused) == "○ paused  01:02")
    }

    @Test func `The line shows the levels of the sound, and what each destination does`() {
        var waiting = DestinationSnapshot(name: "studio", kind: .rtmp, state: .reconnecting, dropped: 2)
        waiting.nextRetry = MediaTime(milliseconds: 1200)
        var live = snapshot(
            .live, [DestinationSnapshot(name: "a.mp4", kind: .file, state: .live, byteCount: 12_340_000), waiting])
        live.destinations[0].viewers = 3
        live.app = SessionSnapshot.Audio(source: "speakers", level: -12.4)
        live.mic = SessionSnapshot.Audio(source: nil, level: nil)
        #expect(
            StatusLine.text(live)
                == "● live  01:02  app -12 dB  mic silent  a.mp4 12.3 MB, 3 watching  studio reconnecting in 2 s (2 dropped)"
        )
    }

    @Test(
        arguments: [
            (true, 34, "p pause  m mic  c clip  q stop"), (true, 26, "p pause  m mic  q stop"),
            (false, 80, "p pause  m mic  q stop"), (false, 21, "p pause  q stop"), (true, 6, "q stop"),
            (true, 5, nil),
        ] as [(Bool, Int, String?)])
    func `The most important keys are named where there is room`(savesClips: Bool, columns: Int, text: String?) {
        #expect(StatusLine.keys(for: snapshot(), savesClips: savesClips, columns: columns) == text)
    }

    @Test func `A start that takes long names what it waits for`() {
        let connecting = DestinationSnapshot(name: "studio", kind: .rtmp, state: .connecting)
        let lost = DestinationSnapshot(name: "srt", kind: .rtmp, state: .reconnecting)
        let live = DestinationSnapshot(name: "a.mp4", kind: .file, state: .live)
        var starting = snapshot(.starting, [live, connecting, lost])
        #expect(
            StatusLine.waiting(for: starting)
                == "Waiting for the source of the pictures. Press Ctrl-C to cancel the start.")
        #expect(
            StatusLine.waiting(for: starting, isAsking: true)
                == "Waiting for your choice in the dialog of the desktop. Press Ctrl-C to cancel the start.")
        starting.source = SourceDescription(kind: .screen, display: ":0")
        #expect(
            StatusLine.waiting(for: starting)
                == "Waiting for studio, srt to accept the broadcast. Press Ctrl-C to cancel the start.")
        starting.destinations = [live]
        #expect(StatusLine.waiting(for: starting) == "Waiting for the first picture. Press Ctrl-C to cancel the start.")
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_999, "999 kB"), (1_000_000, "1.0 MB"),
            (999_999_999, "999.9 MB"),
            (1_250_000_000, "1.2 GB"), (123_456_000_000, "123.4 GB"),
        ]) func `A size has a unit that fits`(bytes: Int, text: String)
    {
        #expect(StatusLine.size(bytes) == text)
    }

    @Test(
        arguments: [
            (0, "00:00"), (59_999, "00:59"), (60_000, "01:00"), (3_599_000, "59:59"), (3_600_000, "01:00:00"),
            (360_000_000, "100:00:00"),
        ])
    func `A clock has hours only if it needs them`(milliseconds: Int64, text: String) {
        #expect(StatusLine.clock(MediaTime(milliseconds: milliseconds)) == text)
    }

    private var report: SessionReport {
        SessionReport(
            session: "default", pid: 4711, state: "live", started: "2026-11-22T12:00:00Z", elapsed: 62.9, title: nil,
            source: SessionReport.Source(kind: "screen", display: ":0", width: 1280, height: 720), video: nil,
            audio: SessionReport.Audio(app: nil, mic: nil), destinations: [])
    }

    private func destination(_ change: (inout DestinationReport) -> Void = { _ in }) -> String {
        var destination = DestinationReport(
            name: "studio", extension: "rtmp", state: "live", url: "rtmp://h/live/…", bytes: 12_340_000,
            bitrateKbps: 4500, dropped: 0, queueMs: 0,
            path: nil, error: nil)
        change(&destination)
        var report = report
        report.destinations = [destination]
        return String(StatusText.text(report).split(separator: "\n").last ?? "")
    }

    @Test func `The text has a line for the picture, the sound and the hidden windows`() {
        var report = report
        #expect(StatusText.text(report) == "default: live, 01:02, display :0, process 4711")
        report.video = SessionReport.Video(
            width: 1280, height: 720, fps: 60, captured: 90, encoded: 80, repeated: 20, dropped: 1, bitrateKbps: 4500)
        report.audio.app = SessionReport.AudioSource(source: "speakers", levelDb: -12.4, driftPpm: 0, muted: false)
        report.audio.mic = SessionReport.AudioSource(source: nil, levelDb: nil, driftPpm: 0, muted: true)
        report.audio.mic?.problem = "No sound: PulseAudio cannot be reached."
        report.hiddenWindows = [.init(rule: "class:A", windows: 2), .init(rule: "class:B", windows: nil)]
        let text = """
            default: live, 01:02, display :0, process 4711
              video: 1280x720 at 60 fps, 4500 kbit/s; 90 captured, 80 encoded, 20 repeated, 1 dropped
              app: speakers, -12.4 dB
              mic: no source, silent, muted. No sound: PulseAudio cannot be reached.
              hidden: class:A (2 windows), class:B (not yet applied)
            """
        #expect(StatusText.text(report) == text)
        report.video?.fastestPreset = true
        #expect(StatusText.text(report).contains("\n  the machine is too slow: the encoder uses its fastest preset\n"))
        report.video?.encodedFps = 30
        #expect(
            StatusText.text(report).contains(
                "\n  the machine is too slow: the encoder uses its fastest preset for 30 frames a second\n"))
    }

    @Test func `A destination has a line with its state, and its problem at the end`() {
        #expect(destination() == "  studio (rtmp): live, 12.3 MB, rtmp://h/live/…")
        #expect(destination { $0.path = "/v/a.mp4" } == "  studio (rtmp): live, 12.3 MB, /v/a.mp4")
        #expect(
            destination {
                $0.watchUrl = "https://h/watch"
                $0.dropped = 2
                $0.status = "720p accepted"
            }
                == "  studio (rtmp): live, 12.3 MB, rtmp://h/live/…, watch it at https://h/watch, 2 frames dropped, 720p accepted"
        )
        #expect(destination { $0.dropped = 1 }.hasSuffix(", 1 frame dropped"))
        #expect(
            destination {
                $0.state = "reconnecting"
                $0.nextRetryS = 1.2
                $0.error = ErrorReport(code: 503, message: "The connection is lost.")
            }
                == "  studio (rtmp): reconnecting, 12.3 MB, rtmp://h/live/…. Next try in 2 s, or now with broadcast retry. The connection is lost."
        )
        #expect(destination { $0.status = "a\u{1b}[2Jb" }.hasSuffix(", a?[2Jb"))
    }
}
