/// Removes paused intervals from a recording, so that its timestamps have no gap.
///
/// The order of packets from different tracks is not defined, so each packet is classified by its own time: before,
/// within or after a pause. For audio and video, an interval ends at the first video keyframe after the broadcast was
/// resumed. Pictures are removed in decode order: after the first removed picture, every picture up to that keyframe
/// is.
public struct PauseTimeline: Sendable {
    private struct Cut {
        var start: MediaTime
        /// The time at which the user resumed the broadcast, or nil while paused.
        var resumed: MediaTime?
        /// The time of the first keyframe after `resumed`, or nil before that keyframe.
        var end: MediaTime?
    }

    /// The maximum number of pictures between a picture's place in decode order and in display order: MaxDpbFrames
    /// (Rec. ITU-T H.264, A.3.1).
    private static let reordering = 16
    /// Sound may begin this much before the end of the sound before it: times are rounded.
    private static let tolerance = MediaTime(milliseconds: 1)
    private static let soundDuration = MediaTime(
        value: Int64(AudioTrackFormat.framesPerPacket), timescale: Int64(AudioFormat.broadcast.sampleRate))

    private var cuts: [Cut] = []
    /// True while pictures are removed.
    private var removesPictures = false
    /// The presentation times of the last pictures in the recording, in display order.
    private var pictures: [MediaTime] = []
    /// The decode time of the last picture in the recording.
    private var lastDecodeTime: MediaTime?
    /// The end of the last sound of each track in the recording.
    private var soundEnds: [Track: MediaTime] = [:]

    public init() {}

    /// Call this when the user pauses the broadcast at `time`.
    public mutating func pause(at time: MediaTime) {
        cuts.append(Cut(start: time))
    }

    /// Call this when the user resumes the broadcast at `time`.
    public mutating func resume(at time: MediaTime) {
        guard let last = cuts.indices.last, cuts[last].resumed == nil else { return }
        cuts[last].resumed = time
    }

    /// Returns the packet with its time in the recording, or nil if the packet is in a removed interval.
    public mutating func place(_ packet: EncodedPacket) -> EncodedPacket? {
        packet.track == .screen ? placePicture(packet) : placeSound(packet)
    }

    private mutating func placePicture(_ packet: EncodedPacket) -> EncodedPacket? {
        if let last = cuts.indices.last, cuts[last].end == nil, let resumed = cuts[last].resumed, packet.isKeyframe,
            packet.presentationTime >= resumed
        {
            cuts[last].end = packet.presentationTime
            removesPictures = false
        }
        guard !removesPictures, let shift = shift(at: packet.presentationTime) else {
            removesPictures = cuts.last?.end == nil
            return nil
        }
        let presented = packet.presentationTime - shift
        let picture = packet.retimed(
            presentation: presented, decode: decodeTime(of: packet, shift: shift, presented: presented))
        lastDecodeTime = picture.decodeTime
        pictures.insert(presented, at: pictures.lastIndex { $0 <= presented }.map { $0 + 1 } ?? 0)
        if pictures.count > Self.reordering { pictures.removeFirst() }
        return picture
    }

    /// Returns the decode time of a picture. An encoder with B-frames decodes a picture at the presentation time of an
    /// earlier one. If that picture was removed, the result is the presentation time of the next picture after the last
    /// decode time.
    private func decodeTime(of packet: EncodedPacket, shift: MediaTime, presented: MediaTime) -> MediaTime {
        guard let end = cuts.last?.end, packet.decodeTime < end, packet.presentationTime >= end, let lastDecodeTime
        else {
            return packet.decodeTime - shift
        }
        return pictures.first { $0 > lastDecodeTime && $0 <= presented } ?? presented
    }

    /// Returns a packet of sound with its time in the recording, or nil if it is removed. Sound packets do not start at
    /// ticks, so the first one after a cut can overlap the last one before it. It is removed then.
    private mutating func placeSound(_ packet: EncodedPacket) -> EncodedPacket? {
        guard let shift = shift(at: packet.presentationTime) else { return nil }
        let placed = packet.moved(by: -shift)
        if shift > .zero, let end = soundEnds[packet.track], placed.presentationTime + Self.tolerance < end {
            return nil
        }
        soundEnds[packet.track] = placed.presentationTime + Self.soundDuration
        return placed
    }

    /// The duration of all cuts before `time`, or nil if `time` is in a cut.
    private func shift(at time: MediaTime) -> MediaTime? {
        var shift = MediaTime.zero
        for cut in cuts where time >= cut.start {
            guard let end = cut.end, time >= end else { return nil }
            shift += end - cut.start
        }
        return shift
    }
}
