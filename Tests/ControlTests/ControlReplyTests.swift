import Control
import Testing

/// The JSON of replies.
@Suite struct ControlReplyTests {
    static let session = SessionReport(
        session: "default", pid: 1, state: "live", started: "2026-01-02T03:04:05Z", elapsed: 1, title: nil,
        source: SessionReport.Source(kind: "screen", display: ":0", width: nil, height: nil), video: nil,
        audio: SessionReport.Audio(app: nil, mic: nil), destinations: [])
    static let destination = DestinationReport(
        name: "rtmp", extension: "rtmp", state: "live", url: nil, bytes: 0, bitrateKbps: 0, dropped: 0, queueMs: 0,
        path: nil, error: nil)

    private static let sessionText = """
        {"audio":{},"destinations":[],"elapsed":1,"name":"default","pid":1,"session":"default","source":{"display":":0","kind":"screen"},\
        "started":"2026-01-02T03:04:05Z","state":"live"}
        """

    /// One reply of each kind, and their lines.
    static let lines: [(ControlReply, String)] = [
        (.session(session), #"{"session":\#(sessionText)}"#),
        (.microphone(isOn: true, session), #"{"microphone":true,"session":\#(sessionText)}"#),
        (.microphone(isOn: false, session), #"{"microphone":false,"session":\#(sessionText)}"#),
        (
            .clip(ClipReport(path: "/a.mp4", start: 12.5, duration: 30)),
            #"{"clip":{"duration":30,"path":"/a.mp4","start":12.5}}"#
        ),
        (
            .destination(destination),
            #"{"destination":{"bitrate_kbps":0,"bytes":0,"dropped":0,"extension":"rtmp","name":"rtmp","queue_ms":0,"reconnects":0,"state":"live"}}"#
        ),
        (.retried([]), #"{"retried":[]}"#),
        (.retried(["a", "b"]), #"{"retried":["a","b"]}"#),
        (.error(ErrorReport(code: 404, message: "No.")), #"{"error":{"code":404,"message":"No."}}"#),
        (
            .error(ErrorReport(code: 503, message: "No.", status: 69)),
            #"{"error":{"code":503,"message":"No.","status":69}}"#
        ),
    ]

    @Test func `Each reply is written as its line and read from it`() {
        for (reply, line) in Self.lines {
            #expect(String(decoding: ControlJSON.encode(reply), as: UTF8.self) == line)
            #expect(ControlJSON.decode(ControlReply.self, from: line.utf8) == reply)
            let longer = #"{"future":[{}],"# + line.dropFirst()
            #expect(ControlJSON.decode(ControlReply.self, from: longer.utf8) == reply, "\(longer)")
        }
    }

    @Test func `A client asks a reply for what it expects`() {
        let microphone = ControlReply.microphone(isOn: true, Self.session)
        #expect(microphone.session == Self.session && microphone.microphone == true && microphone.error == nil)
        let session = ControlReply.session(Self.session)
        #expect(
            session.session == Self.session && session.microphone == nil && session.clip == nil
                && session.retried == nil)
        #expect(ControlReply.retried(["a"]).retried == ["a"] && ControlReply.retried(["a"]).session == nil)
        #expect(ControlReply.destination(Self.destination).destination == Self.destination)
        #expect(ControlReply.error(ErrorReport(code: 404, message: "No.")).error?.code == 404)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"future":1}"#, #"{"session":"default"}"#, #"{"retried":"a"}"#,
        #"{"error":{"code":"404","message":"No."}}"#,
        #"{"microphone":true}"#, #"{"clip":{"path":"/a.mp4"}}"#,
    ]) func `A line without a known field, or with a wrong one, is not a reply`(line: String) {
        #expect(ControlJSON.decode(ControlReply.self, from: line.utf8) == nil)
    }
}
