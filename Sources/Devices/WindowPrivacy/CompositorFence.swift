import Media

/// Determines up to which time the compositor has drawn what happened on the screen. It does not access the server.
///
/// A compositor reads its events in order and then draws, so it has processed everything before a request if it has
/// drawn what was requested. The first such drawing can belong to a picture that it began before it read the request.
/// Therefore it is asked twice in turn: what it draws after the first drawing was begun after it.
package struct CompositorFence {
    /// The time for which an answer is awaited. After that, another pixel is asked for.
    package static let patience = MediaTime(milliseconds: 300)

    private struct Request {
        /// The time at which the first of the two requests was sent.
        var start: MediaTime
        /// The time at which this request was sent last.
        var time: MediaTime
        /// The areas that the compositor was asked to draw. It can be slower than the patience.
        var areas: [PixelRect]
        var isSecond = false
    }

    /// The requests that have waited too long. Each of them suggests another window, which is kept if it answers.
    package private(set) var misses = 0
    private var request: Request?
    /// The start of a pair of requests of which the first is answered.
    private var halfway: MediaTime?

    package init() {}

    /// True between two requests of a pair. The second one is due.
    package var isHalfway: Bool { halfway != nil }

    /// Returns true if no request awaits its answer. Notes it if the last one has waited too long.
    package mutating func canAsk(at now: MediaTime) -> Bool {
        guard let request else { return true }
        guard now - request.time >= Self.patience else { return false }
        misses += 1
        return true
    }

    /// Records that the compositor was asked at `now` to draw `area`, in pixels of the root window.
    package mutating func ask(_ area: PixelRect, at now: MediaTime) {
        var next = request ?? Request(start: halfway ?? now, time: now, areas: [], isSecond: halfway != nil)
        next.time = now
        if !next.areas.contains(area) { next.areas.append(area) }
        request = next
        halfway = nil
    }

    /// Records what was drawn since the last call, in pixels of the root window.
    ///
    /// - Returns: the time up to which the compositor has drawn everything; nil if that is not known.
    package mutating func note(drawn rectangles: [PixelRect]) -> MediaTime? {
        guard let request, request.areas.contains(where: { area in rectangles.contains { $0.intersects(area) } }) else {
            return nil
        }
        self.request = nil
        if request.isSecond { return request.start }
        halfway = request.start
        return nil
    }
}
