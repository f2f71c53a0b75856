import Media

/// Converts session time to the timestamps of a transport stream, with an offset that keeps priming positive, and to
/// its program clock reference (ISO/IEC 13818-1, 2.4.2.1).
struct MPEGTSClock: Sendable {
    /// Added to every timestamp: time for an encoder's priming and for decode times before zero.
    static let startOffset = MediaTime(milliseconds: 1400)
    /// The delay of the clock behind the newest decode time. Sound that arrives this much after the picture is still in
    /// time.
    static let lag = MediaTime(milliseconds: 200)
    /// The maximum interval between clock values (ETSI TS 101 154, 4.1.5.1; the standard itself allows 100 ms).
    static let maximumInterval = MediaTime(milliseconds: 40)

    /// The session time of the last written clock value.
    private var last: MediaTime?
    /// The newest decode time of the streams without the clock.
    private var newestOther: MediaTime?
    /// How far those streams were ahead at the last packet of the stream with the clock: an encoder with lookahead
    /// returns pictures later than sound, and the clock must not pass them.
    private var lead = MediaTime.zero

    /// Returns a timestamp in ticks of 90 kHz, before it wraps; nil if it would be negative.
    static func timestamp(_ time: MediaTime) -> UInt64? {
        UInt64(exactly: (time + startOffset).value(timescale: 90_000))
    }

    /// Returns the clock for a packet of the stream with the clock, in ticks of 27 MHz; nil if the clock has already
    /// passed it.
    mutating func value(at decodeTime: MediaTime) -> UInt64? {
        lead = max(.zero, (newestOther ?? decodeTime) - decodeTime)
        return advance(to: decodeTime)
    }

    /// Returns the clock for a packet of another stream if the next such packet (`packetDuration` later) would be too
    /// late; otherwise nil.
    mutating func valueIfDue(at decodeTime: MediaTime, packetDuration: MediaTime) -> UInt64? {
        newestOther = max(newestOther ?? decodeTime, decodeTime)
        // The delay of pictures is unknown before the first picture.
        guard let last, decodeTime - lead + packetDuration - last > Self.maximumInterval else { return nil }
        return advance(to: decodeTime - lead)
    }

    private mutating func advance(to time: MediaTime) -> UInt64? {
        if let last, time <= last { return nil }
        last = time
        return UInt64(exactly: (time + Self.startOffset - Self.lag).value(timescale: 27_000_000))
    }
}
