import ArgumentParser
import Testing
import broadcast

struct UsageSentenceTests {
    private func sentence(_ arguments: [String]) -> String? {
        do {
            _ = try Broadcast.parseAsRoot(arguments)
            return nil
        } catch {
            return UsageSentence(arguments: arguments).text(for: error)
        }
    }

    @Test(arguments: [
        (["strat"], "Did you mean start?"), (["start", "--bitrat", "6M"], "Did you mean --bitrate?"),
        (["start", "--no-audio"], "Did you mean --no-app-audio?"),
        (["start", "talk.mp4"], "broadcast start --to talk.mp4"),
        (["add-destination", "my", "talk.mp4"], "broadcast add-destination talk.mp4"),
        (["man"], "Run: man broadcast"),
        (["start", "--to", "my", "talk.mp4"], "--to \"my talk.mp4\""),
        (["start", "--to", "a.mp4", "--mic", "b.mp4"], "broadcast start --to b.mp4"),
        (["--to", "talk.mp4"], "broadcast start --to"), (["start", "--fps", "many"], "broadcast start --help"),
        (["-V"], "Did you mean --version?"), (["quit"], "Run: broadcast stop"),
        (["stop", "now"], "broadcast stop --session now"), (["start", "--to", "-talk.mp4"], "./-talk.mp4"),
        (["unhide"], "broadcast status lists"), (["hide"], "broadcast hide pick"),
    ])
    func `A wrong command line gets one sentence with the next step`(arguments: [String], part: String) throws {
        let text = try #require(sentence(arguments))
        #expect(text.contains(part) && !text.contains("\n"), "\(text)")
    }

    @Test(arguments: [["start", "--to", "talk.mp4"], ["start", "--to", "-"], ["stop"], ["setup", "twitch"]])
    func `A correct command line gets none`(arguments: [String]) {
        #expect(sentence(arguments) == nil)
    }
}
