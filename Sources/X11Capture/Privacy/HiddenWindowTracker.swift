import CX11
import Media
import WindowPrivacy

/// Tracks which children of the root window are hidden, and their current and previous positions.
///
/// Events report possible changes. The actual state is requested from the server while it is grabbed (`locate`), so
/// that nothing can change in between.
final class HiddenWindowTracker {
    /// The state that was found while the server was grabbed.
    struct Finding {
        /// The areas of the visible hidden windows.
        var places: [Window: PixelRect] = [:]
        /// Areas where hidden windows were temporarily since the last finding.
        var passed: [PixelRect] = []
        /// Windows that were hidden and are now shown.
        var released: Set<Window> = []
        var processes: Set<Int32> = []
    }

    /// The hidden children of the root window.
    private(set) var hidden: Set<Window> = []
    /// True if an event since the last finding can have invalidated it.
    private(set) var isStale = true

    private let connection: X11Connection
    private let reader: WindowReader
    private var known: [Window: TopLevelWindow] = [:]
    /// Windows to read, or to read again.
    private var unread: Set<Window> = []
    /// The children of the root window that contain other windows, by inner window.
    private var owners: [Window: Window] = [:]
    /// The positions of the root window's children, from events.
    private var lastPlaces: [Window: PixelRect] = [:]
    /// The positions since the last finding of windows that are hidden or not known yet.
    private var passed: [Window: [PixelRect]] = [:]
    /// The positions of destroyed windows that were hidden or never known.
    private var gone: [PixelRect] = []
    /// Windows that removed their own property that hid them.
    private var revealed: Set<Window> = []
    private var processes: Set<Int32> = []
    private var belonging: Set<Window> = []
    private var frames: Set<Window> = []
    private var rules: [HiddenWindowRule]?
    /// True if the set of known windows changed since the last search for hidden windows.
    private var needsSearch = true

    init(connection: X11Connection) {
        self.connection = connection
        reader = WindowReader(connection: connection)
        connection.select(SubstructureNotifyMask, of: connection.root, for: .hiddenWindows)
    }

    /// Returns true if `topLevel` or a window inside it is hidden.
    func isHidden(topLevel: Window) -> Bool { hidden.contains(topLevel) }

    /// Returns the child of the root window that contains `window`, or nil if the window does not exist.
    func topLevel(of window: Window) -> Window? { reader.topLevel(of: window) }

    // MARK: Events

    /// Processes an event of a window. Ignores events that clients send to each other.
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

    /// Titles change often. A change that no rule depends on is read only when the windows are checked for another
    /// reason.
    private func propertyChanged(_ event: XPropertyEvent) {
        let wasStale = isStale
        changed(event.window)
        let isAsked = reader.isExclusion(event.atom) || rules?.contains { reader.isTrait(event.atom, askedBy: $0) } ?? true
        if !isAsked && (hidden.isEmpty || reader.isTitle(event.atom)) { isStale = wasStale }
    }

    /// Records that a window, or a window inside it, changed since it was read.
    private func changed(_ window: Window) {
        isStale = true
        if let owner = owners[window] {
            unread.insert(owner)
        } else if known[window] != nil {
            unread.insert(window)
        } else if !unread.contains(window) {
            // The position of this window in the tree is unknown, so any frame can contain it now.
            unread.formUnion(known.keys)
        }
    }

    /// Records that a window is no longer a child of the root window.
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
        // A window can be moved around while no picture is taken, for example while the broadcast is paused.
        if places.count > CoverTrail.maximumPlaces { places = [places.dropFirst().reduce(places[0]) { $0.union($1) }] }
        passed[window] = places
    }

    // MARK: Findings

    /// Marks the last finding as outdated.
    func invalidate() { isStale = true }

    /// Reads unknown windows, so that little remains to be read while the server is grabbed.
    func prepare() {
        if known.isEmpty { unread.formUnion(connection.family(of: connection.root)?.children ?? []) }
        for window in unread { if let read = reader.read(window) { learn(read) } }
    }

    /// Determines the positions of the hidden windows. The server must be grabbed.
    ///
    /// - Parameter drain: processes all pending events.
    /// - Returns: nil if some information is not available.
    func locate(_ newRules: [HiddenWindowRule], drain: () -> Void) -> Finding? {
        guard let children = connection.family(of: connection.root)?.children else { return nil }
        // The reply arrived after all events about changes before the grab.
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
        // Windows that appeared and disappeared in between are covered only if any window is or was hidden.
        if !newRules.isEmpty || !hidden.isEmpty || !before.isEmpty { finding.passed += gone }
        // If a title no longer matches a rule, the pixels can still be the old ones until the client has drawn.
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
        // A new rule does not reveal any window.
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
