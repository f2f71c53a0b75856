import COpus
import Media

/// Encodes PCM to packets of Opus of 20 ms. Use it on one thread.
package final class OpusSound {
    /// Of one packet.
    static let packetTime = MediaTime(milliseconds: 20)
    private static let bitrate: Int32 = 96_000
    /// From 0 to 10. Less work than libopus does by itself.
    private static let complexity: Int32 = 5
    private static let longestPacket = 1276
    /// A smaller gap than this is jitter of the timestamps.
    private static let gap = MediaTime(milliseconds: 100)

    private let encoder: OpaquePointer
    private let format: AudioFormat
    private let frameCount: Int
    private var samples: [Int16] = []
    /// The presentation time of the first of `samples`; nil before the first ones.
    private var start: MediaTime?

    /// Returns nil if Opus has no such format: it takes 8, 12, 16, 24 and 48 kHz, and one or two channels.
    package init?(_ format: AudioFormat) {
        var status: Int32 = 0
        guard
            let encoder = opus_encoder_create(
                Int32(format.sampleRate), Int32(format.channelCount), OPUS_APPLICATION_AUDIO, &status)
        else { return nil }
        guard copus_set(encoder, Self.bitrate, Self.complexity) == OPUS_OK else {
            opus_encoder_destroy(encoder)
            return nil
        }
        (self.encoder, self.format) = (encoder, format)
        frameCount = Int(Self.packetTime.value(timescale: Int64(format.sampleRate)))
    }

    deinit {
        opus_encoder_destroy(encoder)
    }

    /// Takes samples of 16 bits, little endian and interleaved. Returns the packets that are complete, each with its
    /// presentation time in 48,000ths of a second.
    package func append(_ data: [UInt8], presented: MediaTime) -> [(bytes: [UInt8], ticks: Int64)] {
        let waiting = MediaTime(
            value: Int64(samples.count / format.channelCount), timescale: Int64(format.sampleRate))
        if let start, presented - (start + waiting) < Self.gap, (start + waiting) - presented < Self.gap {
            // It goes on.
        } else {
            samples = []
            start = presented
        }
        data.withUnsafeBytes { bytes in
            for index in 0..<bytes.count / 2 {
                samples.append(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)))
            }
        }
        var packets: [(bytes: [UInt8], ticks: Int64)] = []
        let size = frameCount * format.channelCount
        while samples.count >= size, let start {
            var packet = [UInt8](repeating: 0, count: Self.longestPacket)
            let count = opus_encode(encoder, samples, Int32(frameCount), &packet, Int32(packet.count))
            samples.removeFirst(size)
            self.start = start + Self.packetTime
            guard count > 0 else { continue }
            packets.append((Array(packet.prefix(Int(count))), start.value(timescale: 48_000)))
        }
        return packets
    }
}
