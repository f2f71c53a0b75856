import COpus
import Media

/// Encodes PCM to packets of Opus. Use it on one thread.
package final class OpusSound {
    /// The usual duration of a packet.
    package static let usualPacketTime = MediaTime(milliseconds: 20)
    /// kbit/s.
    package static let usualBitrate = 96
    /// From 0 to 10. Less work than libopus does by itself.
    private static let complexity: Int32 = 5
    private static let longestPacket = 1276
    /// The least amplitude above zero in 16 bits.
    private static let step: Float = 1 / 32_768
    /// A smaller gap than this is jitter of the timestamps.
    private static let gap = MediaTime(milliseconds: 100)

    /// A packet, and its presentation time in 48,000ths of a second. What the first packets contain before the first
    /// sample has times before it.
    package struct Packet {
        package var bytes: [UInt8]
        package var ticks: Int64
        /// True if the samples that the encoder took for it are silence in 16 bits.
        package var isSilent: Bool

        package init(bytes: [UInt8], ticks: Int64, isSilent: Bool) {
            (self.bytes, self.ticks, self.isSilent) = (bytes, ticks, isSilent)
        }

        /// A packet of the same kind with one empty frame, with which a transmission pauses (RFC 6716, section 3.2.1).
        package var emptyFrame: [UInt8] { bytes.prefix(1).map { $0 & 0xfc } }
    }

    private let encoder: OpaquePointer
    private let format: AudioFormat
    private let packetTime: MediaTime
    private let frameCount: Int
    private var samples: [Float] = []
    /// The presentation time of the first of `samples`; nil before the first ones.
    private var start: MediaTime?
    /// The number of samples at 48 kHz that the encoder inserts before the first real one: the pre-skip (RFC 7845,
    /// 4.2).
    package let preSkip: Int

    /// Returns nil if Opus has no such format: it takes 8, 12, 16, 24 and 48 kHz, and one or two channels.
    ///
    /// - Parameters:
    ///   - bitrate: kbit/s.
    ///   - packetTime: the duration of a packet: 2.5, 5, 10 or 20 ms.
    package init?(
        _ format: AudioFormat, bitrate: Int = OpusSound.usualBitrate,
        packetTime: MediaTime = OpusSound.usualPacketTime
    ) {
        var status: Int32 = 0
        // Shorter packets have only the modes that need less lookahead (RFC 6716, 2.1.4).
        let isShort = packetTime < MediaTime(milliseconds: 10)
        guard
            let encoder = opus_encoder_create(
                Int32(format.sampleRate), Int32(format.channelCount),
                isShort ? OPUS_APPLICATION_RESTRICTED_LOWDELAY : OPUS_APPLICATION_AUDIO, &status)
        else { return nil }
        // The range of libopus.
        let bits = Int32(min(max(bitrate, 6), 510)) * 1000
        guard copus_set(encoder, bits, Self.complexity) == OPUS_OK else {
            opus_encoder_destroy(encoder)
            return nil
        }
        (self.encoder, self.format, self.packetTime) = (encoder, format, packetTime)
        frameCount = Int(packetTime.value(timescale: Int64(format.sampleRate)))
        preSkip = Int(copus_lookahead(encoder, Int32(format.sampleRate)))
    }

    deinit {
        opus_encoder_destroy(encoder)
    }

    /// Returns a packet that contains silence, as the encoder makes it after a while; nil if Opus has no such format.
    package static func silence(_ format: AudioFormat, bitrate: Int, packetTime: MediaTime) -> [UInt8]? {
        let encoder = OpusSound(format, bitrate: bitrate, packetTime: packetTime)
        let samples = [Float](repeating: 0, count: format.sampleRate * format.channelCount / 10)
        return encoder?.append(Sound(format: format, samples: samples), presented: .zero).last?.bytes
    }

    /// Takes samples of 16 bits, little endian and interleaved. Returns the packets that are complete.
    package func append(_ data: [UInt8], presented: MediaTime) -> [Packet] {
        proceed(to: presented)
        data.withUnsafeBytes { bytes in
            for index in 0..<bytes.count / 2 {
                let value = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))
                samples.append(Float(value) / 32_768)
            }
        }
        return takePackets()
    }

    /// Takes interleaved samples, of which 1 is full scale. Returns the packets that are complete.
    package func append(_ sound: Sound, presented: MediaTime) -> [Packet] {
        proceed(to: presented)
        samples += sound.samples
        return takePackets()
    }

    /// Returns the last packets at the end, filled up with silence: what the encoder delays is in them.
    package func finish() -> [Packet] {
        guard start != nil else { return [] }
        let size = frameCount * format.channelCount
        let delay = preSkip * format.sampleRate / 48_000 * format.channelCount
        samples += [Float](repeating: 0, count: delay)
        samples += [Float](repeating: 0, count: (size - samples.count % size) % size)
        defer { start = nil }
        return takePackets()
    }

    /// Begins again if there is a gap, or an overlap, before the next samples.
    private func proceed(to presented: MediaTime) {
        let waiting = MediaTime(
            value: Int64(samples.count / format.channelCount), timescale: Int64(format.sampleRate))
        if let start, presented - (start + waiting) < Self.gap, (start + waiting) - presented < Self.gap { return }
        samples = []
        start = presented
    }

    private func takePackets() -> [Packet] {
        var packets: [Packet] = []
        let size = frameCount * format.channelCount
        while samples.count >= size, let start {
            var packet = [UInt8](repeating: 0, count: Self.longestPacket)
            let count = opus_encode_float(encoder, samples, Int32(frameCount), &packet, Int32(packet.count))
            let isSilent = samples.prefix(size).allSatisfy { abs($0) < Self.step }
            samples.removeFirst(size)
            self.start = start + packetTime
            guard count > 0 else { continue }
            packets.append(
                Packet(
                    bytes: Array(packet.prefix(Int(count))), ticks: start.value(timescale: 48_000) - Int64(preSkip),
                    isSilent: isSilent))
        }
        return packets
    }
}
