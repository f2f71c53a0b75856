import CommandModels
import Testing

@Suite struct PickerModelTests {
    private static let items: [PickerModel.Item] = [
        .init(name: "archive", service: "file", place: "/srv/archive.mp4"),
        .init(name: "mobcrush", service: "rtmp", place: "rtmp://a.example/app"),
        .init(name: "talks", service: "file", place: "/srv/talks/", isPreferred: true),
        .init(name: "twitch", service: "rtmp", place: "rtmp://b.example/app", isSignedIn: false),
    ]

    private static let live = PickerModel.Live(
        state: "live", clock: "00:12", destinations: ["talks"], isMicrophoneOn: false)

    @Test func `The preferred item is selected at first, and Enter starts it`() {
        var model = PickerModel(items: Self.items)
        #expect(model.press(.enter) == .start(name: "talks", microphone: false))
    }

    @Test func `Without a preferred item the first is selected`() {
        let model = PickerModel(items: Array(Self.items.prefix(2)))
        #expect(model.selected?.name == "archive")
    }

    @Test(arguments: [
        ([PickerKey.up], "mobcrush"), ([.up, .up, .up, .up], "archive"), ([.down, .down, .down], "twitch"),
        ([.home], "archive"), ([.end], "twitch"),
        ([.home, .pageDown], "twitch"), ([.pageUp], "archive"), ([.character("k")], "mobcrush"),
        ([.character("j")], "twitch"),
    ])
    func `Keys move the selection within the list`(keys: [PickerKey], name: String) {
        var model = PickerModel(items: Self.items)
        for key in keys { #expect(model.press(key) == nil) }
        #expect(model.selected?.name == name)
    }

    @Test func `Letters search by name, service and address; names that begin with the text have priority`() {
        var model = PickerModel(items: Self.items)
        #expect(Self.type("t", into: &model) == nil)
        #expect(model.selected?.name == "talks")
        _ = Self.type("w", into: &model)
        #expect(model.found.map(\.name) == ["twitch"])
        for _ in 0..<2 { _ = model.press(.backspace) }
        #expect(model.search == "")
        _ = Self.type("RTMP", into: &model)
        #expect(model.found.map(\.name) == ["mobcrush", "twitch"])
        _ = model.press(.escape)
        #expect(model.search == nil && model.found.count == 4)
        _ = Self.type("a", into: &model)
        #expect(model.selected?.name == "archive")
    }

    @Test func `During a search, command letters are text; a slash starts a search for names that begin with them`() {
        var model = PickerModel(items: [.init(name: "other", service: "file"), .init(name: "jqk", service: "file")])
        #expect(Self.type("/jqk", into: &model) == nil)
        #expect(model.search == "jqk" && model.selected?.name == "jqk")
        #expect(model.press(.enter) == .start(name: "jqk", microphone: false))
    }

    @Test func `Without a match nothing starts, and erasing the search restores the list`() {
        var model = PickerModel(items: Self.items)
        _ = Self.type("zz", into: &model)
        #expect(model.selected == nil && model.press(.enter) == nil)
        _ = model.press(.down)
        _ = model.press(.end)
        for _ in 0..<3 { #expect(model.press(.backspace) == nil) }
        #expect(model.search == nil && model.selected != nil)
    }

    @Test func `Tab turns the microphone on and off if it is offered`() {
        var model = PickerModel(items: Self.items)
        #expect(model.press(.tab) == nil)
        #expect(model.press(.enter) == .start(name: "talks", microphone: true))
        _ = model.press(.tab)
        #expect(model.press(.enter) == .start(name: "talks", microphone: false))
        var without = PickerModel(items: Self.items, hasMicrophoneButton: false)
        #expect(without.press(.tab) == nil)
        #expect(without.press(.enter) == .start(name: "talks", microphone: nil))
    }

    @Test func `While a session is live, Enter and y on its destination stop it, and Tab switches its microphone`() {
        var model = PickerModel(items: Self.items, live: Self.live)
        #expect(Self.confirm(in: &model) == .stop)
        #expect(model.press(.tab) == .toggleLiveMicrophone)
        model.live?.isMicrophoneOn = nil
        #expect(model.press(.tab) == nil)
        model.live = nil
        #expect(model.press(.enter) == .start(name: "talks", microphone: false))
    }

    @Test(arguments: [PickerKey.enter, .escape, .tab, .down, .character("n"), .character("q"), .character(" ")])
    func `After Enter on a live destination, every key but y continues the broadcast, and does nothing else`(
        key: PickerKey
    ) {
        var model = PickerModel(items: Self.items, live: Self.live)
        #expect(model.press(.enter) == nil && model.unconfirmed == .stop)
        #expect(model.press(key) == nil && model.unconfirmed == nil)
        #expect(model.selected?.name == "talks" && model.search == nil)
        #expect(model.press(.character("y")) == nil && model.search == "y")
    }

    @Test func `A question about a session that has changed meanwhile has no effect`() {
        var model = PickerModel(items: Self.items, live: Self.live)
        _ = model.press(.enter)
        model.live?.destinations = ["talks", "archive"]
        #expect(model.press(.character("y")) == nil)
        _ = model.press(.enter)
        model.live = nil
        #expect(model.press(.character("y")) == nil)
    }

    @Test func `While a session is live, Enter on another destination adds it and stops nothing`() {
        var model = PickerModel(items: Self.items, live: Self.live)
        #expect(model.selected?.name == "talks")
        _ = model.press(.home)
        #expect(model.press(.enter) == .add(name: "archive"))
        _ = Self.type("twi", into: &model)
        #expect(model.press(.enter) == .setUp(name: "twitch"))
    }

    @Test func `Enter on one of several live destinations removes only that one`() {
        var model = PickerModel(items: Self.items, live: Self.live)
        model.live?.destinations = ["talks", "archive"]
        #expect(Self.confirm(in: &model) == .remove(name: "talks"))
        model.live?.destinations = ["talks"]
        #expect(Self.confirm(in: &model) == .stop)
    }

    @Test func `A live destination that is not configured is the first entry, and is selected at first`() {
        var live = Self.live
        live.destinations = ["talk.mp4"]
        var model = PickerModel(items: Self.items, live: live)
        #expect(model.all.map(\.name) == ["talk.mp4", "archive", "mobcrush", "talks", "twitch"])
        #expect(Self.confirm(in: &model) == .stop)
        _ = model.press(.down)
        #expect(model.press(.enter) == .add(name: "archive"))
    }

    @Test func `A change of the session moves no selection, and Enter on an entry that is gone does nothing`() {
        var live = Self.live
        live.destinations = ["talk.mp4"]
        var model = PickerModel(items: Self.items)
        model.live = live
        #expect(model.selected?.name == "talks" && model.selection == 3)
        _ = model.press(.home)
        #expect(Self.confirm(in: &model) == .stop)
        model.live = nil
        #expect(model.selected == nil && model.press(.enter) == nil)
        _ = model.press(.down)
        #expect(model.press(.enter) == .start(name: "archive", microphone: false))
    }

    @Test func `Without sign-in, Enter opens the setup`() {
        var model = PickerModel(items: Self.items)
        _ = model.press(.end)
        #expect(model.press(.enter) == .setUp(name: "twitch"))
    }

    @Test func `Esc and q quit; Esc ends a search first`() {
        var model = PickerModel(items: Self.items)
        #expect(model.press(.character("q")) == .quit)
        _ = Self.type("a", into: &model)
        #expect(model.press(.escape) == nil)
        #expect(model.press(.escape) == .quit)
    }

    @Test func `An empty list only allows to quit`() {
        var model = PickerModel(items: [])
        for key in [PickerKey.up, .down, .end, .pageDown, .enter, .character("x"), .backspace, .backspace] {
            #expect(model.press(key) == nil)
        }
        #expect(model.press(.escape) == .quit)
    }

    /// The action after Enter and `y`.
    private static func confirm(in model: inout PickerModel) -> PickerModel.Action? {
        #expect(model.press(.enter) == nil)
        return model.press(.character("y"))
    }

    /// The action of the last key.
    private static func type(_ text: String, into model: inout PickerModel) -> PickerModel.Action? {
        text.reduce(nil) { model.press(.character($1)) ?? $0 }
    }
}
