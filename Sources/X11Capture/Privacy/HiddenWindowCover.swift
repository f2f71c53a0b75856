import CX11
import Media
import WindowPrivacy

/// Paints over the windows that viewers must not see, before their pixels leave the capture.
///
/// Geometry and pixels agree without holding up the desktop: the server writes its events and replies in the order in which things happen,
/// so once a picture has come, every event of what happened before it has come too. Where one of them may concern a hidden window, the
/// picture is thrown away, and windows, geometry and pixels are asked anew while the server is grabbed (`mustLook`, `look`). While nothing of
/// that kind happens, there is no more to do than to read events: neither a rule nor a hidden window that stays where it is costs an exchange.
final class HiddenWindowCover {
    /// A place that a hidden window has left stays covered for so long after something was drawn there: not all of it comes at once.
    private static let delay = MediaTime(milliseconds: 250)
    /// The same with a compositor, which draws in its own time and lets windows fade (picom by default for a third of a second).
    private static let compositedDelay = MediaTime(milliseconds: 1000)
    /// And so long where nothing was drawn there: a compositor that is short of time, or a program below that hangs, leaves the window's
    /// pixels on the screen.
    private static let patience = MediaTime(milliseconds: 5000)
    /// Pixels around a window that a compositor may use for its shadow.
    private static let shadowMargin = 32
    /// While anything is covered, the windows are asked again after so long although no event told of a change.
    private static let lookInterval = MediaTime(milliseconds: 1000)

    private let connection: X11Connection
    private let rules: HiddenWindowRules
    private let tracker: HiddenWindowTracker
    private let compositorSelection: Atom
    /// A window that has drawn within that time before it leaves may have drawn in its last moment too.
    private static let restlessness = MediaTime(milliseconds: 1500)

    private var trail = CoverTrail()
    /// When each hidden window drew last, as of the tick before.
    private var lastDrawing: [UInt: MediaTime] = [:]
    /// The hidden windows in whose places something was drawn in this tick.
    private var drawing: (windows: Set<UInt>, time: MediaTime) = ([], .zero)
    private var painter = CoverPainter()
    private var appliedRevision: Int?
    private var lastLook: MediaTime?
    /// What is covered, in pixels of the root window.
    private(set) var rectangles: [PixelRect] = []

    init(connection: X11Connection, rules: HiddenWindowRules) {
        self.connection = connection
        self.rules = rules
        tracker = HiddenWindowTracker(connection: connection)
        // EWMH 1.5, 7.1: whoever owns it composes the screen.
        compositorSelection = XInternAtom(connection.display, "_NET_WM_CM_S\(XDefaultScreen(connection.display))", 0)
        XFixesSelectSelectionInput(
            connection.display, connection.root, compositorSelection,
            UInt(XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask | XFixesSelectionClientCloseNotifyMask))
    }

    /// Takes note of any event.
    func note(_ event: XEvent) {
        if event.type == connection.fixesEventBase + Int32(XFixesSelectionNotify) { tracker.invalidate() }
        tracker.note(event)
    }

    /// True where what is known of hidden windows may be wrong: no picture may be shown before `look`.
    func mustLook(at now: MediaTime) -> Bool {
        tracker.isStale || rules.revision != appliedRevision || trail.nextEnd.map { $0 <= now } ?? false
    }

    /// True where it is time to look again though no event asked for it.
    func isLookDue(at now: MediaTime) -> Bool {
        !trail.isEmpty && lastLook.map { now - $0 >= Self.lookInterval } ?? true
    }

    /// True where the window inside this child of the root window is hidden.
    func hides(topLevel: Window) -> Bool { tracker.isHidden(topLevel: topLevel) }

    /// True where a window is hidden, or lies in one that is, and where that cannot be found out.
    func hides(_ window: Window) -> Bool { tracker.topLevel(of: window).map { tracker.isHidden(topLevel: $0) } ?? true }

    /// The child of the root window in which `window` lies; nil where there is no such window.
    func topLevel(of window: Window) -> Window? { tracker.topLevel(of: window) }

    /// Reads about new windows before the server is grabbed for `look`.
    func prepare() { tracker.prepare() }

    /// Looks where hidden windows are. The server must be grabbed, and stay so until the picture is taken.
    ///
    /// - Parameters:
    ///   - drawn: what was drawn since the tick before, in pixels of the root window. Without a compositor it may be what the programs below a
    ///     window that has just left have drawn already.
    ///   - drain: handles all events that have come.
    /// - Returns: false where something could not be found out, so that nothing at all may be shown.
    func look(at now: MediaTime, drawn: [PixelRect], drain: () -> Void) -> Bool {
        let (rules, revision) = self.rules.current
        guard let finding = tracker.locate(rules, drain: drain) else {
            // Whatever was asked about has gone wrong; the next look says more.
            tracker.invalidate()
            return false
        }
        let isComposited = XGetSelectionOwner(connection.display, compositorSelection) != 0
        let margin = isComposited ? Self.shadowMargin : 0
        let places = finding.places.mapValues { $0.grown(by: margin) }
        // A window that moves is drawn by the server, and not because it is restless.
        drawing.windows = drawing.windows.filter { places[$0] == trail.current[$0] }
        lastDrawing = lastDrawing.filter { trail.current[$0.key] != nil }
        trail.update(
            places, passed: finding.passed.map { $0.grown(by: margin) }, released: finding.released, drawn: isComposited ? [] : drawn,
            restless: Set(lastDrawing.lazy.filter { now - $0.value < Self.restlessness }.map(\.key)), at: now,
            for: isComposited ? Self.compositedDelay : Self.delay, patience: Self.patience)
        rectangles = trail.rectangles
        lastLook = now
        appliedRevision = revision
        self.rules.apply(revision: revision, processes: finding.processes)
        return true
    }

    /// Takes note of what was drawn, in pixels of the root window.
    func noteDrawing(_ rectangles: [PixelRect], at now: MediaTime) {
        for window in drawing.windows { lastDrawing[window] = drawing.time }
        drawing = (Set(trail.current.lazy.filter { place in rectangles.contains { $0.intersects(place.value) } }.map(\.key)), now)
        trail.noteDrawing(rectangles, at: now)
    }

    /// Paints over what of the hidden windows lies in `pixels`, which show the root window from (`x`, `y`) on.
    func paint(over pixels: PixelBuffer, x: Int, y: Int) {
        painter.paint(rectangles, over: pixels, x: x, y: y)
    }
}

extension PixelRect {
    /// Larger by so many pixels on each side.
    fileprivate func grown(by margin: Int) -> PixelRect {
        PixelRect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
