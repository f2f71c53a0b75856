import Media

/// The header before an AAC packet in a byte stream (ISO/IEC 14496-3, 1.A.2.2). A header that is written has seven
/// bytes and no checksum.
package struct ADTSHeader: Equatable, Sendable {
    /// Bytes of a header that is written.
    package static let byteCount = 7
    /// The longest packet for which `aac_frame_length` (13 bits) has room, in bytes.
    package static let maximumPayloadByteCount = 0x1FFF - byteCount

    /// The audio object type, from 1 to 4: `profile_ObjectType` + 1.
    package let objectType: UInt8
    /// `sampling_frequency_index`: an index in `AudioSpecificConfig.sampleRates`.
    package let sampleRateIndex: UInt8
    /// `channel_configuration`, from 0 to 7.
    package let channelConfiguration: UInt8

    /// The header for the packets of `track`, from its AudioSpecificConfig.
    ///
    /// If that cannot be read or contains a value that ADTS has no code for, the header says AAC-LC with the rate
    /// nearest to the track's sample rate and the track's channel count.
    package init(_ track: AudioTrackFormat) {
        if let configuration = try? AudioSpecificConfig(reading: track.audioSpecificConfig),
            let index = configuration.sampleRateIndex,
            (1...4).contains(configuration.objectType), configuration.channelConfiguration < 8
        {
            objectType = configuration.objectType
            sampleRateIndex = index
            channelConfiguration = configuration.channelConfiguration
        } else {
            objectType = 2
            sampleRateIndex = Self.nearestIndex(to: track.format.sampleRate)
            channelConfiguration = UInt8(clamping: track.format.channelCount) & 7
        }
    }

    /// Reads the header at the start of `bytes`, which need not contain the packet.
    ///
    /// Returns the header and the position of the packet, counted from the header's first byte: after 7 bytes, or after
    /// 9 if the header has a checksum. Throws `truncated`, `missingSyncword`, and `invalidValue` if a field is invalid
    /// or the frame has more than one packet.
    package static func read(_ bytes: [UInt8]) throws(BitstreamError) -> (header: ADTSHeader, payload: Range<Int>) {
        var reader = BitReader(bytes)
        guard try reader.bits(12) == 0xFFF else { throw .missingSyncword }
        _ = try reader.flag()  // ID
        guard try reader.bits(2) == 0 else { throw .invalidValue }  // layer
        let headerByteCount = try reader.flag() ? 7 : 9  // protection_absent
        let objectType = UInt8(try reader.bits(2)) + 1
        let index = UInt8(try reader.bits(4))
        _ = try reader.flag()  // private_bit
        let channels = UInt8(try reader.bits(3))
        _ = try reader.bits(4)  // original_copy, home, copyright_identification_bit, copyright_identification_start
        let frameLength = Int(try reader.bits(13))
        _ = try reader.bits(11)  // adts_buffer_fullness
        let blocks = try reader.bits(2)  // number_of_raw_data_blocks_in_frame, less one
        guard index < AudioSpecificConfig.sampleRates.count, frameLength >= headerByteCount, blocks == 0 else {
            throw .invalidValue
        }
        let header = ADTSHeader(objectType: objectType, sampleRateIndex: index, channelConfiguration: channels)
        return (header, headerByteCount..<frameLength)
    }

    private init(objectType: UInt8, sampleRateIndex: UInt8, channelConfiguration: UInt8) {
        self.objectType = objectType
        self.sampleRateIndex = sampleRateIndex
        self.channelConfiguration = channelConfiguration
    }

    /// Returns the header of a packet of `payloadByteCount` bytes, or nil if the packet is too long for ADTS.
    package func bytes(payloadByteCount: Int) -> [UInt8]? {
        guard (0...Self.maximumPayloadByteCount).contains(payloadByteCount) else { return nil }
        var writer = BitWriter()
        writer.bits(0xFFF, count: 12)  // syncword
        writer.bits(0b0001, count: 4)  // MPEG-4, layer 0, no checksum
        writer.bits(UInt32(objectType) - 1, count: 2)
        writer.bits(UInt32(sampleRateIndex), count: 4)
        writer.flag(false)  // private_bit
        writer.bits(UInt32(channelConfiguration), count: 3)
        writer.bits(0, count: 4)  // original_copy, home, copyright_identification_bit, copyright_identification_start
        writer.bits(UInt32(payloadByteCount + Self.byteCount), count: 13)
        writer.bits(0x7FF, count: 11)  // adts_buffer_fullness: variable bitrate
        writer.bits(0, count: 2)  // number_of_raw_data_blocks_in_frame, less one
        return writer.bytes
    }

    private static func nearestIndex(to sampleRate: Int) -> UInt8 {
        let rates = AudioSpecificConfig.sampleRates
        let wanted = min(max(sampleRate, 0), 1_000_000)
        let nearest = rates.indices.min { abs(rates[$0] - wanted) < abs(rates[$1] - wanted) }
        return UInt8(nearest ?? 3)
    }
}
