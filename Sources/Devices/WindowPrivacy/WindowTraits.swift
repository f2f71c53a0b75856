/// The properties of one window that rules and the search for pop-ups need.
package struct WindowTraits: Equatable, Sendable {
    package var window: UInt
    /// Both parts of WM_CLASS, or empty strings (ICCCM, 4.1.2.5).
    package var instance = ""
    package var className = ""
    package var title = ""
    /// Other readings of the title, and the title in WM_NAME if it differs from _NET_WM_NAME.
    package var otherTitles: [String] = []
    /// _NET_WM_PID.
    package var process: Int32?
    /// True if `_BROADCAST_CAPTURE_EXCLUDE` is 1.
    package var excludesItself = false
    /// WM_TRANSIENT_FOR (ICCCM, 4.1.2.6). The root window, or 0, means the whole group.
    package var transientFor: UInt?
    /// WM_CLIENT_LEADER and the group in WM_HINTS.
    package var leaders: Set<UInt> = []
    /// True if _NET_WM_WINDOW_TYPE is not an ordinary type: a menu, a tooltip or a dialog (EWMH 1.5).
    package var isAuxiliary = false
    /// True if the window has WM_STATE: a window manager manages it, so it is an application's window and not a frame
    /// (ICCCM, 4.1.3.1).
    package var isManaged = false

    package init(window: UInt) {
        self.window = window
    }

    /// Returns true if the window's properties match the rule. Rules for window identifiers never match here.
    package func matches(_ rule: HiddenWindowRule) -> Bool {
        switch rule {
        case .windowClass(let name):
            let name = name.lowercased()
            return instance.lowercased() == name || className.lowercased() == name
        case .title(let pattern): return pattern.matches(title) || otherTitles.contains { pattern.matches($0) }
        case .process(let process): return self.process == process
        case .window: return false
        }
    }
}
