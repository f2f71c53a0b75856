import Bitstream
import Media

/// `stsd`: the codec configuration of a track's samples (ISO/IEC 14496-12, 8.5.2).
enum MP4SampleEntry {
    /// Writes the box with its one entry.
    ///
    /// - Parameter bitrates: those of the track's sound; nil if they are not known yet.
    static func write(_ track: MP4Track, bitrates: MP4SampleTable.Bitrates?, to writer: inout ByteWriter) {
        writer.fullBox("stsd") { box in
            box.u32(1)
            switch track.kind {
            case .video(let format, let configuration): writeVideo(format, configuration, to: &box)
            case .audio(let format): writeAudio(format, bitrates, to: &box)
            }
        }
    }

    /// `avc1` (ISO/IEC 14496-15, 5.4.2.1) with `avcC`, the colour information (12.1.5) and square pixels (12.1.4).
    private static func writeVideo(
        _ format: VideoTrackFormat, _ configuration: AVCDecoderConfigurationRecord, to writer: inout ByteWriter
    ) {
        writer.box("avc1") { entry in
            entry.zeros(6)
            entry.u16(1)
            entry.zeros(16)
            entry.u16(UInt16(clamping: format.size.width))
            entry.u16(UInt16(clamping: format.size.height))
            // 72 dpi, fixed point 16.16.
            entry.u32(0x48_0000)
            entry.u32(0x48_0000)
            entry.u32(0)
            entry.u16(1)
            // No compressor name.
            entry.zeros(32)
            entry.u16(24)
            entry.i16(-1)
            entry.box("avcC") { $0.append(configuration.bytes) }
            entry.box("colr") { box in
                box.utf8("nclx")
                // BT.709 primaries, transfer and matrix; limited range.
                box.u16(1)
                box.u16(1)
                box.u16(1)
                box.u8(0)
            }
            entry.box("pasp") { box in
                box.u32(1)
                box.u32(1)
            }
        }
    }

    /// `mp4a` (ISO/IEC 14496-14, 5.6.1) with `esds`, or `Opus` with `dOps`.
    private static func writeAudio(
        _ format: AudioTrackFormat, _ bitrates: MP4SampleTable.Bitrates?, to writer: inout ByteWriter
    ) {
        writer.box(format.isOpus ? "Opus" : "mp4a") { entry in
            entry.zeros(6)
            entry.u16(1)
            entry.zeros(8)
            entry.u16(UInt16(clamping: format.format.channelCount))
            entry.u16(16)
            entry.zeros(4)
            // Fixed point 16.16. Only the AudioSpecificConfig contains a rate above 65535.
            entry.u32(format.format.sampleRate > 0xFFFF ? 0 : UInt32(format.format.sampleRate) << 16)
            if format.isOpus {
                entry.box("dOps") { writeOpus(format, to: &$0) }
            } else {
                entry.fullBox("esds") { writeElementaryStream(format, bitrates, to: &$0) }
            }
        }
    }

    /// Encapsulation of Opus in ISO Base Media File Format, 4.3.2. The fields are those of the identification header,
    /// big endian.
    private static func writeOpus(_ format: AudioTrackFormat, to writer: inout ByteWriter) {
        let identification = OpusIdentification(format)
        writer.u8(0)
        writer.u8(UInt8(clamping: identification.channelCount))
        writer.u16(UInt16(clamping: identification.preSkip))
        writer.u32(UInt32(clamping: identification.sampleRate))
        // No gain, mapping family 0.
        writer.u16(0)
        writer.u8(0)
    }

    /// ES_Descriptor, DecoderConfigDescriptor, DecoderSpecificInfo and SLConfigDescriptor (ISO/IEC 14496-1, 7.2.6).
    private static func writeElementaryStream(
        _ format: AudioTrackFormat, _ bitrates: MP4SampleTable.Bitrates?, to writer: inout ByteWriter
    ) {
        let config = format.audioSpecificConfig
        let decoderConfigLength = 13 + 5 + config.count
        writeDescriptor(tag: 3, length: 3 + 5 + decoderConfigLength + 5 + 1, to: &writer)
        writer.u16(0)
        writer.u8(0)
        writeDescriptor(tag: 4, length: decoderConfigLength, to: &writer)
        // MPEG-4 audio; an audio stream with the reserved bit set; the buffer size is unknown.
        writer.u8(0x40)
        writer.u8(0x15)
        writer.u24(0)
        // An average of 0 means that it varies.
        writer.u32(bitrates?.maximum ?? UInt32(clamping: max(0, format.bitrate) * 1000))
        writer.u32(bitrates?.average ?? 0)
        writeDescriptor(tag: 5, length: config.count, to: &writer)
        writer.append(config)
        writeDescriptor(tag: 6, length: 1, to: &writer)
        // The value that MP4 requires (ISO/IEC 14496-14, 3.1.2).
        writer.u8(2)
    }

    /// A tag and a length in four bytes of seven bits (ISO/IEC 14496-1, 8.3.3).
    private static func writeDescriptor(tag: UInt8, length: Int, to writer: inout ByteWriter) {
        writer.u8(tag)
        for shift in [21, 14, 7] { writer.u8(0x80 | UInt8(length >> shift & 0x7F)) }
        writer.u8(UInt8(length & 0x7F))
    }
}
