import Media

/// The areas to cover: the positions of hidden windows, and for a limited time their previous positions. This is a
/// value that accesses neither the server nor a clock.
///
/// A compositor shows a moved window some frames later, and fades a closed window out. Without a compositor,
/// applications need time to draw an area that was uncovered.
package struct CoverTrail {
    /// The maximum number of previous positions. With more, they become their bounding box.
    package static let maximumPlaces = 16

    private struct Place {
        var rectangle: PixelRect
        /// The session time at which the area can be shown again.
        var end: MediaTime
        /// The time for which the area remains covered after something was drawn there. Nil after that drawing.
        var afterDrawing: MediaTime?
    }

    /// The current area of each hidden window.
    package private(set) var current: [UInt: PixelRect] = [:]
    private var places: [Place] = []

    package init() {}

    package var isEmpty: Bool { current.isEmpty && places.isEmpty }

    /// All areas to cover, in a stable order.
    package var rectangles: [PixelRect] {
        var result: [PixelRect] = []
        for rectangle in current.sorted(by: { $0.key < $1.key }).map(\.value) + places.map(\.rectangle)
        where !result.contains(rectangle) {
            result.append(rectangle)
        }
        return result
    }

    /// The time at which the next area can be shown again, or nil if no area is covered.
    package var nextEnd: MediaTime? { places.map(\.end).min() }

    /// Updates the positions of the hidden windows. A vacated area remains covered for `duration`.
    ///
    /// - Parameters:
    ///   - passed: areas where hidden windows were temporarily since the last call.
    ///   - released: windows that are no longer hidden. Their areas do not remain covered.
    ///   - drawn: areas that were drawn since the last call, possibly by the windows that were uncovered.
    ///   - restless: windows that draw continuously. If one of them disappears, its drawing can be the drawing in
    ///     `drawn`.
    ///   - undrawnDelay: the maximum time for which a vacated area remains covered if nothing draws there, because the
    ///     pixels of the window are still visible. Nil to use `duration` only.
    package mutating func update(
        _ windows: [UInt: PixelRect], passed: [PixelRect], released: Set<UInt>, drawn: [PixelRect] = [],
        restless: Set<UInt> = [],
        at now: MediaTime, for duration: MediaTime, undrawnFor undrawnDelay: MediaTime? = nil
    ) {
        places.removeAll { $0.end <= now }
        var (left, gone) = (passed, [PixelRect]())
        for (window, rectangle) in current where windows[window] != rectangle && !released.contains(window) {
            if windows[window] == nil && restless.contains(window) {
                gone.append(rectangle)
            } else {
                left.append(rectangle)
            }
        }
        func leave(_ rectangles: [PixelRect]) {
            for rectangle in rectangles {
                places.removeAll { $0.rectangle == rectangle }
                places.append(
                    Place(
                        rectangle: rectangle, end: now + (undrawnDelay ?? duration),
                        afterDrawing: undrawnDelay == nil ? nil : duration))
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

    /// Records drawing, in pixels of the root window.
    package mutating func noteDrawing(_ rectangles: [PixelRect], at now: MediaTime) {
        for index in places.indices {
            let place = places[index]
            guard let rest = place.afterDrawing,
                rectangles.contains(where: { !$0.intersection(place.rectangle).isEmpty })
            else { continue }
            places[index].end = min(place.end, now + rest)
            places[index].afterDrawing = nil
        }
    }
}
