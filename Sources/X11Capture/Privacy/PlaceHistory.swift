import CX11
import Media
import WindowPrivacy

/// The positions of the root window's children, from events. It keeps the positions that a window had since the last
/// finding, because a picture or a slow compositor can still show the window there.
struct PlaceHistory {
    /// The last known position of each window.
    private(set) var last: [Window: PixelRect] = [:]
    /// The positions since the last finding.
    private(set) var passed: [Window: [PixelRect]] = [:]
    /// The positions of windows that disappeared since the last finding.
    private(set) var gone: [PixelRect] = []

    /// Sets the position of a window. Returns true if it differs from the last one.
    mutating func move(_ window: Window, to place: PixelRect) -> Bool {
        last.updateValue(place, forKey: window) != place
    }

    /// Sets the position of a window if none is known.
    mutating func learn(_ window: Window, at place: PixelRect) {
        if last[window] == nil { last[window] = place }
    }

    /// Records that the window was visible at `place`.
    mutating func pass(_ window: Window, _ place: PixelRect) {
        var places = passed[window, default: []]
        if !places.contains(place) { places.append(place) }
        // A window can be moved around while no picture is taken, for example while the broadcast is paused.
        if places.count > CoverTrail.maximumPlaces { places = [places.dropFirst().reduce(places[0]) { $0.union($1) }] }
        passed[window] = places
    }

    /// Removes a window. If `isGone` is true, its positions since the last finding count as positions of a window that
    /// disappeared.
    mutating func remove(_ window: Window, isGone: Bool) {
        let places = passed.removeValue(forKey: window)
        if isGone { gone += places ?? [] }
    }

    /// Forgets the position of a window, because it is no longer a child of the root window.
    mutating func forget(_ window: Window) {
        last[window] = nil
    }

    /// Starts the time of the next finding.
    mutating func restart() {
        passed = [:]
        gone = []
    }
}
