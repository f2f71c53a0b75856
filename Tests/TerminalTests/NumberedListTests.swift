import CommandModels
import Terminal
import Testing

/// The picker on a terminal without cursor control. Each test is a process of its own.
struct NumberedListTests {
    private static let items: [PickerModel.Item] = [
        .init(name: "archive", service: "file", place: "/srv/a.mp4"),
        .init(name: "twitch", service: "rtmp", place: "rtmp://h/app", isPreferred: true, isSignedIn: true),
        .init(name: "studio", service: "rtmp", isSignedIn: false),
    ]

    private static func ask(_ model: PickerModel, _ input: String) -> PickerModel.Action {
        StandardStreams.feed(input)
        return NumberedList(model: model).ask()
    }

    /// What the user types, and what that chooses: the name, and the microphone, or a word.
    private static let choices: [(input: String, choice: String)] = [
        ("1\n\n", "start archive without microphone"), ("1\ny\n", "start archive with microphone"),
        ("\nYES\n", "start twitch with microphone"),
        (" twitch \r\nn\n", "start twitch without microphone"), ("3\n", "set up studio"), ("q\n", "quit"), ("", "quit"),
        ("1\n", "quit"),
        ("0\n4\n-1\nnothing\nstudio\n", "set up studio"),
    ]

    @Test(arguments: choices) func `A number or a name chooses, and an empty line takes the preferred destination`(
        input: String, choice: String
    ) async {
        await #expect(processExitsWith: .success) { [input, choice] in
            let text =
                switch NumberedListTests.ask(PickerModel(items: NumberedListTests.items), input) {
                case .start(let name, let microphone):
                    "start \(name) \(microphone == true ? "with" : "without") microphone"
                case .setUp(let name): "set up \(name)"
                case .quit: "quit"
                case let other: "\(other)"
                }
            #expect(text == choice)
        }
    }

    @Test func `The list shows each destination, and a wrong answer is named`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var model = PickerModel(items: NumberedListTests.items, hasMicrophoneButton: false)
            model.others = [
                .init(
                    name: "talk", live: .init(state: "live", clock: "01:02", destinations: ["a"], isMicrophoneOn: nil))
            ]
            #expect(NumberedListTests.ask(model, "9\n1\n") == .start(name: "archive", microphone: nil))
        }
        let text = """
            Session talk is live since 01:02.
            Broadcast your screen to:
                1  archive  (file, /srv/a.mp4)
              * 2  twitch  (rtmp, rtmp://h/app, signed in)
                3  studio  (rtmp, not signed in)
            Which one? [2] (q quits) There is no "9". Give a number from 1 to 3.
            Which one? [2] (q quits) 
            """
        let shown = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(shown.contains(text), "\(shown)")
    }

    @Test(arguments: [("y\n", true), ("n\n", false), ("\n", false), ("", false)])
    func `A running broadcast is stopped only after a yes`(input: String, stops: Bool) async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [input, stops] in
            let live = PickerModel.Live(
                state: "live", clock: "01:02", destinations: ["archive", "twitch"], isMicrophoneOn: nil)
            let action = NumberedListTests.ask(PickerModel(items: NumberedListTests.items, live: live), input)
            #expect(action == (stops ? .stop : .quit))
        }
        let shown = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(shown.contains("A broadcast is live since 01:02, to archive, twitch.\nStop it? [y/N] "), "\(shown)")
    }

    @Test func `What was typed before a question is no answer to it`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.typeBefore("1\n")
            terminal.answer("Which one? [2] (q quits) ", with: "3\n")
            #expect(NumberedList(model: PickerModel(items: NumberedListTests.items)).ask() == .setUp(name: "studio"))
        }
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            let live = PickerModel.Live(state: "live", clock: "01:02", destinations: ["archive"], isMicrophoneOn: nil)
            terminal.typeBefore("y\n")
            terminal.answer("Stop it? [y/N] ", with: "n\n")
            #expect(NumberedList(model: PickerModel(items: NumberedListTests.items, live: live)).ask() == .quit)
        }
    }
}
