/// How a track's media lies on the movie's timeline, whose zero is the session's start: an optional wait, then the media from a
/// point of its own on (ISO/IEC 14496-12, 8.6.6).
struct MP4EditList: Sendable {
    /// Ticks a second of the movie: fine enough that a start offset keeps its place to 6 µs.
    static let movieTimescale: UInt32 = 90_000

    /// The empty edit before the media, in movie ticks.
    let wait: UInt64
    /// Where in the media the edit begins, in ticks of the track.
    let mediaTime: Int64
    /// How long the edit lasts, in movie ticks; 0 in a fragmented file: as long as there is media.
    let duration: UInt64

    /// From the movie's zero to the track's end, in movie ticks.
    var trackDuration: UInt64 { wait + duration }

    /// The edits of an ordinary file, whose media timeline starts with the first sample's decode time.
    init(_ table: MP4SampleTable, timescale: UInt32) {
        let start = max(0, table.firstPresentationTime)
        wait = Self.movieTicks(start, timescale: timescale)
        mediaTime = start - table.firstDecodeTime
        duration = table.isEmpty ? 0 : Self.movieTicks(max(0, table.presentationEnd - start), timescale: timescale)
    }

    /// The edit of a fragmented file, whose media timeline is the session's, moved on by `shift` ticks.
    init(shift: Int64) {
        wait = 0
        mediaTime = shift
        duration = 0
    }

    /// Rounded up, so that the last sample is not cut short.
    private static func movieTicks(_ value: Int64, timescale: UInt32) -> UInt64 {
        let scale = UInt64(max(1, timescale))
        let (whole, rest) = UInt64(value).quotientAndRemainder(dividingBy: scale)
        return whole * UInt64(movieTimescale) + (rest * UInt64(movieTimescale) + scale - 1) / scale
    }

    /// `edts` with its `elst`.
    func write(to writer: inout ByteWriter) {
        let version: UInt8 = max(wait, duration) > UInt64(UInt32.max) || mediaTime > Int64(Int32.max) ? 1 : 0
        writer.box("edts") { box in
            box.fullBox("elst", version: version) { list in
                list.u32(wait > 0 ? 2 : 1)
                if wait > 0 { Self.writeEntry(duration: wait, mediaTime: -1, version: version, to: &list) }
                Self.writeEntry(duration: duration, mediaTime: mediaTime, version: version, to: &list)
            }
        }
    }

    private static func writeEntry(duration: UInt64, mediaTime: Int64, version: UInt8, to writer: inout ByteWriter) {
        writer.time(duration, version: version)
        if version == 1 { writer.i64(mediaTime) } else { writer.i32(Int32(clamping: mediaTime)) }
        // Played at its own rate, 16.16.
        writer.u32(0x10000)
    }
}
