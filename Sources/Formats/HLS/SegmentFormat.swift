/// The format of media segments (RFC 8216, 3).
package enum SegmentFormat: String, Sendable, CaseIterable {
    /// MPEG-2 transport stream (3.2). Every server with HLS support accepts it.
    case ts
    /// Fragmented MP4 (3.3). It has a separate header and less overhead.
    case fmp4

    /// The file name extension of a segment.
    package var fileEnding: String { self == .ts ? "ts" : "m4s" }
}
