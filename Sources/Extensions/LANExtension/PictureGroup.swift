import Media

/// The newest group of pictures, for a viewer who joins: a keyframe, and what refers to it. A value without a clock.
///
/// A still screen has small groups, which are kept for as long as they last. Where much moves, a group must end before
/// it takes too long to send and to decode.
///
/// `Picture`: a picture in the form that viewers get.
package struct PictureGroup<Picture: Sendable>: Sendable {
    /// A group of this many bytes should end if it is as long as `shortest`, one of this many pictures in any case.
    private static var wantedSize: Int { 600_000 }
    private static var wantedCount: Int { 120 }
    private static var shortest: MediaTime { MediaTime(milliseconds: 1500) }
    /// A larger group is not worth sending: the next keyframe comes sooner.
    private static var maximumSize: Int { 2 << 20 }
    private static var maximumCount: Int { 240 }

    /// Empty without a keyframe, and after a group became too large.
    package private(set) var pictures: [Picture] = []
    private var size = 0
    private var start = MediaTime.zero
    private var isEndWanted = false

    package init() {}

    /// Adds a picture. Returns true once for each group that should end.
    ///
    /// - Parameters:
    ///   - size: in bytes.
    ///   - presented: its presentation time.
    @discardableResult
    package mutating func add(_ picture: Picture, size: Int, isKeyframe: Bool, presented: MediaTime) -> Bool {
        if isKeyframe {
            (pictures, self.size, isEndWanted) = ([], 0, false)
            start = presented
        }
        guard isKeyframe || !pictures.isEmpty else { return false }
        pictures.append(picture)
        self.size += size
        let isLong = presented - start >= Self.shortest
        let isWanted = pictures.count >= Self.wantedCount || (self.size >= Self.wantedSize && isLong)
        defer { isEndWanted = isEndWanted || isWanted }
        if self.size > Self.maximumSize || pictures.count > Self.maximumCount { pictures = [] }
        return isWanted && !isEndWanted
    }
}
