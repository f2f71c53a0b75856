/// What one window says about itself, as far as rules and pop-ups ask for it.
package struct WindowTraits: Equatable, Sendable {
    package var window: UInt
    /// WM_CLASS, both parts; empty where it has none (ICCCM, 4.1.2.5).
    package var instance = ""
    package var className = ""
    package var title = ""
    /// Other ways to read it, and what WM_NAME says beside _NET_WM_NAME.
    package var otherTitles: [String] = []
    /// _NET_WM_PID.
    package var process: Int32?
    /// `_BROADCAST_CAPTURE_EXCLUDE` is 1.
    package var excludesItself = false
    /// WM_TRANSIENT_FOR (ICCCM, 4.1.2.6): the root window, or 0, stands for the whole group.
    package var transientFor: UInt?
    /// WM_CLIENT_LEADER and the group of WM_HINTS.
    package var leaders: Set<UInt> = []
    /// _NET_WM_WINDOW_TYPE says something other than an ordinary window: a menu, a tooltip, a dialogue (EWMH 1.5).
    package var isAuxiliary = false
    /// WM_STATE: a window manager manages it, so it is an application's own window and no frame (ICCCM, 4.1.3.1).
    package var isManaged = false

    package init(window: UInt) {
        self.window = window
    }

    /// True where a rule names what the window says about itself. Window numbers are not its matter.
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
