/// Cuts the paused stretches out of a recording, so that its times go on without a gap.
///
/// Packets of several tracks come in no order between each other, so each is judged by its own time: before a pause, within
/// one, or after. A stretch ends at the first keyframe after the broadcast went on, for picture and sound alike.
public struct PauseTimeline: Sendable {
    private struct Cut {
        var start: MediaTime
        /// When the user went on; nil while paused.
        var resumed: MediaTime?
        /// The first keyframe after that; nil until it comes.
        var end: MediaTime?
    }

    private var cuts: [Cut] = []

    public init() {}

    /// The user paused at `time`.
    public mutating func pause(at time: MediaTime) {
        cuts.append(Cut(start: time))
    }

    /// The user went on at `time`.
    public mutating func resume(at time: MediaTime) {
        guard let last = cuts.indices.last, cuts[last].resumed == nil else { return }
        cuts[last].resumed = time
    }

    /// The packet at its place in the recording; nil where it lies in a stretch that is cut out.
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
