import Media

/// The metadata of a whole file.
struct MP4Information: Sendable {
    /// Seconds from the epoch of MP4, 1904-01-01, to that of Unix.
    private static let epochOffset: Int64 = 2_082_844_800

    var title: String?
    /// `creation_time`: seconds since 1904-01-01 00:00 UTC (ISO/IEC 14496-12, 8.2.2); 0 if it is not known.
    var creationTime: UInt64 = 0

    init() {}

    init(_ stream: StreamDescription) {
        title = stream.title
        creationTime = stream.creationTime.map { UInt64(clamping: $0 + Self.epochOffset) } ?? 0
    }
}
