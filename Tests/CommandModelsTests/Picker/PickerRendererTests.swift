import CommandModels
import Testing

@Suite struct PickerRendererTests {
    private static let model = PickerModel(
        items: [
            .init(name: "archive", service: "file", place: "/srv/archive.mp4"),
            .init(
                name: "mobcrush", service: "rtmp", place: "rtmp://live.example/app", isPreferred: true, isSignedIn: true
            ),
            .init(name: "twitch", service: "rtmp", isSignedIn: false),
        ], sources: ["Screen      :0, 1920x1080", "Sound       Monitor of Speakers"],
        notice: "Your whole screen will be visible, except class:KeePassXC.")

    private static func text(_ model: PickerModel, _ width: Int, _ height: Int) -> String {
        PickerRenderer(width: width, height: height).lines(model).map {
            String($0.text.reversed().drop { $0 == " " }.reversed())
        }.joined(
            separator: "\n")
    }

    @Test func `On 80 by 24 everything is visible`() {
        #expect(
            Self.text(Self.model, 80, 24) == """
                Broadcast your screen to

                    archive   file                 /srv/archive.mp4
                > * mobcrush  rtmp  signed in      rtmp://live.example/app
                    twitch    rtmp  not signed in













                Microphone  [ ] off
                Screen      :0, 1920x1080
                Sound       Monitor of Speakers

                Your whole screen will be visible, except class:KeePassXC.
                Enter: start   Tab: microphone   Type to find   Esc: quit
                """)
    }

    @Test func `On 40 by 10 the notice is complete and the list keeps its rows`() {
        #expect(
            Self.text(Self.model, 40, 10) == """
                Broadcast your screen to
                    archive   file                 /srv…
                > * mobcrush  rtmp  signed in      rtmp…
                    twitch    rtmp  not signed in

                Microphone  [ ] off
                Your whole screen will be visible,
                except class:KeePassXC.
                Enter: start   Tab: microphone
                Type to find   Esc: quit
                """)
    }

    @Test func `While live, the live destination is marked, and the keys say what Enter does to the selected one`() {
        var model = Self.model
        model.live = .init(state: "live", clock: "01:02", destinations: ["archive"], isMicrophoneOn: true)
        let text = Self.text(model, 80, 24)
        #expect(text.hasPrefix("● live 01:02, to archive\n\n  ● archive   file"), "\(text)")
        #expect(
            text.contains("Microphone  [x] on\n")
                && text.hasSuffix("Enter: add   Tab: microphone   Type to find   Esc: quit"), "\(text)")
        _ = model.press(.up)
        #expect(Self.text(model, 80, 24).hasSuffix("Enter: stop   Tab: microphone   Type to find   Esc: quit"))
        model.live?.destinations = ["archive", "talk.mp4"]
        let both = Self.text(model, 80, 24)
        #expect(both.contains("\n  ● talk.mp4\n> ● archive   file"), "\(both)")
        #expect(both.hasSuffix("Enter: remove   Tab: microphone   Type to find   Esc: quit"), "\(both)")
        _ = model.press(.enter)
        let question = PickerRenderer(width: 80, height: 24).lines(model).last
        #expect(question?.text == "Remove archive?   y: remove   Any other key: continue" && question?.style == .plain)
        model.live?.destinations = ["archive"]
        for _ in 0..<2 { _ = model.press(.enter) }
        #expect(Self.text(model, 80, 24).hasSuffix("Stop the broadcast?   y: stop   Any other key: continue"))
    }

    @Test func `Other sessions are shown, and further ones are counted`() {
        var model = Self.model
        model.others = ["desk", "game", "talk", "wall"].map {
            .init(name: $0, live: .init(state: "live", clock: "00:05", destinations: ["archive"], isMicrophoneOn: nil))
        }
        let text = Self.text(model, 80, 24)
        #expect(text.hasPrefix("Broadcast your screen to\n\n    archive   file"), "\(text)")
        #expect(
            text.contains(
                """

                ● live 00:05  session desk, to archive
                ● live 00:05  session game, to archive
                ● live 00:05  session talk, to archive
                ● and 1 more: broadcast status
                Microphone  [ ] off
                """), "\(text)")
        #expect(text.hasSuffix("Enter: start   Tab: microphone   Type to find   Esc: quit"), "\(text)")
    }

    @Test func `Without sign-in, the picker offers it, and a search is shown`() {
        var model = Self.model
        for letter in "twi" { _ = model.press(.character(letter)) }
        let text = Self.text(model, 80, 24)
        #expect(text.hasPrefix("Find: twi_\n\n>   twitch"), "\(text)")
        #expect(text.hasSuffix("Enter: sign in   Tab: microphone   Type to find   Esc: show all"), "\(text)")
        #expect(!text.contains("mobcrush"))
    }

    @Test func `A long list scrolls with the selection`() {
        var model = PickerModel(
            items: (1...100).map { .init(name: "place-\($0)", service: "file", isPreferred: $0 == 50) })
        for (keys, name) in [
            ([], "> * place-50 "), ([PickerKey.end], ">   place-100"), ([.home], ">   place-1 "),
            ([.down], ">   place-2 "),
        ] {
            for key in keys { _ = model.press(key) }
            let lines = PickerRenderer(width: 60, height: 12).lines(model)
            #expect(lines.count == 12)
            let selected = lines.filter { $0.style == .selected }
            #expect(selected.count == 1 && selected.allSatisfy { $0.text.hasPrefix(name) }, "\(lines.map(\.text))")
        }
    }

    @Test func `At no size is a line too wide or are there too many lines`() {
        let items: [PickerModel.Item] = [
            .init(name: "日本語の放送局", service: "rtmp", place: "rtmp://例え.example/アプリ", isSignedIn: true),
            .init(
                name: "e\u{301}toile 👩‍👩‍👧 🇫🇷", service: "my-extension", place: "x\u{1b}[2J\ny\u{7}\u{202e}z",
                isPreferred: true),
            .init(name: "a", service: "file"),
        ]
        for live in [
            nil, PickerModel.Live(state: "live", clock: "00:01", destinations: ["日本語の放送局", "b"], isMicrophoneOn: true),
        ] {
            var model = PickerModel(
                items: items, live: live, sources: ["Screen      :0\u{1b}]0;x\u{7}", "Sound       音声"])
            model.others = [
                .init(
                    name: "b\u{1b}c",
                    live: .init(state: "live", clock: "00:01", destinations: ["日本"], isMicrophoneOn: nil))
            ]
            for width in 1...90 {
                for height in 1...30 {
                    let lines = PickerRenderer(width: width, height: height).lines(model)
                    #expect(lines.count == height)
                    #expect(lines.contains { $0.style == .selected })
                    for line in lines {
                        #expect(DisplayWidth.of(line.text) <= width, "\(width)x\(height): \(line.text)")
                        #expect(
                            !line.text.unicodeScalars.contains {
                                $0.value < 32 || $0.value == 127 || $0.value == 0x202e
                            },
                            "\(line.text.debugDescription)")
                    }
                }
            }
        }
        #expect(PickerRenderer(width: 0, height: 0).lines(PickerModel(items: items)) == [])
    }

    @Test func `The notice can be omitted`() {
        var model = Self.model
        model.notice = nil
        #expect(!Self.text(model, 80, 24).contains("visible"))
    }

    @Test func `A search without a result shows a sentence instead of rows`() {
        var model = Self.model
        for letter in "zzz" { _ = model.press(.character(letter)) }
        let lines = PickerRenderer(width: 80, height: 24).lines(model)
        #expect(lines.count == 24 && !lines.contains { $0.style == .selected })
        #expect(lines.filter { $0.text.contains("No match.") }.map(\.style) == [.faint])
        #expect(lines.last?.text.contains("Enter") == false)
    }

    @Test func `A live session without a microphone has no button for it`() {
        var model = Self.model
        model.live = .init(state: "paused", clock: "01:02", destinations: [], isMicrophoneOn: nil)
        let text = Self.text(model, 80, 24)
        #expect(text.hasPrefix("● paused 01:02\n") && !text.contains("Microphone") && !text.contains("Tab"), "\(text)")
        let without = PickerModel(items: [.init(name: "only", service: "file")], hasMicrophoneButton: false)
        #expect(Self.text(without, 80, 24).hasSuffix("Enter: start   Esc: quit"))
    }

    @Test func `Page keys go as far as there are rows`() {
        #expect(PickerRenderer(width: 80, height: 24).rowCount(Self.model) > 3)
        #expect(PickerRenderer(width: 80, height: 1).rowCount(Self.model) == 1)
        #expect(PickerRenderer(width: 0, height: 0).rowCount(Self.model) == 1)
    }

    @Test func `Sessions without destinations are shown too`() {
        var model = Self.model
        model.others = [
            .init(name: "desk", live: .init(state: "starting", clock: "00:00", destinations: [], isMicrophoneOn: nil))
        ]
        #expect(Self.text(model, 80, 24).contains("● starting 00:00  session desk\n"))
    }
}
