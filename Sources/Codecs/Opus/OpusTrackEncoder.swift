import Media

/// Encodes blocks of sound to packets of Opus. Use it on one thread.
package final class OpusTrackEncoder {
    private let track: Track
    private let sound: OpusSound
    private var sequence: UInt32 = 0

    /// Returns nil if the library has no memory.
    ///
    /// - Parameters:
    ///   - track: the track of the packets.
    ///   - bitrate: kbit/s.
    package init?(track: Track, bitrate: Int) {
        guard let sound = OpusSound(.broadcast, bitrate: bitrate) else { return nil }
        (self.track, self.sound) = (track, sound)
    }

    /// Takes a block in the format of broadcasts. The first packets have negative times (`OpusSound.preSkip`).
    package func encode(_ sample: SampleBuffer) -> [EncodedPacket] {
        guard case .sound(let block) = sample.payload, block.format == .broadcast else { return [] }
        return sound.append(block, presented: sample.presentationTime).map(packet)
    }

    /// Returns the rest, at the end.
    package func finish() -> [EncodedPacket] { sound.finish().map(packet) }

    /// Returns the format of the packets, without an AudioSpecificConfig; nil if the library has no memory.
    package static func format(of track: Track, bitrate: Int) -> AudioTrackFormat? {
        OpusSound(.broadcast, bitrate: bitrate).map {
            AudioTrackFormat(
                track: track, format: .broadcast, audioSpecificConfig: [], bitrate: bitrate, priming: $0.preSkip)
        }
    }

    private func packet(_ packet: OpusSound.Packet) -> EncodedPacket {
        defer { sequence &+= 1 }
        let time = MediaTime(value: packet.ticks, timescale: 48_000)
        return EncodedPacket(
            track: track, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: sequence,
            data: packet.bytes)
    }
}
