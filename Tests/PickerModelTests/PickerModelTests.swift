import Testing
import PickerModel

@Suite struct PickerModelTests {
    private static let items: [PickerModel.Item] = [
        .init(name: "archive", service: "file", place: "/srv/archive.mp4"), .init(name: "mobcrush", service: "rtmp", place: "rtmp://a.example/app"),
        .init(name: "talks", service: "file", place: "/srv/talks/", isPreferred: true),
        .init(name: "twitch", service: "rtmp", place: "rtmp://b.example/app", isSignedIn: false),
    ]

    private static let live = PickerModel.Live(state: "live", clock: "00:12", destinations: ["talks"], isMicrophoneOn: false)

    @Test func `The preferred one is selected at first, and Enter starts it`() {
        var model = PickerModel(items: Self.items)
        #expect(model.press(.enter) == .start(name: "talks", microphone: false))
    }

    @Test func `Without a preferred one the first is selected`() {
        let model = PickerModel(items: Array(Self.items.prefix(2)))
        #expect(model.selected?.name == "archive")
    }

    @Test(arguments: [
        ([PickerKey.up], "mobcrush"), ([.up, .up, .up, .up], "archive"), ([.down, .down, .down], "twitch"), ([.home], "archive"), ([.end], "twitch"),
        ([.home, .pageDown], "twitch"), ([.pageUp], "archive"), ([.character("k")], "mobcrush"), ([.character("j")], "twitch"),
    ])
    func `Keys move the selection, and no further than the list goes`(keys: [PickerKey], name: String) {
        var model = PickerModel(items: Self.items)
        for key in keys { #expect(model.press(key) == nil) }
        #expect(model.selected?.name == name)
    }

    @Test func `Letters find by name, service and address; the beginning of a name goes first`() {
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

    @Test func `While a name is sought, command letters are letters; a slash begins one that starts so`() {
        var model = PickerModel(items: [.init(name: "other", service: "file"), .init(name: "jqk", service: "file")])
        #expect(Self.type("/jqk", into: &model) == nil)
        #expect(model.search == "jqk" && model.selected?.name == "jqk")
        #expect(model.press(.enter) == .start(name: "jqk", microphone: false))
    }

    @Test func `What matches nothing can't be started, and erasing it brings the list back`() {
        var model = PickerModel(items: Self.items)
        _ = Self.type("zz", into: &model)
        #expect(model.selected == nil && model.press(.enter) == nil)
        _ = model.press(.down)
        _ = model.press(.end)
        for _ in 0..<3 { #expect(model.press(.backspace) == nil) }
        #expect(model.search == nil && model.selected != nil)
    }

    @Test func `Tab turns the microphone on and off, where there is a button`() {
        var model = PickerModel(items: Self.items)
        #expect(model.press(.tab) == nil)
        #expect(model.press(.enter) == .start(name: "talks", microphone: true))
        _ = model.press(.tab)
        #expect(model.press(.enter) == .start(name: "talks", microphone: false))
        var without = PickerModel(items: Self.items, hasMicrophoneButton: false)
        #expect(without.press(.tab) == nil)
        #expect(without.press(.enter) == .start(name: "talks", microphone: nil))
    }

    @Test func `While a session is live Enter stops it, and Tab is for its microphone`() {
        var model = PickerModel(items: Self.items, live: Self.live)
        #expect(model.press(.enter) == .stop)
        #expect(model.press(.tab) == .toggleLiveMicrophone)
        model.live?.isMicrophoneOn = nil
        #expect(model.press(.tab) == nil)
        model.live = nil
        #expect(model.press(.enter) == .start(name: "talks", microphone: false))
    }

    @Test func `Who is not signed in gets to the setup`() {
        var model = PickerModel(items: Self.items)
        _ = model.press(.end)
        #expect(model.press(.enter) == .setUp(name: "twitch"))
    }

    @Test func `Esc and q leave; Esc ends a search first`() {
        var model = PickerModel(items: Self.items)
        #expect(model.press(.character("q")) == .quit)
        _ = Self.type("a", into: &model)
        #expect(model.press(.escape) == nil)
        #expect(model.press(.escape) == .quit)
    }

    @Test func `An empty list does nothing but leave`() {
        var model = PickerModel(items: [])
        for key in [PickerKey.up, .down, .end, .pageDown, .enter, .character("x"), .backspace, .backspace] { #expect(model.press(key) == nil) }
        #expect(model.press(.escape) == .quit)
    }

    /// What the last key gives.
    private static func type(_ text: String, into model: inout PickerModel) -> PickerModel.Action? {
        text.reduce(nil) { model.press(.character($1)) ?? $0 }
    }
}
