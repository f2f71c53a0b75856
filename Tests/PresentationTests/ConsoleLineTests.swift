import Glibc
import Host
import Media
import Presentation
import Session
import Testing
import Upload
import UserConfiguration

/// The lines about events, and the other short texts of commands.
struct ConsoleLineTests {
    private func line(_ event: HostEvent) -> String? { ErrorPresenter().logLine(event, session: "talk") }

    private func line(_ state: DestinationState, error: UploadError? = nil, retry: MediaTime? = nil) -> String? {
        line(
            .destination(
                DestinationSnapshot(
                    name: "studio", kind: .rtmp, state: state, path: "/v/a.mp4", nextRetry: retry, error: error)))
    }

    @Test func `What a viewer writes has a plain line, which is not in the log`() {
        let comment = HostEvent.comment(ViewerComment(name: "Ada", text: "Hello\u{1b}]0;"), destination: "lan")
        #expect(ConsoleLine(comment, session: "talk")?.text == "lan: <Ada> Hello?]0;")
        #expect(ConsoleLine(comment, session: "talk")?.isProblem == false && line(comment) == nil)
        #expect(CommentLine.text("Hello", from: "") == "Hello")
    }

    @Test func `The address for viewers is on the terminal, and not in the log`() {
        var live = DestinationSnapshot(name: "room", kind: .program("lan"), state: .live)
        live.watchURL = "http://192.168.1.5:8330/secret/"
        live.statusText = "not encrypted"
        #expect(
            ConsoleLine(.destination(live), session: "talk")?.text
                == "room: live, watch it at http://192.168.1.5:8330/secret/ (not encrypted)")
        #expect(line(.destination(live)) == "room: live")
    }

    @Test func `A change of the session has a line in the log`() {
        #expect(line(.state(.live)) == "session talk: live" && line(.state(.finishing)) == "session talk: finishing")
        #expect(
            line(.changed(.microphone(isOn: true))) == "microphone: on"
                && line(.changed(.microphone(isOn: false))) == "microphone: off")
        #expect(line(.changed(.hidden(rule: "class:A"))) == "hidden: class:A")
        #expect(line(.changed(.unhidden(rule: "class:A"))) == "no longer hidden: class:A")
        #expect(line(.changed(.annotated(["score": "1:0", "scene": "a b"]))) == "annotated: scene=a b score=1:0")
        #expect(line(.changed(.removed(destination: "studio"))) == "studio: removed.")
    }

    @Test func `Events without news have no line`() {
        let snapshot = SessionSnapshot(state: .live, elapsed: .zero, destinations: [])
        #expect(line(.started) == nil && line(.annotation(["a": "b"])) == nil && line(.statistics(snapshot)) == nil)
        #expect(line(.connecting) == nil && line(.paused) == nil && line(.finished) == nil && line(.failed) == nil)
    }

    @Test func `A destination that was tried again does not advise to wait for the network`() {
        let error = UploadError.rtmp(.unreachable(host: "h", port: 1935, .system(code: ECONNREFUSED)))
        var failed = DestinationSnapshot(name: "studio", kind: .rtmp, state: .failed, error: error)
        #expect(ResultLine.text(failed).hasSuffix("use --wait-for-network."))
        failed.isRetried = true
        #expect(ResultLine.text(failed).hasSuffix("check the address and the network."))
        #expect(ConsoleLine(.destination(failed), session: "talk")?.text.hasSuffix("the network.") == true)
    }

    @Test func `A destination that is lost says when it tries again, and the reason last`() {
        #expect(line(.live) == "studio: live (/v/a.mp4)")
        #expect(line(.reconnecting) == "studio: The connection is lost.")
        #expect(
            line(
                .reconnecting, error: .rtmp(.unreachable(host: "h", port: 1935, .system(code: ECONNREFUSED))),
                retry: MediaTime(milliseconds: 900))
                == "studio: Next try in 1 s, or now with broadcast retry --session talk. "
                + "Cannot connect to h port 1935 (nothing listens there): check the address and the network.")
        #expect(
            line(.reconnecting, error: .rtmp(.timedOut(.connecting)), retry: MediaTime(milliseconds: 3100))
                == "studio: Next try in 4 s, or now with broadcast retry --session talk. "
                + "The connection to the server timed out: check the address and the network.")
        #expect(
            line(.failed, error: .notFinishedInTime)?.hasPrefix("studio: failed. It did not finish in time") == true)
    }

    @Test func `The log ends with the results, and with the error of the session`() {
        let done = DestinationSnapshot(
            name: "a.mp4", kind: .file, state: .finished, path: "/v/a.mp4", byteCount: 1_000_000,
            duration: MediaTime(milliseconds: 2000))
        let snapshot = SessionSnapshot(state: .failed, elapsed: .zero, destinations: [done])
        let result = "a.mp4: 00:02, 1.0 MB (/v/a.mp4)"
        #expect(ErrorPresenter().logLines(HostOutcome(failure: nil, snapshot: snapshot, isAsked: true)) == [result])
        #expect(
            ErrorPresenter().logLines(
                HostOutcome(
                    failure: .pipeline(.capture(.displayServerGone(":9"))), snapshot: snapshot, isAsked: false))
                == [result, "The X server of display :9 ended. Recordings are complete up to that moment."])
    }

    @Test func `A clip that is shorter than requested says its length`() {
        #expect(ClipSentences.shorter(2.96) == "The clip has 3.0 s: the session kept no more.")
    }

    @Test func `A table has aligned columns, and the last one has no spaces at its end`() {
        #expect(TextTable.text([["name", "a", "b"], ["n", "longer"], ["x"]]) == "name  a       b\nn     longer\nx")
        #expect(TextTable.text([]) == "")
    }

    @Test func `The questions of previews are complete sentences`() {
        #expect(
            PreviewSentences.question(file: nil)
                == "This is what viewers will see. Enter or y goes live, anything else cancels: ")
        #expect(
            PreviewSentences.question(file: "/run/p.png")
                == "The desktop's image viewer shows what viewers will see (/run/p.png). Enter or y goes live, anything else cancels: "
        )
    }
}
