/// What a media segment is made of (RFC 8216, 3).
package enum SegmentFormat: String, Sendable, CaseIterable {
    /// MPEG-2 transport stream (3.2): every server that takes HLS takes this.
    case ts
    /// Fragmented MP4 (3.3): a header of its own, and less overhead.
    case fmp4

    /// The ending of a segment's name.
    package var fileEnding: String { self == .ts ? "ts" : "m4s" }
}
