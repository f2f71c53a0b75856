import CX11

/// Says on the display that it is being broadcast, by owning the manager selection `_BROADCAST_CAPTURE_S<screen>` (ICCCM 2.0, 2.8): ReplayKit's
/// `isCaptured`. The server drops it when the connection ends, however that comes about.
///
/// One capture owns it at a time; the others wait, and one of them takes it over when the owner ends.
final class CaptureSelection {
    private let connection: X11Connection
    private let selection: Atom
    /// Never mapped: it is there to own.
    private let window: Window

    init(connection: X11Connection) {
        self.connection = connection
        selection = Self.atom(on: connection)
        window = XCreateSimpleWindow(connection.display, connection.root, -1, -1, 1, 1, 0, 0, 0)
        XSelectInput(connection.display, window, PropertyChangeMask)
        Self.watch(selection, on: connection)
        takeWhereFree()
    }

    /// The selection of the connection's screen.
    static func atom(on connection: X11Connection) -> Atom {
        XInternAtom(connection.display, "_BROADCAST_CAPTURE_S\(XDefaultScreen(connection.display))", 0)
    }

    /// Lets the connection hear of every change of the owner (XFIXES 1.0, SelectSelectionInput).
    static func watch(_ selection: Atom, on connection: X11Connection) {
        let mask = XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask | XFixesSelectionClientCloseNotifyMask
        XFixesSelectSelectionInput(connection.display, connection.root, selection, UInt(mask))
        XFlush(connection.display)
    }

    /// Takes note of an event of the connection, whichever it is.
    func note(_ event: XEvent) {
        switch event.type {
        case connection.fixesEventBase + Int32(XFixesSelectionNotify): takeWhereFree()
        case SelectionRequest: refuse(event.xselectionrequest)
        default: break
        }
    }

    private func takeWhereFree() {
        let display = connection.display
        guard XGetSelectionOwner(display, selection) == 0 else { return }
        let time = serverTime()
        XSetSelectionOwner(display, selection, window, time)
        guard XGetSelectionOwner(display, selection) == window else { return }
        var event = XEvent()
        event.xclient.type = ClientMessage
        event.xclient.window = connection.root
        event.xclient.message_type = XInternAtom(display, "MANAGER", 0)
        event.xclient.format = 32
        event.xclient.data.l = (Int(time), Int(selection), Int(window), 0, 0)
        XSendEvent(display, connection.root, 0, StructureNotifyMask, &event)
        XFlush(display)
    }

    /// The server's time now: it stamps the change of a property, also one that adds nothing (ICCCM 2.0, 2.1).
    private func serverTime() -> Time {
        let display = connection.display
        XChangeProperty(display, window, XA_WM_NAME, XA_STRING, 8, PropModeAppend, nil, 0)
        XSync(display, 0)
        var time = Time(CurrentTime)
        var event = XEvent()
        while XCheckWindowEvent(display, window, PropertyChangeMask, &event) != 0 { time = event.xproperty.time }
        return time
    }

    /// There is nothing to convert; who asks is told so (ICCCM 2.0, 2.2).
    private func refuse(_ request: XSelectionRequestEvent) {
        var event = XEvent()
        event.xselection.type = SelectionNotify
        event.xselection.requestor = request.requestor
        event.xselection.selection = request.selection
        event.xselection.target = request.target
        event.xselection.property = 0
        event.xselection.time = request.time
        XSendEvent(connection.display, request.requestor, 0, 0, &event)
        XFlush(connection.display)
    }
}
