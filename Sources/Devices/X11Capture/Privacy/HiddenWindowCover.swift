import CX11
import Capture
import Media
import WindowPrivacy

/// Paints over the windows that viewers must not see, before their pixels leave the capture code.
///
/// The picture and the positions of the windows are consistent although other programs can change their windows at any
/// time: the server is never grabbed. It sends events and replies in the order of their causes, so when a picture has
/// arrived, all events about earlier changes have arrived too. If one of them can concern a hidden window (`mustLook`),
/// the windows are requested again (`look`). Areas where a hidden window was between two calls of `look` are covered
/// too, so a picture that was taken in between can be used. If an event can change which windows are hidden
/// (`isAmbiguous`), it cannot be used as it is.
///
/// Without such events, only the event queue is read. Neither a rule nor a hidden window that does not move needs a
/// round trip.
final class HiddenWindowCover {
    /// The time for which a vacated area remains covered after something was drawn there, because not everything is
    /// drawn at once.
    private static let delay = MediaTime(milliseconds: 250)
    /// The same time with a compositor, which fades windows out (picom fades for a third of a second by default).
    private static let compositedDelay = MediaTime(milliseconds: 1000)
    /// The time for which a vacated area remains covered if nothing was drawn there. A slow compositor, or a program
    /// below that hangs, leaves the window's pixels on the screen.
    private static let undrawnDelay = MediaTime(milliseconds: 5000)
    /// The margin in pixels around a window in which a compositor can draw its shadow.
    private static let shadowMargin = 32
    /// While anything is covered, the windows are checked again after this time, even without an event.
    private static let lookInterval = MediaTime(milliseconds: 1000)

    /// A root window is not larger.
    private static let everything = PixelRect(x: 0, y: 0, width: 32767, height: 32767)

    private let connection: X11Connection
    private let rules: HiddenWindowRules
    private let tracker: HiddenWindowTracker
    private let compositorSelection: Atom
    /// A window that drew within this time before it disappeared can also have drawn in its last moment.
    private static let restlessness = MediaTime(milliseconds: 1500)

    private var trail = CoverTrail()
    private var fence = CompositorFence()
    private let probe: CompositorProbe
    /// The time at which each hidden window last drew, up to the previous tick.
    private var lastDrawing: [UInt: MediaTime] = [:]
    /// The hidden windows in whose areas something was drawn in this tick.
    private var drawing: (windows: Set<UInt>, time: MediaTime) = ([], .zero)
    private var painter = CoverPainter()
    private var appliedRevision: Int?
    private var lastLook: MediaTime?
    private var notice: SourceNotice?
    /// How often the windows are requested if some of them disappear in between.
    private static let attempts = 5

    /// Areas of windows that are not hidden now, but can have been hidden since the previous `look`.
    private(set) var suspects: [PixelRect] = []
    /// The covered areas, in pixels of the root window.
    private(set) var rectangles: [PixelRect] = []

    init(connection: X11Connection, rules: HiddenWindowRules) {
        self.connection = connection
        self.rules = rules
        tracker = HiddenWindowTracker(connection: connection)
        probe = CompositorProbe(connection: connection)
        // EWMH 1.5, 7.1: the owner of this selection is the compositor.
        compositorSelection = XInternAtom(connection.display, "_NET_WM_CM_S\(XDefaultScreen(connection.display))", 0)
        XFixesSelectSelectionInput(
            connection.display, connection.root, compositorSelection,
            UInt(
                XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask
                    | XFixesSelectionClientCloseNotifyMask))
    }

    /// Processes an event.
    func note(_ event: XEvent) {
        if event.type == connection.fixesEventBase + Int32(XFixesSelectionNotify) { tracker.invalidate() }
        tracker.note(event)
    }

    /// Returns true if the known positions of hidden windows can be wrong. Do not show a picture before `look`.
    func mustLook(at now: MediaTime) -> Bool {
        tracker.isStale || rules.revision != appliedRevision || trail.nextEnd.map { $0 <= now } ?? false
    }

    /// Returns true if an event since the last `look` can have changed which windows are hidden, and not only their
    /// positions.
    var isAmbiguous: Bool { tracker.isAmbiguous || rules.revision != appliedRevision }

    /// Returns true if the regular check is due, although no event requires it.
    func isLookDue(at now: MediaTime) -> Bool {
        !trail.isEmpty && lastLook.map { now - $0 >= Self.lookInterval } ?? true
    }

    /// Returns true if the captured window is hidden.
    func hides(_ area: CapturedArea) -> Bool {
        if case .window(_, _, let topLevel) = area.pixels { tracker.isHidden(topLevel: topLevel) } else { false }
    }

    /// Returns true if the window is hidden, is inside a hidden window, or cannot be determined.
    func hides(_ window: Window) -> Bool { tracker.topLevel(of: window).map { tracker.isHidden(topLevel: $0) } ?? true }

    /// Returns the child of the root window that contains `window`, or nil if the window does not exist.
    func topLevel(of window: Window) -> Window? { tracker.topLevel(of: window) }

    /// Determines the positions of the hidden windows.
    ///
    /// - Parameters:
    ///   - drawn: areas that were drawn since the previous tick, in pixels of the root window. They can be drawing
    ///     below a window that has just disappeared. A compositor is asked for more than that.
    ///   - drain: processes all pending events.
    /// - Returns: false if some information is not available. Then no part of the picture may be shown.
    func look(at now: MediaTime, drawn: [PixelRect], drain: () -> Void) -> Bool {
        let (rules, revision) = self.rules.current
        var located: HiddenWindowFinding?
        for _ in 0..<Self.attempts where located == nil { located = tracker.locate(rules, at: now, drain: drain) }
        guard let finding = located else {
            // Requests failed repeatedly. The next call of `look` starts again.
            tracker.invalidate()
            return false
        }
        let isComposited = XGetSelectionOwner(connection.display, compositorSelection) != 0
        let margin = isComposited ? Self.shadowMargin : 0
        let places = finding.places.mapValues { $0.grown(by: margin) }
        // The server draws a window that moves, so this drawing does not count as the window's own.
        drawing.windows = drawing.windows.filter { places[$0] == trail.current[$0] }
        lastDrawing = lastDrawing.filter { trail.current[$0.key] != nil }
        let isFirst = appliedRevision == nil
        var passed = finding.passed.map { $0.grown(by: margin) }
        // What happened before is not known: the compositor may still show a window where it was, or fade one out.
        let hidesSome = !rules.isEmpty || !tracker.hidden.isEmpty
        if isFirst && isComposited && hidesSome { passed = [Self.everything] }
        trail.update(
            places, passed: passed, released: finding.released,
            drawn: drawn,
            restless: Set(lastDrawing.lazy.filter { now - $0.value < Self.restlessness }.map(\.key)), at: now,
            for: isComposited ? Self.compositedDelay : Self.delay, undrawnFor: Self.undrawnDelay,
            isComposited: isComposited)
        rectangles = trail.rectangles
        suspects = finding.suspects.map { $0.grown(by: margin) }
        lastLook = now
        appliedRevision = revision
        let ended = self.rules.apply(
            revision: revision, processes: finding.processes, matches: finding.matches, ended: finding.ended)
        if !ended.isEmpty { notice = .rulesEnded(ended.map(\.description)) }
        if isFirst {
            let unmatched = rules.filter { finding.matches[$0] == 0 }
            if !unmatched.isEmpty { notice = .rulesWithoutWindow(unmatched.map(\.description)) }
        }
        return true
    }

    /// Returns what the user should know about the rules, once.
    func takeNotice() -> SourceNotice? {
        defer { notice = nil }
        return notice
    }

    /// Records what was drawn since the last tick, in pixels of the root window, and finds out what the compositor has
    /// drawn. Call it in each tick.
    func noteTick(drawn rectangles: [PixelRect], at now: MediaTime) {
        if !rectangles.isEmpty { noteDrawing(rectangles, at: now) }
        if let seen = fence.note(drawn: rectangles) { trail.noteCompositor(hasDrawn: seen, at: now) }
        guard fence.isHalfway || trail.awaitsCompositor(at: now), fence.canAsk(at: now),
            let pixel = probe.redraw(afterMisses: fence.misses)
        else { return }
        fence.ask(pixel, at: now)
    }

    private func noteDrawing(_ rectangles: [PixelRect], at now: MediaTime) {
        for window in drawing.windows { lastDrawing[window] = drawing.time }
        drawing = (
            Set(trail.current.lazy.filter { place in rectangles.contains { $0.intersects(place.value) } }.map(\.key)),
            now
        )
        trail.noteDrawing(rectangles, at: now)
    }

    /// Paints over areas of the root window in `patch`, which is in coordinates of the root window, and whose pixels
    /// are in `memory`.
    func paint(_ rectangles: [PixelRect], over memory: inout MutableRawSpan, _ patch: CapturedPatch) {
        painter.paint(rectangles, over: &memory, patch)
    }
}

extension PixelRect {
    /// Returns the rectangle expanded by `margin` pixels on each side.
    fileprivate func grown(by margin: Int) -> PixelRect {
        PixelRect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
