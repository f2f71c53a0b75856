/// Windows that can disappear before their properties are read. What they showed can remain on the screen: in the frame
/// that a window manager put them into, and in their pop-ups.
package struct DepartureLog {
    /// The windows that were mapped since the last finding, without those that a window manager does not manage.
    private var mapped: Set<UInt> = []
    /// The windows that entered another window since the last finding, with that window.
    private var arrivals: [UInt: UInt] = [:]

    package init() {}

    /// True if there is nothing to resolve.
    package var isEmpty: Bool { mapped.isEmpty && arrivals.isEmpty }

    /// Records that a window was mapped.
    package mutating func map(_ window: UInt) { mapped.insert(window) }

    /// Records that a window is now inside `parent`.
    package mutating func enter(_ window: UInt, into parent: UInt) { arrivals[window] = parent }

    /// Returns the windows that disappeared before they were read, and the windows that they had entered.
    ///
    /// - Parameter present: all windows that exist, as far as they were read.
    package mutating func resolve(present: Set<UInt>) -> (lost: Set<UInt>, emptied: Set<UInt>) {
        let left = arrivals.filter { !present.contains($0.key) }
        defer { self = DepartureLog() }
        return (mapped.subtracting(present).union(left.keys), Set(left.values))
    }
}
