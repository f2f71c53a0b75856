/// The known children of the root window, and those that must be read. It does not access the server.
package struct WindowRegistry {
    /// The windows that were read, by their number.
    package private(set) var known: [UInt: TopLevelWindow] = [:]
    /// The windows to read, or to read again.
    package private(set) var unread: Set<UInt> = []
    /// The windows that were read since the last finding.
    package private(set) var learned: Set<UInt> = []
    /// The windows that removed their own property that hid them, since the last finding.
    package private(set) var revealed: Set<UInt> = []
    /// The children of the root window that contain other windows, by inner window.
    package private(set) var owners: [UInt: UInt] = [:]
    /// True if a known window changed since the last call of `noteSearch`.
    package private(set) var needsSearch = true

    package init() {}

    /// All windows that exist, as far as events and replies showed.
    package var present: Set<UInt> { unread.union(known.keys) }

    /// Returns true if the window exists and must be read first.
    package func mustRead(_ window: UInt) -> Bool { known[window] == nil || unread.contains(window) }

    /// Returns true if it is not yet known whether the window is hidden.
    package func isUndecided(_ window: UInt) -> Bool { unread.contains(window) || learned.contains(window) }

    /// Records that a child of the root window was created or shown.
    package mutating func note(_ window: UInt) {
        unread.insert(window)
    }

    /// Records that a window, or a window inside it, changed since it was read.
    package mutating func change(_ window: UInt) {
        if let owner = owners[window] {
            unread.insert(owner)
        } else if known[window] != nil {
            unread.insert(window)
        } else if !unread.contains(window) {
            // The position of this window in the tree is unknown, so any frame can contain it now.
            unread.formUnion(known.keys)
        }
    }

    /// Stores a window that was read.
    package mutating func learn(_ window: TopLevelWindow) {
        let before = known.updateValue(window, forKey: window.window)
        needsSearch = needsSearch || before != window
        let didExclude = before?.members.contains(where: \.excludesItself) ?? false
        if didExclude && !window.members.contains(where: \.excludesItself) { revealed.insert(window.window) }
        unread.remove(window.window)
        learned.insert(window.window)
        for member in before?.members ?? [] { owners[member.window] = nil }
        for member in window.members.dropFirst() { owners[member.window] = window.window }
    }

    /// Removes a window that is no longer a child of the root window.
    package mutating func forget(_ window: UInt) {
        if let left = known.removeValue(forKey: window) {
            needsSearch = true
            for member in left.members { owners[member.window] = nil }
        }
        unread.remove(window)
        learned.remove(window)
    }

    /// Records that the known windows were searched.
    package mutating func noteSearch() {
        needsSearch = false
    }

    /// Starts the time of the next finding.
    package mutating func restart() {
        learned = []
        revealed = []
    }
}
