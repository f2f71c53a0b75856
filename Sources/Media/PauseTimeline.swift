/// Removes paused intervals from a recording, so that its timestamps have no gap.
///
/// The order of packets from different tracks is not defined, so each packet is classified by its own time: before,
/// within or after a pause. For audio and video, an interval ends at the first video keyframe after the broadcast was
/// resumed.
public struct PauseTimeline: Sendable {
    private struct Cut {
        var start: MediaTime
        /// The time at which the user resumed the broadcast, or nil while paused.
        var resumed: MediaTime?
        /// The time of the first keyframe after `resumed`, or nil before that keyframe.
        var end: MediaTime?
    }

    private var cuts: [Cut] = []

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
        guard !cuts.isEmpty else { return packet }
        if let last = cuts.indices.last, cuts[last].end == nil, let resumed = cuts[last].resumed, packet.track == .screen, packet.isKeyframe,
            packet.presentationTime >= resumed
        {
            cuts[last].end = packet.presentationTime
        }
        var shift = MediaTime.zero
        for cut in cuts where packet.presentationTime >= cut.start {
            guard let end = cut.end, packet.presentationTime >= end else { return nil }
            shift += end - cut.start
        }
        return EncodedPacket(
            track: packet.track, presentationTime: packet.presentationTime - shift, decodeTime: packet.decodeTime - shift,
            isKeyframe: packet.isKeyframe, isDiscontinuity: packet.isDiscontinuity, sequence: packet.sequence, data: packet.data)
    }
}
