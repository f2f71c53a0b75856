import Media
import Testing
import WindowPrivacy

/// Tests which windows belong to a hidden window. The clients have the bases 0x100000 (hidden), 0x200000 (another) and
/// 0x300000 (the window manager).
@Suite struct HiddenWindowSearchTests {
    private let rules = [HiddenWindowRule.windowClass("Secret")]

    @Test func `a window is found by its instance or class, ignoring case`() {
        #expect(
            search([top(0x10_0001) { $0.instance = "SECRET" }, top(0x20_0001) { $0.className = "Secrets" }]) == [
                0x10_0001
            ])
        #expect(search([top(0x10_0001) { $0.className = "secret" }]) == [0x10_0001])
    }

    @Test func `a window that excludes itself needs no rule`() {
        #expect(search([top(0x10_0001) { $0.excludesItself = true }, top(0x20_0001)], []) == [0x10_0001])
    }

    @Test func `a frame is hidden with the window in it, but not other frames of the window manager`() {
        let secret = frame(0x30_0001, around: 0x10_0001) { $0.className = "Secret" }
        let other = frame(0x30_0002, around: 0x20_0001)
        let menu = top(0x30_0003, isOverrideRedirect: true)
        #expect(search([secret, other, menu]) == [0x30_0001])
    }

    @Test func `a rule can name the window, its frame or a window inside it`() {
        let window = frame(0x30_0001, around: 0x10_0001)
        for number in [0x30_0001, 0x10_0001] as [UInt] {
            #expect(search([window, top(0x20_0001)], [.window(number)]) == [0x30_0001])
        }
        var search = HiddenWindowSearch(rules: [.window(0x10_0099)], resourceMask: 0xf_ffff)
        search.owners = [0x10_0099: 0x30_0001]
        #expect(search.run([window, top(0x20_0001)]).windows == [0x30_0001])
    }

    @Test func `pop-ups of the same client are hidden, but not its other windows`() {
        let secret = top(0x10_0001) { $0.className = "Secret" }
        let found = search([
            secret, top(0x10_0002, isOverrideRedirect: true), top(0x10_0003) { $0.isAuxiliary = true }, top(0x10_0004),
            top(0x20_0002, isOverrideRedirect: true),
        ])
        #expect(found == [0x10_0001, 0x10_0002, 0x10_0003])
    }

    @Test func `pop-ups of another client are hidden if they have the same process or leader`() {
        let secret = top(0x10_0001) {
            $0.className = "Secret"
            $0.process = 42
            $0.leaders = [0x10_0009]
        }
        let found = search([
            secret, top(0x20_0002, isOverrideRedirect: true) { $0.process = 42 },
            top(0x20_0003, isOverrideRedirect: true) { $0.leaders = [0x10_0009] },
            top(0x20_0004, isOverrideRedirect: true) { $0.process = 43 }, top(0x20_0005) { $0.process = 42 },
        ])
        #expect(found == [0x10_0001, 0x20_0002, 0x20_0003])
    }

    @Test func `dialogs of dialogs of a hidden window are hidden, but not those of other windows`() {
        let found = search([
            frame(0x30_0001, around: 0x10_0001) { $0.className = "Secret" },
            frame(0x30_0002, around: 0x10_0002) { $0.transientFor = 0x10_0001 },
            frame(0x30_0003, around: 0x20_0003) { $0.transientFor = 0x10_0002 }, frame(0x30_0004, around: 0x10_0004),
            frame(0x30_0005, around: 0x10_0005) { $0.transientFor = 0x10_0004 },
        ])
        #expect(found == [0x30_0001, 0x30_0002, 0x30_0003])
    }

    @Test func `a dialog of the whole group or of a destroyed window is hidden with its client`() {
        let found = search([
            top(0x10_0001) { $0.className = "Secret" }, top(0x10_0002) { $0.transientFor = 0x777 },
            top(0x10_0003) { $0.transientFor = 0 },
            top(0x20_0003) { $0.transientFor = 0x777 },
        ])
        #expect(found == [0x10_0001, 0x10_0002, 0x10_0003])
    }

    @Test func `a dialog remains hidden after its window is destroyed`() {
        var search = HiddenWindowSearch(rules: rules, resourceMask: 0xf_ffff)
        let dialogue = top(0x10_0002) { $0.transientFor = 0x10_0001 }
        search.belonging = search.run([top(0x10_0001) { $0.className = "Secret" }, dialogue]).belonging
        #expect(search.belonging == [0x10_0002])
        #expect(search.run([dialogue]).windows == [0x10_0002])
    }

    @Test func `the window in a frame that is not yet managed is the application's window`() {
        var secret = frame(0x30_0001, around: 0x10_0001) { $0.className = "Secret" }
        secret.members[1].isManaged = false
        var dialogue = frame(0x30_0002, around: 0x10_0002) { $0.transientFor = 0x10_0001 }
        dialogue.members[1].isManaged = false
        let found = HiddenWindowSearch(rules: rules, resourceMask: 0xf_ffff).run([
            secret, dialogue, top(0x10_0003, isOverrideRedirect: true), top(0x30_0003, isOverrideRedirect: true),
            frame(0x30_0004, around: 0x20_0001),
        ])
        // Neither a menu of the window manager nor another frame is hidden.
        #expect(found.windows == [0x30_0001, 0x30_0002, 0x10_0003])
        #expect(found.clients == [0x10_0000])
        #expect(found.frames == [0x30_0001])
    }

    @Test func `a new pop-up is hidden if its client had a hidden window before`() {
        var search = HiddenWindowSearch(rules: rules, resourceMask: 0xf_ffff)
        search.formerClients = [0x10_0000]
        search.newWindows = [0x10_0002, 0x20_0002]
        let windows = [
            top(0x10_0002, isOverrideRedirect: true), top(0x10_0003, isOverrideRedirect: true),
            top(0x20_0002, isOverrideRedirect: true),
        ]
        let found = search.run(windows)
        #expect(found.windows == [0x10_0002])
        search.newWindows = []
        search.belonging = found.belonging
        #expect(search.run(windows).windows == [0x10_0002])
    }

    @Test func `the number of windows that each rule selects is counted`() {
        let secret = top(0x10_0001) { $0.className = "Secret" }
        let title = HiddenWindowRule.title(GlobPattern("*Bank*"))
        let found = HiddenWindowSearch(rules: rules + [title, .window(0x20_0001)], resourceMask: 0xf_ffff).run([
            secret, frame(0x30_0002, around: 0x10_0009) { $0.className = "Secret" },
            top(0x10_0002, isOverrideRedirect: true), top(0x20_0001),
        ])
        #expect(found.matches == [rules[0]: 2, title: 0, .window(0x20_0001): 1])
    }

    @Test func `the processes of hidden windows and of rules are reported`() {
        let search = HiddenWindowSearch(rules: rules + [.process(7)], resourceMask: 0xf_ffff)
        let windows = [
            top(0x10_0001) {
                $0.className = "Secret"
                $0.process = 42
            }, top(0x20_0001) { $0.process = 43 },
        ]
        #expect(search.run(windows).processes == [7, 42])
    }

    // MARK: Helpers

    private func search(_ windows: [TopLevelWindow], _ rules: [HiddenWindowRule]? = nil) -> Set<UInt> {
        HiddenWindowSearch(rules: rules ?? self.rules, resourceMask: 0xf_ffff).run(windows).windows
    }

    private func top(
        _ window: UInt, isOverrideRedirect: Bool = false, _ change: (inout WindowTraits) -> Void = { _ in }
    ) -> TopLevelWindow {
        var traits = WindowTraits(window: window)
        change(&traits)
        return TopLevelWindow(
            window: window, place: PixelRect(x: 0, y: 0, width: 10, height: 10), isOverrideRedirect: isOverrideRedirect,
            members: [traits])
    }

    private func frame(_ frame: UInt, around window: UInt, _ change: (inout WindowTraits) -> Void = { _ in })
        -> TopLevelWindow
    {
        var result = top(frame, isOverrideRedirect: true)
        var client = WindowTraits(window: window)
        client.isManaged = true
        change(&client)
        result.members.append(client)
        return result
    }
}
