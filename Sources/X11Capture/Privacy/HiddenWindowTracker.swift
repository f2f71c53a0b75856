import CX11
import Media
import WindowPrivacy

/// Knows which children of the root window are hidden, and where each of them is and was.
///
/// Events tell what may have changed; the answer itself is asked from the server while it is grabbed (`locate`), where nothing can change.
final class HiddenWindowTracker {
    /// What was found while the server was grabbed.
    struct Finding {
        /// Where the hidden windows are that can be seen.
        var places: [Window: PixelRect] = [:]
        /// Where hidden windows were for a moment since the last finding.
        var passed: [PixelRect] = []
        /// Windows that were hidden, and are there and shown now.
        var released: Set<Window> = []
        var processes: Set<Int32> = []
    }

    /// The children of the root window that are hidden.
    private(set) var hidden: Set<Window> = []
    /// Something happened that may make the last finding wrong.
    private(set) var isStale = true

    private let connection: X11Connection
    private let reader: WindowReader
    private var known: [Window: TopLevelWindow] = [:]
    /// To be read, or read again.
    private var unread: Set<Window> = []
    /// The children of the root window in which other windows lie.
    private var owners: [Window: Window] = [:]
    /// Where children of the root window are, as events told.
    private var lastPlaces: [Window: PixelRect] = [:]
    /// Where windows that are hidden, or not yet known, were since the last finding.
    private var passed: [Window: [PixelRect]] = [:]
    /// Where windows were that are gone, and were hidden or never known.
    private var gone: [PixelRect] = []
    /// Windows that have taken back their own wish to be hidden.
    private var revealed: Set<Window> = []
    private var processes: Set<Int32> = []
    private var belonging: Set<Window> = []
    private var frames: Set<Window> = []
    private var rules: [HiddenWindowRule]?
    /// Other windows are known than when it was last found out which of them are hidden.
    private var needsSearch = true

    init(connection: X11Connection) {
        self.connection = connection
        reader = WindowReader(connection: connection)
        connection.select(SubstructureNotifyMask, of: connection.root, for: .hiddenWindows)
    }

    /// True where a window inside `topLevel`, or it itself, is hidden.
    func isHidden(topLevel: Window) -> Bool { hidden.contains(topLevel) }

    /// The child of the root window in which `window` lies; nil where there is no such window.
    func topLevel(of window: Window) -> Window? { reader.topLevel(of: window) }

    // MARK: Events

    /// Takes note of an event of a window. What clients send to each other is no news of the server's.
    func note(_ event: XEvent) {
        guard event.xany.send_event == 0 else { return }
        switch event.type {
        case CreateNotify: created(event.xcreatewindow)
        case DestroyNotify: destroyed(event.xdestroywindow)
        case MapNotify: mapped(event.xmap)
        case UnmapNotify: if hidden.contains(event.xunmap.window) { isStale = true }
        case ReparentNotify: reparented(event.xreparent)
        case ConfigureNotify: configured(event.xconfigure)
        case PropertyNotify: if reader.isTrait(event.xproperty.atom) { propertyChanged(event.xproperty) }
        default: break
        }
    }

    private func created(_ event: XCreateWindowEvent) {
        guard event.parent == connection.root else { return }
        unread.insert(event.window)
        lastPlaces[event.window] = WindowReader.place(
            x: event.x, y: event.y, width: event.width, height: event.height, border: event.border_width)
    }

    private func destroyed(_ event: XDestroyWindowEvent) {
        connection.events.forget(event.window)
        guard event.event == connection.root else { return changed(event.event) }
        leave(event.window)
        lastPlaces[event.window] = nil
    }

    private func mapped(_ event: XMapEvent) {
        guard event.event == connection.root else { return changed(event.event) }
        unread.insert(event.window)
        isStale = true
        if let place = lastPlaces[event.window] { pass(event.window, place) }
    }

    private func reparented(_ event: XReparentEvent) {
        isStale = true
        if event.parent == connection.root {
            unread.insert(event.window)
            lastPlaces[event.window] = nil
        } else {
            if known[event.window] != nil || unread.contains(event.window) {
                needsSearch = true
                known[event.window] = nil
                unread.remove(event.window)
                passed[event.window] = nil
                lastPlaces[event.window] = nil
            }
            changed(event.parent)
        }
    }

    private func configured(_ event: XConfigureEvent) {
        guard event.event == connection.root else { return }
        let place = WindowReader.place(x: event.x, y: event.y, width: event.width, height: event.height, border: event.border_width)
        let isMove = lastPlaces.updateValue(place, forKey: event.window) != place
        guard isMove, hidden.contains(event.window) || unread.contains(event.window) else { return }
        isStale = true
        pass(event.window, place)
    }

    /// Titles change all the time: what no rule asks for waits until the windows are looked at for another reason.
    private func propertyChanged(_ event: XPropertyEvent) {
        let wasStale = isStale
        changed(event.window)
        let isAsked = reader.isExclusion(event.atom) || rules?.contains { reader.isTrait(event.atom, askedBy: $0) } ?? true
        if !isAsked && (hidden.isEmpty || reader.isTitle(event.atom)) { isStale = wasStale }
    }

    /// Something about a window is another than was read, or about one that lies in it.
    private func changed(_ window: Window) {
        isStale = true
        if let owner = owners[window] {
            unread.insert(owner)
        } else if known[window] != nil {
            unread.insert(window)
        } else if !unread.contains(window) {
            // A window of whose place in the tree nothing is known: any frame may have got it.
            unread.formUnion(known.keys)
        }
    }

    /// A child of the root window is none any more.
    private func leave(_ window: Window) {
        if hidden.contains(window) || unread.contains(window) {
            isStale = isStale || hidden.contains(window) || passed[window] != nil
            gone += passed[window] ?? []
        }
        needsSearch = needsSearch || known[window] != nil
        known[window] = nil
        unread.remove(window)
        passed[window] = nil
    }

    private func pass(_ window: Window, _ place: PixelRect) {
        var places = passed[window, default: []]
        if !places.contains(place) { places.append(place) }
        // A window that is dragged about while nobody looks, as while the broadcast is paused.
        if places.count > CoverTrail.maximumPlaces { places = [places.dropFirst().reduce(places[0]) { $0.union($1) }] }
        passed[window] = places
    }

    // MARK: Findings

    /// What is known must be looked at again.
    func invalidate() { isStale = true }

    /// Reads what is not known yet, so that little is left to be read while the server is grabbed.
    func prepare() {
        if known.isEmpty { unread.formUnion(connection.family(of: connection.root)?.children ?? []) }
        for window in unread { if let read = reader.read(window) { learn(read) } }
    }

    /// Looks where the hidden windows are. The server must be grabbed.
    ///
    /// - Parameter drain: handles all events that have come.
    /// - Returns: nil where something cannot be found out.
    func locate(_ newRules: [HiddenWindowRule], drain: () -> Void) -> Finding? {
        guard let children = connection.family(of: connection.root)?.children else { return nil }
        // The answer came after every event of what happened before the grab.
        drain()
        let present = Set(children)
        for window in known.keys where !present.contains(window) { leave(window) }
        unread.formIntersection(present)
        for window in children where known[window] == nil || unread.contains(window) {
            guard let read = reader.read(window) else { return nil }
            learn(read)
        }
        let before = hidden
        let isRuled = rules != newRules
        if needsSearch || isRuled { search(newRules) }
        rules = newRules
        needsSearch = false
        var finding = Finding(processes: processes)
        for window in children where hidden.contains(window) {
            guard let place = reader.place(of: window) else { return nil }
            if !place.isEmpty { finding.places[window] = place }
            lastPlaces[window] = place.isEmpty ? lastPlaces[window] : place
            finding.passed += (passed[window] ?? []).filter { $0 != place }
        }
        // What came and went unseen is covered only where anything is hidden at all.
        if !newRules.isEmpty || !hidden.isEmpty || !before.isEmpty { finding.passed += gone }
        // A title that no rule names any more says nothing of the pixels: they are the old ones until the client has drawn.
        let shown = before.subtracting(hidden).intersection(present)
        finding.released = isRuled ? shown : shown.intersection(revealed)
        revealed = []
        gone = []
        passed = [:]
        isStale = false
        return finding
    }

    private func search(_ rules: [HiddenWindowRule]) {
        var search = HiddenWindowSearch(rules: rules, resourceMask: connection.resourceMask)
        for case .window(let window) in rules { search.owners[window] = owners[window] ?? reader.topLevel(of: window) }
        // A rule that comes makes nothing else be seen.
        if let known = self.rules, known.allSatisfy(rules.contains) {
            search.belonging = belonging
            search.frames = frames
        }
        let result = search.run(known.values)
        hidden = result.windows
        belonging = result.belonging
        frames = result.frames
        processes = result.processes
    }

    private func learn(_ window: TopLevelWindow) {
        needsSearch = needsSearch || known[window.window] != window
        let didExclude = known[window.window]?.members.contains(where: \.excludesItself) ?? false
        if didExclude && !window.members.contains(where: \.excludesItself) { revealed.insert(window.window) }
        known[window.window] = window
        unread.remove(window.window)
        if lastPlaces[window.window] == nil { lastPlaces[window.window] = window.place }
        for member in window.members.dropFirst() { owners[member.window] = window.window }
        if owners.count > 4 * known.count * 64 { owners = owners.filter { known[$0.value] != nil } }
    }
}
