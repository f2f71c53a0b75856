import CX11
import Media
import WindowPrivacy

/// Tracks which children of the root window are hidden, and their current and previous positions.
///
/// Events report possible changes, and `locate` requests the state. Other programs can change their windows at any
/// time, also between two replies. The server reports each of these changes as an event, in the order of events and
/// replies. So the caller can find out whether a finding still holds: it processes all events and reads `isStale`.
final class HiddenWindowTracker {
    /// The time after the end of a hidden window for which a new pop-up of its client counts as hidden. An application
    /// that replaces its window has none for a moment, and then one without a class or title.
    private static let memory = MediaTime(milliseconds: 1000)

    /// The hidden children of the root window.
    private(set) var hidden: Set<Window> = []
    /// True if an event since the last finding can have invalidated it.
    private(set) var isStale = true
    /// True if an event since the last finding can have changed which windows are hidden, and not only their positions.
    private(set) var isAmbiguous = true

    private let connection: X11Connection
    private let reader: WindowReader
    private var windows = WindowRegistry()
    private var history = PlaceHistory()
    private var departures = DepartureLog()
    /// The hidden windows and the rules of the last finding.
    private var reported: (hidden: Set<Window>, rules: [HiddenWindowRule]?) = ([], nil)
    private var lastResult = HiddenWindowSearch.Result()
    /// The clients that had a hidden window, with the time at which they had one last.
    private var formerClients: [UInt: MediaTime] = [:]
    private var rules: [HiddenWindowRule]?
    private var ended = EndedRules()

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
        windows.note(event.window)
        _ = history.move(
            event.window,
            to: WindowReader.place(
                x: event.x, y: event.y, width: event.width, height: event.height, border: event.border_width))
    }

    private func destroyed(_ event: XDestroyWindowEvent) {
        connection.forget(event.window)
        if ended.note(.window(event.window)) { (isStale, isAmbiguous) = (true, true) }
        guard event.event == connection.root else { return changed(event.event) }
        leave(event.window)
        history.forget(event.window)
    }

    private func mapped(_ event: XMapEvent) {
        guard event.event == connection.root else { return changed(event.event) }
        if windows.known[event.window] == nil && event.override_redirect == 0 { departures.map(event.window) }
        windows.note(event.window)
        isStale = true
        if !hidden.contains(event.window) { isAmbiguous = true }
        if let place = history.last[event.window] { history.pass(event.window, place) }
    }

    private func reparented(_ event: XReparentEvent) {
        isStale = true
        isAmbiguous = true
        if event.parent == connection.root {
            windows.note(event.window)
            history.forget(event.window)
        } else {
            if hidden.contains(event.window) || windows.mustRead(event.window) {
                departures.enter(event.window, into: event.parent)
            }
            if windows.present.contains(event.window) {
                windows.forget(event.window)
                history.remove(event.window, isGone: false)
                history.forget(event.window)
            }
            changed(event.parent)
        }
    }

    private func configured(_ event: XConfigureEvent) {
        guard event.event == connection.root else { return }
        let window = event.window
        let place = WindowReader.place(
            x: event.x, y: event.y, width: event.width, height: event.height, border: event.border_width)
        let before = history.last[window]
        guard history.move(window, to: place), hidden.contains(window) || windows.isUndecided(window) else { return }
        isStale = true
        if let before, windows.isUndecided(window) { history.pass(window, before) }
        history.pass(window, place)
    }

    /// Titles change often. A change that no rule depends on is read only when the windows are checked for another
    /// reason.
    private func propertyChanged(_ event: XPropertyEvent) {
        let before = (isStale, isAmbiguous)
        changed(event.window)
        let isAsked =
            reader.isExclusion(event.atom) || rules?.contains { reader.isTrait(event.atom, askedBy: $0) } ?? true
        if !isAsked && (hidden.isEmpty || reader.isTitle(event.atom)) { (isStale, isAmbiguous) = before }
    }

    /// Records that a window, or a window inside it, changed since it was read.
    private func changed(_ window: Window) {
        isStale = true
        isAmbiguous = true
        windows.change(window)
    }

    /// Records that a window is no longer a child of the root window.
    private func leave(_ window: Window) {
        let wasRelevant = hidden.contains(window) || windows.isUndecided(window)
        if wasRelevant { isStale = isStale || hidden.contains(window) || history.passed[window] != nil }
        history.remove(window, isGone: wasRelevant)
        windows.forget(window)
    }

    // MARK: Findings

    /// Marks the last finding as outdated.
    func invalidate() { isStale = true }

    /// Determines the positions of the hidden windows. The result is at least as new as the events that `drain`
    /// processes.
    ///
    /// - Parameters:
    ///   - now: the session's time.
    ///   - drain: processes all pending events.
    /// - Returns: nil if a window was destroyed during this call. Call this method again.
    func locate(_ newRules: [HiddenWindowRule], at now: MediaTime, drain: () -> Void) -> HiddenWindowFinding? {
        // Events that arrive with the replies stay in the queue. They can be newer than a reply, so the caller
        // processes them after this call, and they invalidate the finding.
        drain()
        guard let children = connection.family(of: connection.root)?.children else { return nil }
        let present = Set(children)
        for window in windows.present where !present.contains(window) { leave(window) }
        for window in children where windows.mustRead(window) {
            guard let read = reader.read(window) else { return nil }
            windows.learn(read)
            history.learn(read.window, at: read.place)
        }
        search(newRules, at: now)
        let isRuled = reported.rules != newRules
        var finding = HiddenWindowFinding(processes: lastResult.processes, matches: lastResult.matches)
        for window in children where hidden.contains(window) {
            guard let place = reader.place(of: window) else { return nil }
            if !place.isEmpty { finding.places[window] = place }
            if !place.isEmpty { _ = history.move(window, to: place) }
            finding.passed += (history.passed[window] ?? []).filter { $0 != place }
        }
        for window in windows.learned where !hidden.contains(window) {
            finding.suspects += (windows.known[window].map { [$0.place] } ?? []) + (history.passed[window] ?? [])
        }
        // Windows that appeared and disappeared in between are covered only if any window is or was hidden.
        if !newRules.isEmpty || !hidden.isEmpty || !reported.hidden.isEmpty { finding.passed += history.gone }
        // If a title no longer matches a rule, the pixels can still be the old ones until the client has drawn.
        let shown = reported.hidden.subtracting(hidden).intersection(present)
        finding.released = ended.removingWindows(from: isRuled ? shown : shown.intersection(windows.revealed))
        finding.ended = ended.report()
        history.restart()
        windows.restart()
        reported = (hidden, newRules)
        isStale = false
        isAmbiguous = false
        return finding
    }

    private func search(_ newRules: [HiddenWindowRule], at now: MediaTime) {
        let (lost, emptied) =
            departures.isEmpty
            ? ([], []) : departures.resolve(present: Set(windows.known.keys).union(windows.owners.keys))
        guard windows.needsSearch || rules != newRules || !lost.isEmpty || !emptied.isEmpty else { return }
        var search = HiddenWindowSearch(rules: newRules, resourceMask: connection.resourceMask)
        for case .window(let window) in newRules {
            search.owners[window] = windows.owners[window] ?? reader.topLevel(of: window)
        }
        for client in lastResult.clients { formerClients[client] = now }
        // A new rule does not reveal any window, nor does the end of a rule whose window was destroyed.
        if let rules, rules.allSatisfy({ newRules.contains($0) || ended.reported.contains($0) }) {
            search.belonging = lastResult.belonging
            search.frames = lastResult.frames
            search.formerClients = Set(formerClients.lazy.filter { now - $0.value <= Self.memory }.map(\.key))
        }
        // A window that was never read can have been hidden. Without a rule, only its own property could do that.
        if !newRules.isEmpty || !hidden.isEmpty {
            search.frames.formUnion(emptied.compactMap { windows.known[$0] == nil ? windows.owners[$0] : $0 })
            search.formerClients.formUnion(lost.map { $0 & ~connection.resourceMask })
        }
        search.newWindows = windows.learned
        lastResult = search.run(windows.known.values)
        ended.bind(lastResult.matches)
        hidden = lastResult.windows
        rules = newRules
        windows.noteSearch()
    }
}
