import CX11
import Capture
import Concurrency

/// Lets the user click the window that is to be captured.
package enum WindowPicker {
    /// Takes the pointer, with a crosshair, until a window is clicked; the click reaches no program.
    ///
    /// It waits for as long as the user does.
    ///
    /// - Returns: the client's window where a window manager's frame was clicked.
    /// - Throws: `pickCancelled` after Esc or a click with another button than the first.
    package static func pick(on display: String?) throws(CaptureError) -> UInt {
        let connection = try X11Connection(name: display)
        // The crosshair of the cursor font (X11/cursorfont.h).
        let crosshair = XCreateFontCursor(connection.display, 34)
        try takePointer(of: connection, cursor: crosshair)
        // Without the keyboard Esc does nothing, and the mouse still cancels.
        XGrabKeyboard(connection.display, connection.root, False, GrabModeAsync, GrabModeAsync, Time(CurrentTime))
        let clicked = try waitForClick(connection)
        XUngrabPointer(connection.display, Time(CurrentTime))
        XUngrabKeyboard(connection.display, Time(CurrentTime))
        XFlush(connection.display)
        return WindowTree(connection: connection, properties: WindowProperties(connection: connection)).client(of: clicked)
    }

    /// A menu or a key that started this may hold the pointer for a moment still.
    private static func takePointer(of connection: X11Connection, cursor: Cursor) throws(CaptureError) {
        let deadline = SessionClock.monotonic() + 2_000_000_000
        while XGrabPointer(
            connection.display, connection.root, False, UInt32(ButtonPressMask | ButtonReleaseMask), GrabModeAsync, GrabModeAsync, Window(None),
            cursor, Time(CurrentTime)) != GrabSuccess
        {
            try connection.checkConnection()
            guard SessionClock.monotonic() < deadline else { throw .pointerTaken }
            SessionClock().sleep(until: .init(milliseconds: 20))
        }
    }

    /// The top-level window that was clicked. A click on the bare desktop is none.
    private static func waitForClick(_ connection: X11Connection) throws(CaptureError) -> Window {
        var pressed: Window?
        while true {
            var event = XEvent()
            XNextEvent(connection.display, &event)
            try connection.checkConnection()
            switch event.type {
            case KeyPress: if XLookupKeysym(&event.xkey, 0) == 0xff1b { throw .pickCancelled }
            case ButtonPress:
                switch Int32(event.xbutton.button) {
                case Button1: pressed = event.xbutton.subwindow == 0 ? nil : event.xbutton.subwindow
                case Button4, Button5: break
                default: throw .pickCancelled
                }
            // The release is the end of the click: after the ungrab it would go to the program.
            case ButtonRelease: if let pressed { return pressed }
            default: break
            }
        }
    }
}
