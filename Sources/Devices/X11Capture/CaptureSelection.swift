import CX11

/// Announces on the display that it is captured, by owning the manager selection `_BROADCAST_CAPTURE_S<screen>` (ICCCM
/// 2.0, 2.8). It corresponds to ReplayKit's `isCaptured`. The server releases the selection when the connection closes,
/// for any reason.
///
/// One capture owns the selection at a time. The others wait, and one of them acquires it when the owner ends.
final class CaptureSelection {
    private let connection: X11Connection
    private let selection: Atom
    /// An unmapped window that owns the selection.
    private let window: Window

    init(connection: X11Connection) {
        self.connection = connection
        selection = Self.atom(on: connection)
        window = XCreateSimpleWindow(connection.display, connection.root, -1, -1, 1, 1, 0, 0, 0)
        XSelectInput(connection.display, window, PropertyChangeMask)
        Self.watch(selection, on: connection)
        takeWhereFree()
    }

    /// Returns the selection of the connection's screen.
    static func atom(on connection: X11Connection) -> Atom {
        XInternAtom(connection.display, "_BROADCAST_CAPTURE_S\(XDefaultScreen(connection.display))", 0)
    }

    /// Subscribes the connection to all changes of the selection's owner (XFIXES 1.0, SelectSelectionInput).
    static func watch(_ selection: Atom, on connection: X11Connection) {
        let mask =
            XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask
            | XFixesSelectionClientCloseNotifyMask
        XFixesSelectSelectionInput(connection.display, connection.root, selection, UInt(mask))
        XFlush(connection.display)
    }

    /// Processes an event of the connection. Ignores unrelated events.
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

    /// Returns the server's current time. The server sends it with each change of a property, even if the change
    /// appends nothing (ICCCM 2.0, 2.1).
    private func serverTime() -> Time {
        let display = connection.display
        XChangeProperty(display, window, XA_WM_NAME, XA_STRING, 8, PropModeAppend, nil, 0)
        XSync(display, 0)
        var time = Time(CurrentTime)
        var event = XEvent()
        while XCheckWindowEvent(display, window, PropertyChangeMask, &event) != 0 { time = event.xproperty.time }
        return time
    }

    /// Refuses a conversion, because the selection has no content (ICCCM 2.0, 2.2).
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
