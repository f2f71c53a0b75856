import CX11

/// Monitors the X server's screen saver, which lockers such as xss-lock and light-locker use (MIT-SCREEN-SAVER 1.1).
final class ScreenSaverWatch {
    /// True while the screen saver runs.
    private(set) var isOn = false
    private let eventBase: Int32

    /// Returns nil if the server does not support the extension.
    ///
    /// - Parameter suspends: if true, the screen saver does not start when the user is idle, as long as the connection
    ///   is open. Programs can still start it explicitly.
    init?(connection: X11Connection, suspends: Bool) {
        var event: Int32 = 0
        var error: Int32 = 0
        guard XScreenSaverQueryExtension(connection.display, &event, &error) != 0 else { return nil }
        eventBase = event
        if suspends { XScreenSaverSuspend(connection.display, 1) }
        // Subscribe before reading the state, so that no change is missed.
        XScreenSaverSelectInput(connection.display, connection.root, UInt(ScreenSaverNotifyMask))
        guard let information = XScreenSaverAllocInfo() else { return }
        defer { XFree(information) }
        if XScreenSaverQueryInfo(connection.display, connection.root, information) != 0 {
            isOn = information.pointee.state == ScreenSaverOn
        }
    }

    /// Processes an event of the connection. Ignores unrelated events.
    func note(_ event: XEvent) {
        guard event.type == eventBase + Int32(ScreenSaverNotify) else { return }
        isOn = withUnsafeBytes(of: event) { $0.loadUnaligned(as: XScreenSaverNotifyEvent.self).state != ScreenSaverOff }
    }
}
