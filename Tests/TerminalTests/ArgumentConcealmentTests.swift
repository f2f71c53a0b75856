import Terminal
import Testing

struct ArgumentConcealmentTests {
    @Test(
        arguments: [
            (["status", "rtmp://h/app/KEY123"], "This argument is not expected: \"rtmp://h/app/KEY123\"."),
            (
                ["start", "--fps", "rtmp://h/app/KEY123"],
                "The value 'rtmp://h/app/KEY123' is invalid for '--fps <fps>'."
            ),
            (["start", "--fps=rtmp://h/app/KEY123"], "The value 'rtmp://h/app/KEY123' is invalid for '--fps <fps>'."),
            (["start", "--to", "twich:KEY123"], "There is no destination \"twich:KEY123\"."),
            (
                ["add-destination", "default", "live.twitch.tv/app/KEY123"],
                "Unexpected argument 'live.twitch.tv/app/KEY123'"
            ),
            (["status", "rtmp://h/app/K'KEY123"], "Unexpected argument 'rtmp://h/app/K'KEY123'"),
            (["status", "rtmp://h/app/K\nKEY123"], "Unexpected argument 'rtmp://h/app/K\nKEY123'"),
            (["start", "--y4m", "rtmp://h/app/K KEY123"], "Cannot read rtmp://h/… KEY123: no."),
            (["clip", "rtmp:/h/app/KEY123"], "rtmp:/h/app/KEY123 cannot be written."),
        ])
    func `A message that repeats an argument does not repeat its key`(arguments: [String], message: String) {
        let clean = ArgumentConcealment.clean(message, arguments: ["broadcast"] + arguments)
        #expect(!clean.contains("KEY123") && clean.contains("…"), "\(clean)")
    }

    @Test(
        arguments: [
            (["start", "--to", "live_123_KEY"], true), (["start", "--to=live_123_KEY"], true),
            (["setup", "twitch", "live_123_KEY"], true),
            (["sign-out", "live_123_KEY"], true), (["picker", "--preferred", "live_123_KEY"], true),
            (["start", "--session", "session-2024-1"], false), (["status", "session-2024-1"], false),
            (["start", "--to", "talk-2024-01.mp4"], false),
        ])
    func `The list of processes does not show a key in place of a destination`(arguments: [String], isHidden: Bool) {
        let index = arguments.count
        let shown = ArgumentConcealment.shown(index, in: ["broadcast"] + arguments)
        #expect((shown != nil) == isHidden)
        #expect(
            shown.map {
                !String(decoding: $0, as: UTF8.self).contains("KEY") && $0.count == arguments[index - 1].utf8.count
            } ?? true)
    }

    @Test func `Other arguments stay in messages`() {
        let message = "class:Bitwarden is hidden already."
        #expect(ArgumentConcealment.clean(message, arguments: ["broadcast", "hide", "class:Bitwarden"]) == message)
        #expect(
            ArgumentConcealment.clean("Cannot create talk.mp4.", arguments: ["broadcast", "start", "--to", "talk.mp4"])
                == "Cannot create talk.mp4.")
    }
}
