/// The parts of a source that select events. Each has its own mask for each window.
extension EventInterest {
    /// Which application is active.
    static let focus = EventInterest("focus")
    /// The captured source.
    static let target = EventInterest("target")
    /// Which monitor shows the focused window.
    static let focusedMonitor = EventInterest("focused monitor")
    static let screen = EventInterest("screen")
    /// The windows that viewers must not see.
    static let hiddenWindows = EventInterest("hidden windows")
}
