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
        /// The session time at which the window left.
        var left: MediaTime
        /// The session time at which the area can be shown again in any case.
        var limit: MediaTime
        /// The time for which the area remains covered after it was drawn without the window.
        var duration: MediaTime
        var isDrawn: Bool
        var compositor: Compositor
        /// The session time at which the area can be shown again. Nil before it was drawn without the window.
        var end: MediaTime?

        /// The session time at which the area can be shown again, as far as it is known.
        var knownEnd: MediaTime { compositor == .none || compositor == .hasDrawnEnd ? end ?? limit : limit }

        /// Sets the end if everything that it depends on has happened.
        mutating func setEnd(at now: MediaTime) {
            guard isDrawn && compositor != .isBehind && end == nil else { return }
            end = min(limit, now + duration)
        }
    }

    /// What is known about the compositor's picture of an area.
    private enum Compositor {
        /// No compositor draws the area.
        case none
        /// It can still show the window at full strength.
        case isBehind
        /// It knows that the window left, and can fade it out.
        case hasDrawnDeparture
        /// It has drawn after the end. A fade is complete: it follows a clock.
        case hasDrawnEnd
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
    package var nextEnd: MediaTime? { places.map(\.knownEnd).min() }

    /// Returns true if it must be found out now what the compositor has drawn.
    package func awaitsCompositor(at now: MediaTime) -> Bool {
        places.contains { place in
            switch place.compositor {
            case .none, .hasDrawnEnd: false
            case .isBehind: true
            case .hasDrawnDeparture: place.end.map { $0 <= now } ?? false
            }
        }
    }

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
    ///   - isComposited: true if a compositor draws the screen. A vacated area then also remains covered until the
    ///     compositor has drawn the departure, and again after `duration`. See `noteCompositor`.
    package mutating func update(
        _ windows: [UInt: PixelRect], passed: [PixelRect], released: Set<UInt>, drawn: [PixelRect] = [],
        restless: Set<UInt> = [],
        at now: MediaTime, for duration: MediaTime, undrawnFor undrawnDelay: MediaTime? = nil,
        isComposited: Bool = false
    ) {
        places.removeAll { $0.knownEnd <= now }
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
                var place = Place(
                    rectangle: rectangle, left: now, limit: now + (undrawnDelay ?? duration), duration: duration,
                    isDrawn: undrawnDelay == nil, compositor: isComposited ? .isBehind : .none)
                place.setEnd(at: now)
                places.append(place)
            }
        }
        leave(left)
        noteDrawing(drawn, at: now)
        leave(gone)
        if places.count > Self.maximumPlaces { places = [places.dropFirst().reduce(places[0], Self.merge)] }
        current = windows
    }

    /// Returns one area for two. It remains covered as long as both of them.
    private static func merge(_ one: Place, _ other: Place) -> Place {
        var result = one
        result.rectangle = one.rectangle.union(other.rectangle)
        result.left = max(one.left, other.left)
        result.limit = max(one.limit, other.limit)
        result.duration = max(one.duration, other.duration)
        result.isDrawn = one.isDrawn && other.isDrawn
        result.compositor =
            one.compositor == other.compositor
            ? one.compositor
            : one.compositor == .none ? other.compositor : other.compositor == .none ? one.compositor : .isBehind
        result.end = one.end.flatMap { end in other.end.map { max(end, $0) } }
        return result
    }

    /// Records drawing, in pixels of the root window.
    package mutating func noteDrawing(_ rectangles: [PixelRect], at now: MediaTime) {
        for index in places.indices {
            let place = places[index]
            guard !place.isDrawn, rectangles.contains(where: { $0.intersects(place.rectangle) }) else { continue }
            places[index].isDrawn = true
            places[index].setEnd(at: now)
        }
    }

    /// Records that the compositor has drawn everything that happened up to the session time `seen`.
    package mutating func noteCompositor(hasDrawn seen: MediaTime, at now: MediaTime) {
        for index in places.indices {
            switch places[index].compositor {
            // A request of the tick in which the departure was noticed can have been sent before it.
            case .isBehind where places[index].left < seen:
                places[index].compositor = .hasDrawnDeparture
                places[index].setEnd(at: now)
            case .hasDrawnDeparture where places[index].end.map({ $0 <= seen }) ?? false:
                places[index].compositor = .hasDrawnEnd
            default: break
            }
        }
    }
}
