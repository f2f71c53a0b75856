import CX11

/// Windows that can disappear before their properties are read. What they showed can remain on the screen: in the frame
/// that a window manager put them into, and in their pop-ups.
struct DepartureLog {
    /// The windows that were mapped since the last finding, without those that a window manager does not manage.
    private var mapped: Set<Window> = []
    /// The windows that entered another window since the last finding, with that window.
    private var arrivals: [Window: Window] = [:]

    /// True if there is nothing to resolve.
    var isEmpty: Bool { mapped.isEmpty && arrivals.isEmpty }

    mutating func map(_ window: Window) { mapped.insert(window) }

    mutating func enter(_ window: Window, into parent: Window) { arrivals[window] = parent }

    /// Returns the windows that disappeared before they were read, and the windows that they had entered.
    ///
    /// - Parameter present: all windows that exist, as far as they were read.
    mutating func resolve(present: Set<Window>) -> (lost: Set<Window>, emptied: Set<Window>) {
        let left = arrivals.filter { !present.contains($0.key) }
        defer { self = DepartureLog() }
        return (mapped.subtracting(present).union(left.keys), Set(left.values))
    }
}
