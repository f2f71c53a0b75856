import Media

/// Says at each tick which part of the picture the source grabs again, although nothing reported a change in that part.
/// The grab finds drawing that the server did not report.
///
/// Every five seconds, the source grabs the picture in stripes from its top to its bottom, for half a second. A grab of
/// all of it would delay the frame of that tick.
package struct RefreshSchedule: Sendable {
    /// The time between the beginnings of two rounds.
    private static let interval = MediaTime(milliseconds: 5000)
    private static let stripes: Int64 = 16
    /// The time for one stripe. If ticks are less frequent, one grab takes several stripes.
    private static let pace = MediaTime(milliseconds: 33)

    /// The beginning of the last round, or the last grab of the whole picture; nil if the source must grab the whole
    /// picture.
    private var last: MediaTime?
    /// The number of stripes that the source grabbed since `last`.
    private var done = stripes

    package init() {}

    /// True until a grab of the whole picture.
    package var needsWhole: Bool { last == nil }

    /// Requires a grab of the whole picture.
    package mutating func requestWhole() {
        last = nil
    }

    /// Records a grab of the whole picture.
    package mutating func noteWhole(at now: MediaTime) {
        (last, done) = (now, Self.stripes)
    }

    /// Returns the part of a picture of `size` that is due, and counts it as grabbed. Nil if none is due.
    package mutating func takePart(of size: PixelSize, at now: MediaTime) -> PixelRect? {
        guard var begin = last else { return nil }
        if done == Self.stripes, now - begin >= Self.interval {
            begin = now
            (last, done) = (now, 0)
        }
        let due = min(Self.stripes, (now - begin).nanoseconds / Self.pace.nanoseconds + 1)
        guard due > done else { return nil }
        defer { done = due }
        let (top, bottom) = (size.height * Int(done) / Int(Self.stripes), size.height * Int(due) / Int(Self.stripes))
        return top == bottom ? nil : PixelRect(x: 0, y: top, width: size.width, height: bottom - top)
    }
}
