import CX11

/// A user of a connection that has its own mask of events for each window.
package struct EventInterest: Hashable {
    private let name: String

    package init(_ name: String) { self.name = name }
}

/// The events that each user of a connection needs from each window. X stores one mask per window and connection,
/// and a new mask replaces the previous one (X11, 9, ChangeWindowAttributes).
struct EventSelection {
    private var masks: [Window: [EventInterest: Int]] = [:]

    /// Sets the mask of `interest` for `window`; 0 for no events. Returns the combined mask of all interests.
    mutating func set(_ mask: Int, of window: Window, for interest: EventInterest) -> Int {
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
