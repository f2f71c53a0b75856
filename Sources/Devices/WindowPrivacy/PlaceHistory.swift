import Media

/// The positions of the root window's children, from events. It keeps the positions that a window had since the last
/// finding, because a picture or a slow compositor can still show the window there.
package struct PlaceHistory {
    /// The last known position of each window.
    package private(set) var last: [UInt: PixelRect] = [:]
    /// The positions since the last finding.
    package private(set) var passed: [UInt: [PixelRect]] = [:]
    /// The positions of windows that disappeared since the last finding.
    package private(set) var gone: [PixelRect] = []

    package init() {}

    /// Sets the position of a window. Returns true if it differs from the last one.
    package mutating func move(_ window: UInt, to place: PixelRect) -> Bool {
        last.updateValue(place, forKey: window) != place
    }

    /// Sets the position of a window if none is known.
    package mutating func learn(_ window: UInt, at place: PixelRect) {
        if last[window] == nil { last[window] = place }
    }

    /// Records that the window was visible at `place`.
    package mutating func pass(_ window: UInt, _ place: PixelRect) {
        var places = passed[window, default: []]
        if !places.contains(place) { places.append(place) }
        // A window can be moved around while no picture is taken, for example while the broadcast is paused.
        if places.count > CoverTrail.maximumPlaces { places = [places.dropFirst().reduce(places[0]) { $0.union($1) }] }
        passed[window] = places
    }

    /// Removes a window. If `isGone` is true, its positions since the last finding count as positions of a window that
    /// disappeared.
    package mutating func remove(_ window: UInt, isGone: Bool) {
        let places = passed.removeValue(forKey: window)
        if isGone { gone += places ?? [] }
    }

    /// Forgets the position of a window, because it is no longer a child of the root window.
    package mutating func forget(_ window: UInt) {
        last[window] = nil
    }

    /// Starts the time of the next finding.
    package mutating func restart() {
        passed = [:]
        gone = []
    }
}
