import Terminal
import Testing

struct ArgumentConcealmentTests {
    @Test(
        arguments: [
            (["status", "rtmp://h/app/KEY123"], "This argument is not expected: \"rtmp://h/app/KEY123\"."),
            (["start", "--fps", "rtmp://h/app/KEY123"], "The value 'rtmp://h/app/KEY123' is invalid for '--fps <fps>'."),
            (["start", "--fps=rtmp://h/app/KEY123"], "The value 'rtmp://h/app/KEY123' is invalid for '--fps <fps>'."),
            (["start", "--to", "twich:KEY123"], "There is no destination \"twich:KEY123\"."),
            (["add-destination", "default", "live.twitch.tv/app/KEY123"], "Unexpected argument 'live.twitch.tv/app/KEY123'"),
            (["clip", "rtmp:/h/app/KEY123"], "rtmp:/h/app/KEY123 cannot be written."),
        ])
    func `A message that repeats an argument does not repeat its key`(arguments: [String], message: String) {
        let clean = ArgumentConcealment.clean(message, arguments: ["broadcast"] + arguments)
        #expect(!clean.contains("KEY123") && clean.contains("…"), "\(clean)")
    }

    @Test func `Other arguments stay in messages`() {
        let message = "class:Bitwarden is hidden already."
        #expect(ArgumentConcealment.clean(message, arguments: ["broadcast", "hide", "class:Bitwarden"]) == message)
        #expect(
            ArgumentConcealment.clean("Cannot create talk.mp4.", arguments: ["broadcast", "start", "--to", "talk.mp4"]) == "Cannot create talk.mp4.")
    }
}
