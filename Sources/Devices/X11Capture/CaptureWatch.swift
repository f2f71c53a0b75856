import CX11
import Capture
import Glibc

/// Detects whether a program captures a display: whether `CaptureSelection` has an owner.
package final class CaptureWatch {
    private let connection: X11Connection
    private let selection: Atom

    /// Watches the display `name`. If `name` is nil, watches the display in `DISPLAY`.
    package init(display name: String?) throws(CaptureError) {
        connection = try X11Connection(name: name)
        selection = CaptureSelection.atom(on: connection)
        // Subscribe before reading the state, so that no change is missed.
        CaptureSelection.watch(selection, on: connection)
    }

    package func isCaptured() throws(CaptureError) -> Bool {
        let isCaptured = XGetSelectionOwner(connection.display, selection) != 0
        try connection.checkConnection()
        return isCaptured
    }

    /// Blocks until the display is captured, or until it is not.
    package func wait(untilCaptured wanted: Bool) throws(CaptureError) {
        while try isCaptured() != wanted {
            var poller = pollfd(fd: XConnectionNumber(connection.display), events: Int16(POLLIN), revents: 0)
            if XPending(connection.display) == 0 { poll(&poller, 1, -1) }
            while XPending(connection.display) > 0, !connection.isBroken {
                var event = XEvent()
                XNextEvent(connection.display, &event)
            }
        }
    }
}
