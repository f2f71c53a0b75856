import FoundationEssentials
import Media

/// A part of the broadcast at which a player can start. It begins with a keyframe (RFC 8216, 3).
package struct Segment: Sendable, Equatable {
    /// The initialisation section for players: `ftyp` and `moov` of fragmented MP4. Nil if each segment is
    /// self-contained.
    package var header: [UInt8]?
    package var bytes: [UInt8]
    /// The time from its first picture to the first picture of the next segment.
    package var duration: MediaTime
    /// The time at which its first picture was shown.
    package var date: Date
    /// True if samples before it are missing, or if its tracks differ from the previous segment's.
    package var isDiscontinuous: Bool

    package init(header: [UInt8]? = nil, bytes: [UInt8], duration: MediaTime, date: Date, isDiscontinuous: Bool = false)
    {
        self.header = header
        self.bytes = bytes
        self.duration = duration
        self.date = date
        self.isDiscontinuous = isDiscontinuous
    }

    /// The memory of the segment in bytes, without the shared header.
    package var byteCount: Int { bytes.count }
}
