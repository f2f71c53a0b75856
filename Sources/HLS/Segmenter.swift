import FoundationEssentials
import Media

/// Packets in, segments out; no I/O and no clock.
///
/// A segment starts with a keyframe and lasts until the first keyframe that comes after about its duration. Where none comes
/// by itself, one is to be asked for: how long a segment can be stands in the playlist from the start (RFC 8216, 4.3.3.1).
package struct Segmenter: Sendable {
    /// How much earlier than asked a segment may end: keyframes come by the clock, and a picture sooner or later.
    private static let earliness = MediaTime(milliseconds: 250)
    /// How late a keyframe may be before it is asked for.
    private static let lateness = MediaTime(milliseconds: 100)

    private struct Open: Sendable {
        var start: MediaTime
        /// The latest picture.
        var last: MediaTime
        var bytes: [UInt8] = []
        var isDiscontinuous: Bool

        mutating func add(_ picture: [UInt8], shownAt time: MediaTime) {
            bytes += picture
            last = max(last, time)
        }
    }

    private let format: SegmentFormat
    private let duration: MediaTime
    /// The moment of media time zero.
    private let epoch: Date
    private var muxer: SegmentMuxer
    private var frameDuration: MediaTime
    private var open: Open?
    /// Pictures are left out until a keyframe comes.
    private var awaitsKeyframe = true
    /// The next segment does not go on where the one before it ended.
    private var hasGap = false
    /// True where a keyframe is needed; whoever asks for it takes it.
    private var needsKeyframe = false
    /// One was asked for, and has not come yet.
    private var hasAskedForKeyframe = false

    /// - Parameters:
    ///   - duration: of a segment, rounded up to whole keyframe intervals by the keyframes that come.
    ///   - epoch: the moment of media time zero.
    package init(_ stream: StreamDescription, format: SegmentFormat, duration: MediaTime, epoch: Date) {
        self.format = format
        self.duration = duration
        self.epoch = epoch
        muxer = SegmentMuxer(format, stream: stream)
        frameDuration = Self.frameDuration(stream)
    }

    /// Takes a packet; gives the segment that it ended.
    package mutating func append(_ packet: EncodedPacket) -> Segment? {
        guard packet.track == .screen else {
            // Sound before the first picture would make a segment that does not start with a keyframe.
            guard open != nil else { return nil }
            let bytes = muxer.append(packet)
            open?.bytes += bytes
            return nil
        }
        if packet.isDiscontinuity && open != nil { hasGap = true }
        if packet.isDiscontinuity && !packet.isKeyframe { awaitsKeyframe = true }
        if awaitsKeyframe {
            guard packet.isKeyframe else {
                askForKeyframe()
                return nil
            }
            awaitsKeyframe = false
        }
        if packet.isKeyframe { hasAskedForKeyframe = false }
        var ended: Segment?
        if packet.isKeyframe, isDue(at: packet.presentationTime) {
            ended = close(before: packet)
            open = Open(start: packet.presentationTime, last: packet.presentationTime, isDiscontinuous: hasGap)
            hasGap = false
        }
        let bytes = muxer.append(packet)
        open?.add(bytes, shownAt: packet.presentationTime)
        if let open, packet.presentationTime - open.start >= duration + Self.lateness { askForKeyframe() }
        return ended
    }

    /// The tracks are other ones from now on: what is open ends here.
    package mutating func change(to stream: StreamDescription) -> Segment? {
        let ended = close(before: nil)
        muxer = SegmentMuxer(format, stream: stream)
        frameDuration = Self.frameDuration(stream)
        awaitsKeyframe = true
        hasGap = ended != nil || hasGap
        return ended
    }

    /// The last segment; nil where nothing is open.
    package mutating func end() -> Segment? {
        close(before: nil)
    }

    /// True once where the next picture should be a keyframe.
    package mutating func takeKeyframeRequest() -> Bool {
        defer { needsKeyframe = false }
        return needsKeyframe
    }

    private func isDue(at time: MediaTime) -> Bool {
        guard let open else { return true }
        return hasGap || time - open.start + Self.earliness >= duration
    }

    /// Once until one comes.
    private mutating func askForKeyframe() {
        if !hasAskedForKeyframe { needsKeyframe = true }
        hasAskedForKeyframe = true
    }

    private mutating func close(before next: EncodedPacket?) -> Segment? {
        guard let ended = open else { return nil }
        open = nil
        // A gap belongs to nobody: the segment before it ends with its own last picture.
        let end = hasGap || next == nil ? ended.last + frameDuration : next?.presentationTime ?? ended.last
        return Segment(
            header: muxer.header, bytes: ended.bytes + muxer.cut(before: hasGap ? nil : next), duration: end - ended.start,
            date: epoch + ended.start.seconds, isDiscontinuous: ended.isDiscontinuous)
    }

    private static func frameDuration(_ stream: StreamDescription) -> MediaTime {
        MediaTime(value: 1, timescale: Int64(max(1, stream.video?.frameRate ?? 30)))
    }
}
