import Media

/// When which part of a picture is looked at again although nothing reported a change in it. It shows drawing that a server
/// did not report.
///
/// Every five seconds the picture is looked at in stripes from its top to its bottom, one stripe in a tick: a look at all of
/// it would delay the frame of that tick.
package struct RefreshSchedule: Sendable {
    /// The time between the beginnings of two rounds.
    private static let interval = MediaTime(milliseconds: 5000)
    private static let stripes = 16

    /// The beginning of the last round, or the last look at the whole picture; nil if the whole picture must be looked at.
    private var last: MediaTime?
    private var next = 0

    package init() {}

    /// True until a look at the whole picture.
    package var needsWhole: Bool { last == nil }

    /// Requires a look at the whole picture.
    package mutating func requestWhole() {
        last = nil
    }

    /// Notes a look at the whole picture.
    package mutating func noteWhole(at now: MediaTime) {
        (last, next) = (now, 0)
    }

    /// Returns the stripe of a tick, and counts it as looked at. Nil if none is due.
    package mutating func takeStripe(of size: PixelSize, at now: MediaTime) -> PixelRect? {
        guard let last else { return nil }
        if next == 0 {
            guard now - last >= Self.interval else { return nil }
            self.last = now
        }
        let (top, bottom) = (size.height * next / Self.stripes, size.height * (next + 1) / Self.stripes)
        next = (next + 1) % Self.stripes
        return top == bottom ? nil : PixelRect(x: 0, y: top, width: size.width, height: bottom - top)
    }
}
