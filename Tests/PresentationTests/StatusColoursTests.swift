import Presentation
import Testing

struct StatusColoursTests {
    private static let line = "● live  00:42  app silent  mine reconnecting in 3 s"

    @Test func `A terminal shows what is live in red, and what needs attention in yellow`() {
        let colours = StatusColours(environment: ["TERM": "xterm", "LANG": "en_GB.UTF-8"])
        #expect(
            colours.apply(to: Self.line)
                == "\u{1b}[31m●\u{1b}[0m live  00:42  app \u{1b}[33msilent\u{1b}[0m  mine \u{1b}[33mreconnecting\u{1b}[0m in 3 s"
        )
    }

    @Test(arguments: [
        ["TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8"], ["TERM": "dumb", "LC_ALL": "de_DE.utf8"],
        ["LANG": "en_GB.UTF-8"],
    ])
    func `NO_COLOR, a dumb terminal and none have no colours`(environment: [String: String]) {
        #expect(StatusColours(environment: environment).apply(to: Self.line) == Self.line)
    }

    @Test func `Without Unicode, the marks are ASCII`() {
        let colours = StatusColours(environment: ["TERM": "dumb", "LANG": "C"])
        #expect(colours.apply(to: Self.line).hasPrefix("* live") && colours.apply(to: "○ paused") == "o paused")
    }
}
