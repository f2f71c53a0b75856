import CX11
import Capture
import Concurrency

/// Lets the user select a window with the mouse.
package enum WindowPicker {
    /// Grabs the pointer, with a crosshair, until the user clicks a window. No program receives the click.
    ///
    /// Blocks until the user clicks or cancels.
    ///
    /// - Parameter ready: called when clicks are taken.
    /// - Returns: the client window. If the user clicked a frame of the window manager, this is the window inside it.
    /// - Throws: `pickCancelled` after Esc or a click with another button than the first.
    package static func pick(on display: String?, ready: () -> Void) throws(CaptureError) -> UInt {
        let connection = try X11Connection(name: display)
        // The crosshair of the cursor font (X11/cursorfont.h).
        let crosshair = XCreateFontCursor(connection.display, 34)
        try takePointer(of: connection, cursor: crosshair)
        // If the keyboard cannot be grabbed, Esc has no effect, but the mouse can still cancel.
        XGrabKeyboard(connection.display, connection.root, False, GrabModeAsync, GrabModeAsync, Time(CurrentTime))
        ready()
        let clicked = try waitForClick(connection)
        XUngrabPointer(connection.display, Time(CurrentTime))
        XUngrabKeyboard(connection.display, Time(CurrentTime))
        XFlush(connection.display)
        return WindowTree(connection: connection, properties: WindowProperties(connection: connection)).client(
            of: clicked)
    }

    /// Grabs the pointer. Retries for two seconds, because the menu or key that started this program can still hold the
    /// grab.
    private static func takePointer(of connection: X11Connection, cursor: Cursor) throws(CaptureError) {
        let deadline = SessionClock.monotonic() + 2_000_000_000
        while XGrabPointer(
            connection.display, connection.root, False, UInt32(ButtonPressMask | ButtonReleaseMask), GrabModeAsync,
            GrabModeAsync, Window(None),
            cursor, Time(CurrentTime)) != GrabSuccess
        {
            try connection.checkConnection()
            guard SessionClock.monotonic() < deadline else { throw .pointerTaken }
            SessionClock().sleep(until: .init(milliseconds: 20))
        }
    }

    /// Waits for a click on a top-level window and returns the window. Ignores a click on the desktop background.
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
            // Wait for the release, because after the ungrab it would be sent to the program.
            case ButtonRelease: if let pressed { return pressed }
            default: break
            }
        }
    }
}
