/// The window in front of a display, for whoever names it `active`.
package enum FocusedWindow {
    /// Its X identifier.
    ///
    /// - Parameter display: nil for the one that `DISPLAY` names.
    package static func find(on display: String?) throws(CaptureError) -> UInt {
        let connection = try X11Connection(name: display)
        guard let window = FocusFollower(connection: connection).focusedWindow() else { throw .noActiveWindow }
        return UInt(window)
    }
}
