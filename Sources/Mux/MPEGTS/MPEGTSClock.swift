import Media

/// Session time as a transport stream wants it: moved on so that priming stays positive, and the program clock that goes
/// with it (ISO/IEC 13818-1, 2.4.2.1).
struct MPEGTSClock: Sendable {
    /// Added to every time stamp: room for an encoder's priming, and for decode times before zero.
    static let startOffset = MediaTime(milliseconds: 1400)
    /// How far the clock is behind the newest decode time: sound that comes this much after the picture is still in time.
    static let lag = MediaTime(milliseconds: 200)
    /// The longest time between two clock values (ETSI TS 101 154, 4.1.5.1; the standard itself allows 100 ms).
    static let maximumInterval = MediaTime(milliseconds: 40)

    /// The session time of the last clock value that was written.
    private var last: MediaTime?
    /// The newest decode time of the streams that do not carry the clock.
    private var newestOther: MediaTime?
    /// How far those were ahead when the stream that carries the clock last had a packet: an encoder with lookahead gives
    /// pictures later than sound, and the clock must not pass them.
    private var lead = MediaTime.zero

    /// A time stamp in ticks of 90 kHz, without the wrap; nil where it would lie before zero.
    static func timestamp(_ time: MediaTime) -> UInt64? {
        UInt64(exactly: (time + startOffset).value(timescale: 90_000))
    }

    /// The clock for a packet of the stream that carries it, in ticks of 27 MHz; nil where the clock has been further already.
    mutating func value(at decodeTime: MediaTime) -> UInt64? {
        lead = max(.zero, (newestOther ?? decodeTime) - decodeTime)
        return advance(to: decodeTime)
    }

    /// The clock for a packet of another stream, where one more such packet (`packetDuration` later) would come too late; else nil.
    mutating func valueIfDue(at decodeTime: MediaTime, packetDuration: MediaTime) -> UInt64? {
        newestOther = max(newestOther ?? decodeTime, decodeTime)
        // Before the first picture nobody knows how late pictures will be.
        guard let last, decodeTime - lead + packetDuration - last > Self.maximumInterval else { return nil }
        return advance(to: decodeTime - lead)
    }

    private mutating func advance(to time: MediaTime) -> UInt64? {
        if let last, time <= last { return nil }
        last = time
        return UInt64(exactly: (time + Self.startOffset - Self.lag).value(timescale: 27_000_000))
    }
}
