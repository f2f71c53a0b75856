import Media

/// What is painted over: where hidden windows are, and for a while where they were. A value that asks neither server nor clock.
///
/// A compositor shows a window some frames after it has moved, and lets one that is closed fade away; without one, applications
/// need a moment to draw what was uncovered.
package struct CoverTrail {
    /// More places than this become the one that surrounds them.
    package static let maximumPlaces = 16

    private struct Place {
        var rectangle: PixelRect
        /// The session's time from which it may be seen.
        var end: MediaTime
        /// How long it stays covered from the moment on at which something is drawn there; nil once that has happened.
        var afterDrawing: MediaTime?
    }

    /// Where each hidden window is now.
    package private(set) var current: [UInt: PixelRect] = [:]
    private var places: [Place] = []

    package init() {}

    package var isEmpty: Bool { current.isEmpty && places.isEmpty }

    /// All that is covered, in a stable order.
    package var rectangles: [PixelRect] {
        var result: [PixelRect] = []
        for rectangle in current.sorted(by: { $0.key < $1.key }).map(\.value) + places.map(\.rectangle) where !result.contains(rectangle) {
            result.append(rectangle)
        }
        return result
    }

    /// When the next place may be seen again.
    package var nextEnd: MediaTime? { places.map(\.end).min() }

    /// Takes where the hidden windows are now. What a window left stays covered for `duration`.
    ///
    /// - Parameters:
    ///   - passed: where hidden windows were for a moment since the last call.
    ///   - released: windows that are hidden no more: nothing of theirs stays covered.
    ///   - drawn: what was drawn since the last call, and may be what was uncovered meanwhile.
    ///   - restless: windows that draw all the time: where one of them has gone, that may be its own.
    ///   - patience: how long a place stays covered where nothing is drawn: the window's pixels are still there. Nil where that is not
    ///     waited for.
    package mutating func update(
        _ windows: [UInt: PixelRect], passed: [PixelRect], released: Set<UInt>, drawn: [PixelRect] = [], restless: Set<UInt> = [],
        at now: MediaTime, for duration: MediaTime, patience: MediaTime? = nil
    ) {
        places.removeAll { $0.end <= now }
        var (left, gone) = (passed, [PixelRect]())
        for (window, rectangle) in current where windows[window] != rectangle && !released.contains(window) {
            if windows[window] == nil && restless.contains(window) { gone.append(rectangle) } else { left.append(rectangle) }
        }
        func leave(_ rectangles: [PixelRect]) {
            for rectangle in rectangles {
                places.removeAll { $0.rectangle == rectangle }
                places.append(Place(rectangle: rectangle, end: now + (patience ?? duration), afterDrawing: patience == nil ? nil : duration))
            }
        }
        leave(left)
        noteDrawing(drawn, at: now)
        leave(gone)
        if places.count > Self.maximumPlaces, let end = places.map(\.end).max() {
            let box = places.dropFirst().reduce(places[0].rectangle) { $0.union($1.rectangle) }
            places = [Place(rectangle: box, end: end, afterDrawing: places.compactMap(\.afterDrawing).max())]
        }
        current = windows
    }

    /// Takes note of what was drawn, in pixels of the root window.
    package mutating func noteDrawing(_ rectangles: [PixelRect], at now: MediaTime) {
        for index in places.indices {
            let place = places[index]
            guard let rest = place.afterDrawing, rectangles.contains(where: { !$0.intersection(place.rectangle).isEmpty }) else { continue }
            places[index].end = min(place.end, now + rest)
            places[index].afterDrawing = nil
        }
    }
}
