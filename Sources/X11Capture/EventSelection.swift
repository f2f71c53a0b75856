import CX11

/// Which events of which windows are wanted, by whom. X keeps one mask for each window and connection: each new one replaces the last,
/// whoever asked for it (X11, 9, ChangeWindowAttributes).
struct EventSelection {
    /// Who wants events. Each has a mask of its own for each window.
    enum Interest: Hashable {
        /// Which application is in front.
        case focus
        /// What is captured.
        case target
        case screen
        /// Which windows viewers must not see.
        case hiddenWindows
    }

    private var masks: [Window: [Interest: Int]] = [:]

    /// Notes what `interest` wants to hear of `window`; 0 for nothing. Gives all that is wanted of it.
    mutating func set(_ mask: Int, of window: Window, for interest: Interest) -> Int {
        masks[window, default: [:]][interest] = mask == 0 ? nil : mask
        let all = masks[window, default: [:]].values.reduce(0, |)
        if all == 0 { masks[window] = nil }
        return all
    }

    /// A window is gone; its number may be given to another one.
    mutating func forget(_ window: Window) {
        masks[window] = nil
    }
}
