import FoundationEssentials
import Media

/// A piece of the broadcast that a player can start with: it begins with a keyframe (RFC 8216, 3).
package struct Segment: Sendable, Equatable {
    /// What a player reads first: `ftyp` and `moov` of fragmented MP4; nil where each segment has all it needs.
    package var header: [UInt8]?
    package var bytes: [UInt8]
    /// From its first picture to that of the next segment.
    package var duration: MediaTime
    /// When its first picture was shown.
    package var date: Date
    /// Samples are missing before it, or its tracks are other ones.
    package var isDiscontinuous: Bool

    package init(header: [UInt8]? = nil, bytes: [UInt8], duration: MediaTime, date: Date, isDiscontinuous: Bool = false) {
        self.header = header
        self.bytes = bytes
        self.duration = duration
        self.date = date
        self.isDiscontinuous = isDiscontinuous
    }

    /// Bytes that it holds in memory, besides the header that it shares.
    package var byteCount: Int { bytes.count }
}
