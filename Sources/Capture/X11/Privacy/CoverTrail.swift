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
        /// What must be drawn before it may be seen; nil once that has happened.
        var wait: Wait?
    }

    private struct Wait {
        /// How long the place stays covered from then on.
        var rest: MediaTime
        /// Where nothing has been drawn yet; nil where anything drawn in the place will do.
        var missing: [PixelRect]?
    }

    /// What uncovers the screen where a hidden window was.
    package enum Redrawing: Sendable {
        /// The server and the programs below: every pixel is drawn again, unless a program is late or hangs.
        case everything(of: PixelRect)
        /// A compositor, which draws what it likes.
        case anything
    }

    /// More pieces than this of what has not been drawn become the whole place again.
    private static let maximumPieces = 64

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
    ///   - redrawing: what must be drawn where a window was before `duration` begins: until then the screen still shows it. Nil where that is not told.
    ///   - patience: how long a place stays covered where it is not drawn.
    package mutating func update(
        _ windows: [UInt: PixelRect], passed: [PixelRect], released: Set<UInt>, at now: MediaTime, for duration: MediaTime,
        redrawing: Redrawing? = nil, patience: MediaTime = .zero
    ) {
        places.removeAll { $0.end <= now }
        var left = passed
        for (window, rectangle) in current where windows[window] != rectangle && !released.contains(window) { left.append(rectangle) }
        for rectangle in left {
            places.removeAll { $0.rectangle == rectangle }
            let wait: Wait? =
                switch redrawing {
                case nil: nil
                case .anything: Wait(rest: duration, missing: nil)
                case .everything(let screen): Wait(rest: duration, missing: [rectangle.intersection(screen)])
                }
            places.append(Place(rectangle: rectangle, end: now + (wait == nil ? duration : patience), wait: wait))
        }
        if places.count > Self.maximumPlaces, let end = places.map(\.end).max() {
            let box = places.dropFirst().reduce(places[0].rectangle) { $0.union($1.rectangle) }
            let waits = places.compactMap(\.wait)
            let missing = waits.contains { $0.missing == nil } ? nil : waits.flatMap { $0.missing ?? [] }
            places = [Place(rectangle: box, end: end, wait: waits.first.map { Wait(rest: $0.rest, missing: missing) })]
        }
        current = windows
    }

    /// Takes note of what was drawn, in pixels of the root window.
    package mutating func noteDrawing(_ rectangles: [PixelRect], at now: MediaTime) {
        for index in places.indices {
            let place = places[index]
            guard let wait = place.wait else { continue }
            let drawn = rectangles.filter { !$0.intersection(place.rectangle).isEmpty }
            if drawn.isEmpty { continue }
            if let missing = wait.missing {
                let rest = missing.flatMap { $0.subtracting(drawn) }
                places[index].wait?.missing = rest.count > Self.maximumPieces ? [place.rectangle] : rest
                if !rest.isEmpty { continue }
            }
            places[index].end = min(place.end, now + wait.rest)
            places[index].wait = nil
        }
    }
}
