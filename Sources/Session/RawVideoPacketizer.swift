import Media

/// Frames as packets of raw I420 or I444, for destinations that want them. A repeated frame shares the bytes of the one before.
struct RawVideoPacketizer {
    private var last: [UInt8] = []
    private var sequence: UInt32 = 0

    mutating func packet(for sample: SampleBuffer) -> EncodedPacket? {
        guard case .picture(let picture) = sample.payload, let frame = picture.patches.first?.pixels else { return nil }
        last = frame.withUnsafeBytes { Array($0) }
        return repeatPacket(at: sample.presentationTime)
    }

    mutating func repeatPacket(at time: MediaTime) -> EncodedPacket? {
        guard !last.isEmpty else { return nil }
        defer { sequence += 1 }
        return EncodedPacket(track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: sequence, data: last)
    }
}
