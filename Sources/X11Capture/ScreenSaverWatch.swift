import CX11

/// Follows the X server's screen saver, which lockers as xss-lock and light-locker go by (MIT-SCREEN-SAVER 1.1).
final class ScreenSaverWatch {
    /// True while it runs.
    private(set) var isOn = false
    private let eventBase: Int32

    /// Nil where the server has no such extension.
    ///
    /// - Parameter suspends: it does not start by itself, for as long as the connection lasts; who starts it on purpose still can.
    init?(connection: X11Connection, suspends: Bool) {
        var event: Int32 = 0
        var error: Int32 = 0
        guard XScreenSaverQueryExtension(connection.display, &event, &error) != 0 else { return nil }
        eventBase = event
        if suspends { XScreenSaverSuspend(connection.display, 1) }
        // First the events, then how it is: no change is missed.
        XScreenSaverSelectInput(connection.display, connection.root, UInt(ScreenSaverNotifyMask))
        guard let information = XScreenSaverAllocInfo() else { return }
        defer { XFree(information) }
        if XScreenSaverQueryInfo(connection.display, connection.root, information) != 0 { isOn = information.pointee.state == ScreenSaverOn }
    }

    /// Takes note of an event of the connection, whichever it is.
    func note(_ event: XEvent) {
        guard event.type == eventBase + Int32(ScreenSaverNotify) else { return }
        isOn = withUnsafeBytes(of: event) { $0.loadUnaligned(as: XScreenSaverNotifyEvent.self).state != ScreenSaverOff }
    }
}
