import CX11

/// Reads the events of a source's connection, and passes each event to the parts of the source that need it.
final class EventDispatcher {
    /// Receives events from the moment at which it is set.
    var announcement: CaptureSelection?
    var target: any CaptureTarget

    private let connection: X11Connection
    private let changes: ChangeTracker
    private let focus: FocusWatcher
    private let cover: HiddenWindowCover
    private let screenSaver: ScreenSaverWatch?

    init(
        connection: X11Connection, target: any CaptureTarget, changes: ChangeTracker, focus: FocusWatcher,
        cover: HiddenWindowCover,
        screenSaver: ScreenSaverWatch?
    ) {
        self.connection = connection
        self.target = target
        self.changes = changes
        self.focus = focus
        self.cover = cover
        self.screenSaver = screenSaver
    }

    /// Processes all pending events without waiting. Stops if the connection is broken. Returns true if there were only
    /// moves of the pointer.
    @discardableResult
    func dispatchPending() -> Bool {
        var areMoves = true
        while XPending(connection.display) > 0 {
            var event = XEvent()
            XNextEvent(connection.display, &event)
            if connection.isBroken { return false }
            areMoves = areMoves && changes.cursor?.isMove(event) ?? false
            if event.type == connection.randrEventBase + Int32(RRScreenChangeNotify) { XRRUpdateConfiguration(&event) }
            if event.type == PropertyNotify { focus.note(event.xproperty) }
            changes.note(event)
            target.note(event)
            cover.note(event)
            announcement?.note(event)
            screenSaver?.note(event)
        }
        return areMoves && !connection.isBroken
    }
}
