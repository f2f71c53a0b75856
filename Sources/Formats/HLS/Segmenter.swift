import FoundationEssentials
import Media

/// Groups packets into segments. It does no I/O and reads no clock.
///
/// A segment starts with a keyframe and ends at the first keyframe after approximately its duration. If no keyframe
/// arrives in time, the segmenter requests one, because the playlist declares the maximum duration of a segment from
/// the start (RFC 8216, 4.3.3.1).
package struct Segmenter: Sendable {
    /// The time by which a segment can end early: keyframes follow the clock, and a picture can be a little early or
    /// late.
    private static let earliness = MediaTime(milliseconds: 250)
    /// The time after which a late keyframe is requested.
    private static let lateness = MediaTime(milliseconds: 100)

    private struct Open: Sendable {
        var start: MediaTime
        /// The time of the latest picture.
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
    /// The date of media time zero.
    private let epoch: Date
    private var muxer: SegmentMuxer
    private var frameDuration: MediaTime
    private var open: Open?
    /// True while pictures are dropped until the next keyframe.
    private var awaitsKeyframe = true
    /// True if the next segment does not continue the previous one.
    private var hasGap = false
    /// True if a keyframe is needed. `takeKeyframeRequest` clears it.
    private var needsKeyframe = false
    /// True if a keyframe was requested and has not arrived yet.
    private var hasAskedForKeyframe = false

    /// - Parameters:
    ///   - duration: the duration of a segment. The positions of the keyframes round it up to whole keyframe intervals.
    ///   - epoch: the date of media time zero.
    package init(_ stream: StreamDescription, format: SegmentFormat, duration: MediaTime, epoch: Date) {
        self.format = format
        self.duration = duration
        self.epoch = epoch
        muxer = SegmentMuxer(format, stream: stream)
        frameDuration = Self.frameDuration(stream)
    }

    /// Adds a packet. Returns a segment if the packet ends one, otherwise nil.
    package mutating func append(_ packet: EncodedPacket) -> Segment? {
        guard packet.track == .screen else {
            // Audio before the first picture would start a segment without a keyframe.
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

    /// Changes the tracks. Returns the current segment, which ends here, or nil if no segment was begun.
    package mutating func change(to stream: StreamDescription) -> Segment? {
        let ended = close(before: nil)
        muxer = SegmentMuxer(format, stream: stream)
        frameDuration = Self.frameDuration(stream)
        awaitsKeyframe = true
        hasGap = ended != nil || hasGap
        return ended
    }

    /// Ends the stream. Returns the last segment, or nil if no segment was begun.
    package mutating func end() -> Segment? {
        close(before: nil)
    }

    /// Returns true once if the next picture should be a keyframe.
    package mutating func takeKeyframeRequest() -> Bool {
        defer { needsKeyframe = false }
        return needsKeyframe
    }

    private func isDue(at time: MediaTime) -> Bool {
        guard let open else { return true }
        return hasGap || time - open.start + Self.earliness >= duration
    }

    /// Requests a keyframe, once until a keyframe arrives.
    private mutating func askForKeyframe() {
        if !hasAskedForKeyframe { needsKeyframe = true }
        hasAskedForKeyframe = true
    }

    private mutating func close(before next: EncodedPacket?) -> Segment? {
        guard let ended = open else { return nil }
        open = nil
        // A gap does not count as part of a segment: the segment before it ends with its own last picture.
        let end = hasGap || next == nil ? ended.last + frameDuration : next?.presentationTime ?? ended.last
        return Segment(
            header: muxer.header, bytes: ended.bytes + muxer.cut(before: hasGap ? nil : next),
            duration: end - ended.start,
            date: epoch + ended.start.seconds, isDiscontinuous: ended.isDiscontinuous)
    }

    private static func frameDuration(_ stream: StreamDescription) -> MediaTime {
        MediaTime(value: 1, timescale: Int64(max(1, stream.video?.frameRate ?? 30)))
    }
}
