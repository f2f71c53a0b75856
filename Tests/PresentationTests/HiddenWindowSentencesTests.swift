import Control
import Presentation
import Testing
import WindowPrivacy

struct HiddenWindowSentencesTests {
    @Test(
        arguments: [
            (nil, "class:A (not yet applied)"), (0, "class:A (no window now)"), (1, "class:A (1 window)"),
            (3, "class:A (3 windows)"),
        ] as [(Int?, String)])
    func `The status says how many windows a rule hides`(windows: Int?, text: String) {
        #expect(HiddenWindowSentences.summary(SessionReport.HiddenWindows(rule: "class:A", windows: windows)) == text)
    }

    @Test func `A rule that matches no window is noted with the command that removes it`() {
        #expect(HiddenWindowSentences.note(after: "class:A", in: report(1)) == nil)
        #expect(HiddenWindowSentences.note(after: "class:A", in: nil) == nil)
        #expect(
            HiddenWindowSentences.note(after: "class:A", in: report(0))?.hasSuffix(": broadcast unhide class:A") == true
        )
        #expect(
            HiddenWindowSentences.note(after: "title:*a b*", in: report(0, "title:*a b*"))?.hasSuffix(
                ": broadcast unhide 'title:*a b*'") == true)
    }

    @Test func `A rule on a Wayland desktop is noted with what viewers see`() {
        var report = report(0)
        report.source.shared = true
        #expect(HiddenWindowSentences.note(after: "class:A", in: report)?.contains("viewers see a slate") == true)
        report.source.kind = "window"
        #expect(
            HiddenWindowSentences.note(after: "class:A", in: report)?.contains("the shared window stays visible")
                == true)
        let rule = SessionReport.HiddenWindows(rule: "class:A", windows: nil)
        #expect(
            HiddenWindowSentences.summary(rule, of: report.source)
                == "class:A (a program cannot hide windows on Wayland)")
    }

    @Test(
        arguments: [
            ("KeePassXC", "class:KeePassXC or title:*KeePassXC*"), ("*Signal*", "title:*Signal*"),
            ("0x1400003", "id:0x1400003"),
            ("4194307", "id:0x400003"),
        ])
    func `A rule without a kind is rejected with the rule that the user probably means`(word: String, rule: String) {
        #expect(throws: HiddenWindowRule.ParseError.unknownKind(word)) { try HiddenWindowRule(word) }
        #expect(HiddenWindowRule.ParseError.unknownKind(word).sentence.hasSuffix(", for example \(rule)."))
    }

    private func report(_ windows: Int, _ rule: String = "class:A") -> SessionReport {
        SessionReport(
            session: "default", pid: 1, state: "live", started: "", elapsed: 0, title: nil,
            source: SessionReport.Source(kind: "screen", display: ":0", width: nil, height: nil), video: nil,
            audio: SessionReport.Audio(app: nil, mic: nil),
            hiddenWindows: [SessionReport.HiddenWindows(rule: rule, windows: windows)],
            destinations: [])
    }
}
