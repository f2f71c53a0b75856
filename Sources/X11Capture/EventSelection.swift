import CX11

/// The events that each part of the capture code needs from each window. X stores one mask per window and connection,
/// and a new mask replaces the previous one (X11, 9, ChangeWindowAttributes).
struct EventSelection {
    /// The parts of the capture code. Each has its own mask for each window.
    enum Interest: Hashable {
        /// Which application is active.
        case focus
        /// The captured source.
        case target
        case screen
        /// The windows that viewers must not see.
        case hiddenWindows
    }

    private var masks: [Window: [Interest: Int]] = [:]

    /// Sets the mask of `interest` for `window`; 0 for no events. Returns the combined mask of all interests.
    mutating func set(_ mask: Int, of window: Window, for interest: Interest) -> Int {
        masks[window, default: [:]][interest] = mask == 0 ? nil : mask
        let all = masks[window, default: [:]].values.reduce(0, |)
        if all == 0 { masks[window] = nil }
        return all
    }

    /// Removes a window that no longer exists. The server can use its identifier for another window.
    mutating func forget(_ window: Window) {
        masks[window] = nil
    }
}
