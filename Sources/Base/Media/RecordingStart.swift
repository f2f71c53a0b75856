/// Moves the times of a recording that begins during a broadcast, so that its first picture has time zero.
///
/// Without it, the recording would start with a gap as long as the broadcast up to then.
package struct RecordingStart: Sendable {
    /// The maximum number of sound packets that wait for the first picture: about 20 s of one track.
    private static let limit = 1000

    private let hasVideo: Bool
    /// The maximum time of sound before zero: the priming of the encoder.
    private let priming: MediaTime
    private var origin: MediaTime?
    /// Sound that arrived before the first picture. An encoder with a lookahead returns a picture after the sound of
    /// the same time.
    private var waiting: [EncodedPacket] = []

    /// - Parameters:
    ///   - hasVideo: false if the first sound determines time zero.
    ///   - priming: the maximum time of sound before zero.
    package init(hasVideo: Bool, priming: MediaTime = .zero) {
        self.hasVideo = hasVideo
        self.priming = priming
    }

    /// Returns the packets that `packet` completes, with their times in the recording. It is empty before the first
    /// keyframe, and for sound from before that picture.
    package mutating func place(_ packet: EncodedPacket) -> [EncodedPacket] {
        if let origin { return move([packet], to: origin) }
        guard packet.track == .screen || !hasVideo else {
            if waiting.count >= Self.limit { waiting.removeFirst() }
            waiting.append(packet)
            return []
        }
        guard packet.isKeyframe else { return [] }
        origin = packet.presentationTime
        defer { waiting = [] }
        return move([packet] + waiting, to: packet.presentationTime)
    }

    private func move(_ packets: [EncodedPacket], to origin: MediaTime) -> [EncodedPacket] {
        packets.map { $0.moved(by: -origin) }.filter { $0.track == .screen || $0.presentationTime + priming >= .zero }
    }
}
