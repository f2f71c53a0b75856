import Control
import Testing

/// Tests the names that scripts read (docs/protocols.md).
@Suite struct StatusReportTests {
    @Test func `no character that a terminal obeys is in the JSON, and none is lost`() {
        let title = (0...0x2ff).compactMap { Unicode.Scalar($0) }.map { String($0) }.joined() + "ÂÃ€\u{10ffff}"
        for json in [
            ControlJSON.encode(["title": title]), ControlJSON.encodeAsIs(["title": title]),
            ControlJSON.encode([title, title], pretty: true),
        ] {
            let text = String(decoding: json, as: UTF8.self)
            #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control || $0 == "\n" })
            #expect(text.contains("\\u009b") && text.contains("\\u007f") && text.contains("\\u001b"))
        }
        #expect(
            ControlJSON.decode([String: String].self, from: ControlJSON.encode(["title": title])) == ["title": title])
    }

    @Test func `a session is encoded with every documented name, in snake case`() {
        var session = Self.session
        session.application = SessionReport.Application(id: "firefox", title: "Start")
        let json = String(decoding: ControlJSON.encode(StatusReport(sessions: [session])), as: UTF8.self)
        let expected = """
            {"sessions":[{\
            "application":{"id":"firefox","title":"Start"},\
            "audio":{"app":{"drift_ppm":12.5,"level_db":-18.5,"muted":false,"source":"app.monitor"},"mic":{"drift_ppm":-3,"muted":true}},\
            "destinations":[\
            {"bitrate_kbps":2987,"bytes":123456789,"dropped":4,"extension":"rtmp","name":"mobcrush","next_retry_s":2.5,"queue_ms":120,\
            "reconnects":3,"state":"reconnecting","url":"rtmp://127.0.0.1/live","viewers":3,"watch_url":"https://example.org/watch"},\
            {"bitrate_kbps":0,"bytes":0,"dropped":0,"error":{"code":507,"message":"The disk is full."},"extension":"file","name":"archive",\
            "path":"/tmp/out.mp4","queue_ms":0,"reconnects":0,"state":"failed"}],\
            "elapsed":12.5,"name":"default","pid":4321,"session":"default",\
            "source":{"display":":0","height":1080,"kind":"screen","width":1920},\
            "started":"2026-01-02T03:04:05Z","state":"live","title":"Test",\
            "video":{"bitrate_kbps":3000,"captured":300,"dropped":2,"encoded":200,"fps":30,"height":1080,"repeated":100,"width":1920}}],\
            "version":1}
            """
        #expect(json == expected)
    }

    @Test func `unknown values are omitted`() {
        let session = SessionReport(
            session: "default", pid: 1, state: "starting", started: "2026-01-02T03:04:05Z", elapsed: 0, title: nil,
            source: SessionReport.Source(kind: "screen", display: ":0", width: nil, height: nil), video: nil,
            audio: SessionReport.Audio(app: nil, mic: nil), destinations: [])
        let expected = """
            {"audio":{},"destinations":[],"elapsed":0,"name":"default","pid":1,"session":"default","source":{"display":":0","kind":"screen"},\
            "started":"2026-01-02T03:04:05Z","state":"starting"}
            """
        #expect(String(decoding: ControlJSON.encode(session), as: UTF8.self) == expected)
    }

    @Test func `rules that hide windows are listed with the number of their windows`() {
        var session = Self.session
        session.hiddenWindows = [.init(rule: "class:A", windows: 2), .init(rule: "title:*B*", windows: nil)]
        let json = String(decoding: ControlJSON.encode(session), as: UTF8.self)
        #expect(json.contains(#""hidden_windows":[{"rule":"class:A","windows":2},{"rule":"title:*B*"}]"#))
    }

    @Test func `a session that ended with its source says why`() {
        var session = Self.session
        session.endReason = "The window was closed."
        #expect(
            String(decoding: ControlJSON.encode(session), as: UTF8.self).contains(
                #""end_reason":"The window was closed.""#))
    }

    @Test func `a report survives encoding and decoding`() {
        let report = StatusReport(sessions: [Self.session])
        #expect(ControlJSON.decode(StatusReport.self, from: ControlJSON.encode(report)) == report)
        #expect(ControlJSON.decode(StatusReport.self, from: ControlJSON.encode(report, pretty: true)) == report)
    }

    @Test func `a reply is one line, with any content of its strings`() {
        var session = Self.session
        session.title = "two\nlines, \"quotes\", a tab\t, umläute and \u{2028}"
        let line = ControlJSON.encode(ControlReply.session(session))
        #expect(!line.contains(0x0A))
        #expect(ControlJSON.decode(ControlReply.self, from: line)?.session?.title == session.title)
    }

    @Test func `unknown fields are ignored`() {
        let json = """
            {"future":{"a":[1,2]},"version":1,"sessions":[]}
            """
        #expect(ControlJSON.decode(StatusReport.self, from: Array(json.utf8)) == StatusReport(sessions: []))
    }

    private static var session: SessionReport {
        var live = DestinationReport(
            name: "mobcrush", extension: "rtmp", state: "reconnecting", url: "rtmp://127.0.0.1/live",
            bytes: 123_456_789, bitrateKbps: 2987,
            dropped: 4, queueMs: 120, path: nil, error: nil)
        live.reconnects = 3
        live.nextRetryS = 2.5
        live.watchUrl = "https://example.org/watch"
        live.viewers = 3
        let failed = DestinationReport(
            name: "archive", extension: "file", state: "failed", url: nil, bytes: 0, bitrateKbps: 0, dropped: 0,
            queueMs: 0, path: "/tmp/out.mp4",
            error: ErrorReport(code: 507, message: "The disk is full."))
        return SessionReport(
            session: "default", pid: 4321, state: "live", started: "2026-01-02T03:04:05Z", elapsed: 12.5, title: "Test",
            source: SessionReport.Source(kind: "screen", display: ":0", width: 1920, height: 1080),
            video: SessionReport.Video(
                width: 1920, height: 1080, fps: 30, captured: 300, encoded: 200, repeated: 100, dropped: 2,
                bitrateKbps: 3000),
            audio: SessionReport.Audio(
                app: SessionReport.AudioSource(source: "app.monitor", levelDb: -18.5, driftPpm: 12.5, muted: false),
                mic: SessionReport.AudioSource(source: nil, levelDb: nil, driftPpm: -3, muted: true)),
            destinations: [live, failed])
    }
}
