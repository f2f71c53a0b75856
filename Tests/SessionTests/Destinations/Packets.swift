import Media

/// A video packet of an encoder, `sequence` ticks of 30 a second after the start.
func videoPacket(_ sequence: Int, isKeyframe: Bool = false, bytes: Int = 100, at time: MediaTime? = nil)
    -> EncodedPacket
{
    let time = time ?? MediaTime(value: Int64(sequence), timescale: 30)
    return EncodedPacket(
        track: .screen, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, sequence: UInt32(sequence),
        data: [UInt8](repeating: 1, count: bytes))
}

/// A packet of sound.
func soundPacket(_ track: Track = .mixed, at time: MediaTime, sequence: Int = 0) -> EncodedPacket {
    EncodedPacket(
        track: track, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(sequence),
        data: [1, 2, 3, 4])
}

extension PacketQueue {
    /// What waits, up to the end of the queue: call `end` first.
    func remaining() async -> [Element] {
        var elements: [Element] = []
        while let element = await next() { elements.append(element) }
        return elements
    }
}

extension PacketQueue.Element {
    /// `video 3`, `mixed`, `paused 100` …
    var summary: String {
        switch self {
        case .packet(let packet): packet.track == .screen ? "video \(packet.sequence)" : packet.track.name
        case .paused(let time): "paused \(time.milliseconds)"
        case .resumed(let time): "resumed \(time.milliseconds)"
        case .annotated(let values): "annotated \(values)"
        }
    }
}
