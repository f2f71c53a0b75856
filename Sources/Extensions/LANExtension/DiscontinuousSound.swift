import Media
import Opus

/// The sound of one viewer as discontinuous transmission (DTX; RFC 7587, section 3.1.3): silence is not sent.
///
/// The first second is silent too. The jitter buffer of browsers (NetEq of libwebrtc) fills before its sound is played,
/// and while sound plays it gives up that delay slowly, and not as far as its target. After a pause in the transmission
/// it plays near its target. So a viewer first gets packets of silence, from which the buffer learns how much packets
/// jitter, then a pause, and then the sound.
package struct DiscontinuousSound {
    package struct Sent: Equatable {
        package var bytes: [UInt8]
        /// True for the first packet after a pause, which has the marker bit (RFC 7587, section 4.1).
        package var isMarked = false

        package init(bytes: [UInt8], isMarked: Bool = false) {
            (self.bytes, self.isMarked) = (bytes, isMarked)
        }
    }

    /// The jitter buffer has a target after half a second.
    private static let learning = MediaTime(milliseconds: 700).value(timescale: 48_000)
    /// Longer than what the buffer holds by then.
    private static let pause = MediaTime(milliseconds: 300).value(timescale: 48_000)
    /// Shorter silence is sent.
    private static let hangover = MediaTime(milliseconds: 100).value(timescale: 48_000)
    /// A pause begins with an empty frame, and one tells now and then that it goes on. With several at the beginning,
    /// Chromium's delay grows with each pause.
    private static let emptyFrameInterval = MediaTime(milliseconds: 400).value(timescale: 48_000)
    /// A gap in the times, after which a new sound begins.
    private static let gap = MediaTime(milliseconds: 100).value(timescale: 48_000)

    /// The times of packets, in 48,000ths of a second.
    private var first: Int64?
    private var silentSince: Int64?
    private var lastEmptyFrame: Int64?
    private var last: Int64?

    package init() {}

    /// Returns what is sent instead of the next packet; nil if nothing is.
    ///
    /// - Parameter silence: a packet that contains silence.
    package mutating func next(_ packet: OpusSound.Packet, silence: [UInt8]) -> Sent? {
        if let last, packet.ticks - last >= Self.gap {
            silentSince = nil
            // What is left of the beginning begins again.
            if let first, last - first < Self.learning + Self.pause { self.first = nil }
        }
        last = packet.ticks
        let first = self.first ?? packet.ticks
        self.first = first
        silentSince = packet.isSilent ? silentSince ?? packet.ticks : nil
        if packet.ticks - first < Self.learning { return Sent(bytes: silence) }
        let isBeginning = packet.ticks - first < Self.learning + Self.pause
        let isLongSilence = silentSince.map { packet.ticks - $0 >= Self.hangover } ?? false
        guard isBeginning || isLongSilence else {
            defer { lastEmptyFrame = nil }
            return Sent(bytes: packet.bytes, isMarked: lastEmptyFrame != nil)
        }
        if let lastEmptyFrame, packet.ticks - lastEmptyFrame < Self.emptyFrameInterval { return nil }
        lastEmptyFrame = packet.ticks
        return Sent(bytes: packet.emptyFrame)
    }
}
