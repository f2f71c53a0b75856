/// Maps a track's media to the movie's timeline, whose zero is the session's start: an optional empty edit, then the
/// media from a start point on (ISO/IEC 14496-12, 8.6.6).
struct MP4EditList: Sendable {
    /// The movie timescale in ticks per second. It stores a start offset with a precision of 6 µs.
    static let movieTimescale: UInt32 = 90_000

    /// The duration of the empty edit before the media, in movie ticks.
    let wait: UInt64
    /// The start point in the media, in ticks of the track.
    let mediaTime: Int64
    /// The duration of the edit in movie ticks; 0 in a fragmented file, which means the whole media.
    let duration: UInt64

    /// The time from the movie's zero to the track's end, in movie ticks.
    var trackDuration: UInt64 { wait + duration }

    /// Creates the edits of an ordinary file, whose media timeline starts with the first sample's decode time.
    init(_ table: MP4SampleTable, timescale: UInt32) {
        let start = max(0, table.firstPresentationTime)
        wait = Self.movieTicks(start, timescale: timescale)
        mediaTime = start - table.firstDecodeTime
        duration = table.isEmpty ? 0 : Self.movieTicks(max(0, table.presentationEnd - start), timescale: timescale)
    }

    /// Creates the edit of a fragmented file, whose media timeline is the session's plus `shift` ticks.
    init(shift: Int64) {
        wait = 0
        mediaTime = shift
        duration = 0
    }

    /// Round up, so that the last sample is complete.
    private static func movieTicks(_ value: Int64, timescale: UInt32) -> UInt64 {
        let scale = UInt64(max(1, timescale))
        let (whole, rest) = UInt64(value).quotientAndRemainder(dividingBy: scale)
        return whole * UInt64(movieTimescale) + (rest * UInt64(movieTimescale) + scale - 1) / scale
    }

    /// Writes `edts` with its `elst`.
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
        // The media rate 1, as 16.16.
        writer.u32(0x10000)
    }
}
