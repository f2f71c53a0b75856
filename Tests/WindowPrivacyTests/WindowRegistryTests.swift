import Media
import Testing
import WindowPrivacy

/// Tests which windows are known, and which must be read.
@Suite struct WindowRegistryTests {
    /// A child of the root window with windows inside it.
    private func window(_ number: UInt, containing inner: [UInt] = [], excludesItself: Bool = false) -> TopLevelWindow {
        var traits = ([number] + inner).map { WindowTraits(window: $0) }
        traits[traits.count - 1].excludesItself = excludesItself
        return TopLevelWindow(
            window: number, place: PixelRect(x: 0, y: 0, width: 10, height: 10), isOverrideRedirect: false,
            members: traits)
    }

    @Test func `A window is read once, and again after a change`() {
        var registry = WindowRegistry()
        #expect(registry.mustRead(1))
        registry.note(1)
        #expect(registry.present == [1] && registry.mustRead(1) && registry.isUndecided(1))
        registry.learn(window(1))
        #expect(!registry.mustRead(1) && registry.learned == [1] && registry.isUndecided(1))
        registry.restart()
        #expect(registry.learned.isEmpty && !registry.isUndecided(1))
        registry.change(1)
        #expect(registry.mustRead(1) && registry.isUndecided(1))
    }

    @Test func `A change of an inner window requires to read the window around it`() {
        var registry = WindowRegistry()
        registry.learn(window(1, containing: [11]))
        registry.learn(window(2, containing: [21]))
        #expect(registry.owners == [11: 1, 21: 2])
        registry.change(21)
        #expect(registry.unread == [2])
    }

    @Test func `A change of an unknown window requires to read all windows`() {
        var registry = WindowRegistry()
        for number: UInt in 1...3 { registry.learn(window(number)) }
        registry.change(99)
        #expect(registry.unread == [1, 2, 3])
    }

    @Test func `A change of a window that is not yet read does not concern others`() {
        var registry = WindowRegistry()
        registry.learn(window(1))
        registry.note(2)
        registry.change(2)
        #expect(registry.unread == [2])
    }

    @Test func `An inner window that left has no owner`() {
        var registry = WindowRegistry()
        registry.learn(window(1, containing: [11, 12]))
        registry.learn(window(1, containing: [12]))
        #expect(registry.owners == [12: 1])
        registry.forget(1)
        #expect(registry.owners.isEmpty && registry.known.isEmpty && registry.present.isEmpty)
    }

    @Test func `A search is needed only after a change`() {
        var registry = WindowRegistry()
        #expect(registry.needsSearch)
        registry.noteSearch()
        registry.learn(window(1))
        #expect(registry.needsSearch)
        registry.noteSearch()
        registry.learn(window(1))
        #expect(!registry.needsSearch)
        registry.forget(1)
        #expect(registry.needsSearch)
    }

    @Test func `A window that removes its own property is revealed, until the next finding`() {
        var registry = WindowRegistry()
        registry.learn(window(1, containing: [11], excludesItself: true))
        #expect(registry.revealed.isEmpty)
        registry.learn(window(1, containing: [11]))
        #expect(registry.revealed == [1])
        registry.restart()
        #expect(registry.revealed.isEmpty)
    }
}
