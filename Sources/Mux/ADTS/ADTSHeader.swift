import Media

/// Frames raw AAC packets for a byte stream: seven bytes without a checksum before each (ISO/IEC 14496-3, 1.A.2.2).
package struct ADTSHeader: Sendable, Equatable {
    /// Bytes of one header.
    package static let byteCount = 7
    /// The most that `aac_frame_length` (13 bits) leaves for the packet, in bytes.
    package static let maximumPayloadByteCount = 0x1FFF - byteCount

    private static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    /// `profile_ObjectType`: the audio object type less one, two bits.
    private let profile: UInt8
    /// `sampling_frequency_index`, four bits.
    private let sampleRateIndex: UInt8
    /// `channel_configuration`, three bits.
    private let channels: UInt8

    /// The fields come from the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1); where it is too short or names a rate
    /// in full, from the format: AAC-LC, the rate nearest to `sampleRate`.
    package init(_ track: AudioTrackFormat) {
        let rate = track.format.sampleRate
        let nearest = Self.sampleRates.indices.min {
            (Self.sampleRates[$0] - rate).magnitude < (Self.sampleRates[$1] - rate).magnitude
        }
        let config = track.audioSpecificConfig
        let index = config.count >= 2 ? (config[0] & 7) << 1 | config[1] >> 7 : 15
        if config.count >= 2, index < Self.sampleRates.count {
            profile = ((config[0] >> 3) &- 1) & 3
            sampleRateIndex = index
            channels = (config[1] >> 3) & 7
        } else {
            profile = 1
            sampleRateIndex = UInt8(nearest ?? 3)
            channels = UInt8(clamping: track.format.channelCount) & 7
        }
    }

    /// The header of a packet of `payloadByteCount` bytes; nil where the packet is too long for ADTS.
    package func bytes(payloadByteCount: Int) -> [UInt8]? {
        guard (0...Self.maximumPayloadByteCount).contains(payloadByteCount) else { return nil }
        let length = payloadByteCount + Self.byteCount
        return [
            0xFF,
            // Syncword, MPEG-4, layer 0, no checksum.
            0xF1,
            profile << 6 | sampleRateIndex << 2 | channels >> 2,
            (channels & 3) << 6 | UInt8(length >> 11),
            UInt8(length >> 3 & 0xFF),
            // Buffer fullness 0x7FF: variable bitrate.
            UInt8(length & 7) << 5 | 0x1F,
            0xFC,
        ]
    }
}
