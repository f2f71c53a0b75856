import Media

/// Makes packets of linear PCM from sound: 16 bits, little endian, interleaved.
package struct RawAudioPacketizer {
    private let track: Track
    private var sequence: UInt32

    /// - Parameter sequence: the number of the first packet.
    package init(track: Track, from sequence: UInt32 = 0) {
        self.track = track
        self.sequence = sequence
    }

    /// Returns the packet for a block of sound. Samples above full scale are clipped.
    package mutating func packet(for sample: SampleBuffer) -> EncodedPacket? {
        guard case .sound(let sound) = sample.payload else { return nil }
        defer { sequence &+= 1 }
        let data = [UInt8](unsafeUninitializedCapacity: sound.samples.count * 2) { bytes, count in
            for (index, value) in sound.samples.enumerated() {
                let level = UInt16(bitPattern: Int16(max(-32_768, min(32_767, (value * 32_767).rounded()))))
                bytes[index * 2] = UInt8(level & 0xff)
                bytes[index * 2 + 1] = UInt8(level >> 8)
            }
            count = sound.samples.count * 2
        }
        return EncodedPacket(
            track: track, presentationTime: sample.presentationTime, decodeTime: sample.presentationTime,
            isKeyframe: true, sequence: sequence,
            data: data)
    }
}

/// Makes packets of raw I420 or I444 pixels from frames. The packets share the memory of the frames.
package struct RawVideoPacketizer {
    private var last: PixelBuffer?
    private var sequence: UInt32

    /// - Parameter sequence: the number of the first packet.
    package init(from sequence: UInt32 = 0) {
        self.sequence = sequence
    }

    package mutating func packet(for sample: SampleBuffer) -> EncodedPacket? {
        guard case .picture(let picture) = sample.payload, let frame = picture.patches.first?.pixels else { return nil }
        last = frame
        return repeatPacket(at: sample.presentationTime)
    }

    /// Forgets the last picture, when no destination takes raw pictures any more.
    package mutating func forget() {
        last = nil
    }

    package mutating func repeatPacket(at time: MediaTime) -> EncodedPacket? {
        guard let last else { return nil }
        defer { sequence &+= 1 }
        return EncodedPacket(sharing: last, at: time, sequence: sequence)
    }
}
