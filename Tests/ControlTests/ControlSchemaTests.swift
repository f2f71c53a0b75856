import Control
import Foundation
import Testing

/// docs/control.schema.json describes what the codec of the control socket writes and reads.
@Suite struct ControlSchemaTests {
    private let schema: JSONSchema

    init() throws { schema = try JSONSchema.control() }

    private func problems(of line: some Sequence<UInt8>, as definition: String?, isComplete: Bool = true) throws
        -> [String]
    {
        try schema.problems(of: JSONValue(parsing: line), as: definition, isComplete: isComplete)
    }

    @Test func `Each request that a client writes is valid, and has no other field`() throws {
        for (request, _) in ControlRequestTests.lines {
            let line = ControlJSON.encode(request)
            #expect(try problems(of: line, as: "request") == [], "\(request)")
            #expect(try problems(of: line, as: nil) == [], "\(request)")
        }
    }

    @Test func `Each reply that a session writes is valid, and has no other field`() throws {
        let replies = ControlReplyTests.lines.map(\.0) + [.session(Self.full), .destination(Self.fullDestination)]
        for reply in replies {
            let line = ControlJSON.encode(reply)
            #expect(try problems(of: line, as: "reply") == [], "\(reply)")
            #expect(try problems(of: line, as: nil) == [], "\(reply)")
        }
    }

    @Test func `Each event that a session writes is valid, and has no other field`() throws {
        var events: [EventReport] = []
        for name in [
            "state", "annotation", "destination", "microphone", "hide", "unhide", "warning", "clip", "comment",
            "statistics",
        ] {
            var event = EventReport(time: "2026-01-02T03:04:05Z", event: name, session: "default")
            switch name {
            case "state": event.state = "paused"
            case "annotation": event.annotation = ["songTitle": "Ænima"]
            case "destination": event.destination = Self.fullDestination
            case "microphone": event.microphone = false
            case "hide", "unhide": event.rule = "class:KeePassXC"
            case "warning": event.message = "The disk is almost full."
            case "clip": event.clip = ClipReport(path: "/a.mp4", start: 1, duration: 30)
            case "comment": event.comment = CommentReport(destination: "lan", from: "Ada", text: "Hello")
            default: event.statistics = Self.full
            }
            events.append(event)
        }
        for event in events {
            let line = ControlJSON.encode(event)
            #expect(try problems(of: line, as: "event") == [], "\(event)")
            #expect(try problems(of: line, as: nil) == [], "\(event)")
        }
        #expect(
            try problems(of: ControlJSON.encode(EventReport(time: "t", event: "state", session: "a")), as: "event")
                != [])
    }

    @Test func `Fields that are unknown are valid`() throws {
        for (_, line) in ControlRequestTests.lines + ControlReplyTests.lines.map({ (ControlRequest.status, $0.1) }) {
            let longer = line.dropLast() + #","future":{"x":[1,null]}}"#
            #expect(try problems(of: longer.utf8, as: nil, isComplete: false) == [], "\(longer)")
            #expect(try problems(of: longer.utf8, as: nil) != [], "\(longer)")
        }
    }

    @Test func `What a session rejects is not valid`() throws {
        for (_, line) in ControlRequestTests.invalid {
            #expect(try problems(of: line.utf8, as: "request", isComplete: false) != [], "\(line)")
        }
        for line in ControlRequestTests.garbage {
            // A line that is no JSON has no value that could be valid.
            guard let value = try? JSONValue(parsing: line.utf8) else { continue }
            #expect(try schema.problems(of: value, as: "request") != [], "\(line)")
        }
        for line in [
            #"{"command":"hide"}"#, #"{"command":"hide","value":"KeePassXC"}"#, #"{"command":"remove-destination"}"#,
        ] {
            #expect(try problems(of: line.utf8, as: "request") != [], "\(line)")
        }
    }

    @Test func `A reply with a wrong or missing field is not valid`() throws {
        for line in [
            "{}", #"{"session":"default"}"#, #"{"retried":[1]}"#, #"{"clip":{"path":"/a.mp4","start":1}}"#,
            #"{"error":{"code":1.5,"message":"No."}}"#, #"{"error":{"code":404}}"#, #"{"microphone":true}"#,
            #"{"retried":[],"error":{"code":404,"message":"No."}}"#,
        ] {
            #expect(try problems(of: line.utf8, as: "reply", isComplete: false) != [], "\(line)")
        }
    }

    @Test func `The examples of the documentation are valid requests`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("docs/protocols.md"), encoding: .utf8)
        var commands: Set<ControlRequest.Command> = []
        for match in text.matches(of: /\| `(\{"command":[^`]*\})` \|/) {
            guard case .success(let request)? = ControlRequest.parse(match.1.utf8) else {
                Issue.record("docs/protocols.md has the request \(match.1)")
                continue
            }
            #expect(try problems(of: match.1.utf8, as: "request") == [], "\(match.1)")
            commands.insert(request.command)
        }
        #expect(commands == Set(ControlRequest.Command.allCases))
    }

    // MARK: Reports with every field

    private static let fullDestination = DestinationReport(
        name: "rtmp", extension: "rtmp", state: "reconnecting", url: "rtmp://127.0.0.1/live", bytes: 123_456,
        bitrateKbps: 2987, dropped: 4,
        duration: 38.2, queueMs: 120, reconnects: 1, nextRetryS: 2.5, width: 1280, height: 720,
        path: "/home/ada/talk.mp4",
        watchUrl: "https://example.com/ada", viewers: 3, status: "uploading",
        error: ErrorReport(code: 503, message: "No.", status: 69))

    private static let full = SessionReport(
        session: "default", pid: 4711, state: "live", started: "2026-01-02T03:04:05Z", elapsed: 42.5, title: "A talk",
        source: SessionReport.Source(
            kind: "screen", display: ":0", name: "HDMI-1", width: 1920, height: 1080, locked: true, withheld: true,
            shared: true),
        video: SessionReport.Video(
            width: 1920, height: 1080, fps: 30, captured: 300, encoded: 200, repeated: 100, dropped: 0,
            bitrateKbps: 2310, targetKbps: 4500,
            fastestPreset: true, encodedFps: 15),
        audio: SessionReport.Audio(
            app: SessionReport.AudioSource(source: "sink.monitor", levelDb: -18.5, driftPpm: 12.5, muted: false),
            mic: SessionReport.AudioSource(
                source: nil, levelDb: nil, driftPpm: 0, muted: true, problem: "No sound: PulseAudio cannot be reached.")
        ),
        application: SessionReport.Application(id: "firefox", title: "Start", name: "Firefox"),
        hiddenWindows: [
            SessionReport.HiddenWindows(rule: "class:KeePassXC", windows: 2),
            SessionReport.HiddenWindows(rule: "pid:7", windows: nil),
        ],
        endReason: "The window was closed.", destinations: [fullDestination])
}
