import Media

/// The program's tables: one program with one H.264 and any number of AAC streams (ISO/IEC 13818-1, 2.4.4).
struct MPEGTSTables: Sendable {
    /// An elementary stream of the program.
    struct Stream: Sendable {
        let track: Track
        /// `elementary_PID`.
        let pid: UInt16
        /// `stream_type` (table 2-34): 0x1B is H.264, 0x0F is AAC with ADTS.
        let type: UInt8
        /// `stream_id` of its PES packets (table 2-22).
        let id: UInt8
    }

    static let associationPID: UInt16 = 0
    static let mapPID: UInt16 = 0x1000

    let streams: [Stream]

    /// The PID of the stream with the program clock: video, otherwise the first audio stream; 0x1FFF if there is no
    /// stream.
    var clockPID: UInt16 { streams.first?.pid ?? 0x1FFF }

    /// H.264 first, then the audio tracks in the description's order. Raw video is omitted.
    init(_ description: StreamDescription) {
        var streams: [Stream] = []
        if let video = description.video, case .h264 = video.codec {
            streams.append(Stream(track: .screen, pid: 0x100, type: 0x1B, id: 0xE0))
        }
        for (index, audio) in description.audio.prefix(32).enumerated() {
            streams.append(Stream(track: audio.track, pid: 0x101 + UInt16(index), type: 0x0F, id: 0xC0 + UInt8(index)))
        }
        self.streams = streams
    }

    /// The program association section (2.4.4.3): `mapPID` carries the description of program 1.
    var associationSection: [UInt8] {
        Self.section(tableID: 0, extensionID: 1) {
            $0.u16(1)
            $0.u16(0xE000 | Self.mapPID)
        }
    }

    /// The program map section (2.4.4.8), without descriptors.
    var mapSection: [UInt8] {
        Self.section(tableID: 2, extensionID: 1) { body in
            body.u16(0xE000 | clockPID)
            body.u16(0xF000)
            for stream in streams {
                body.u8(stream.type)
                body.u16(0xE000 | stream.pid)
                body.u16(0xF000)
            }
        }
    }

    /// A section in the long syntax: version 0, current, and the only section of its table.
    private static func section(tableID: UInt8, extensionID: UInt16, _ contents: (inout ByteWriter) -> Void) -> [UInt8]
    {
        var body = ByteWriter(capacity: 64)
        contents(&body)
        var writer = ByteWriter(capacity: body.count + 12)
        writer.u8(tableID)
        // section_syntax_indicator, the reserved bits, and the length of the rest with the checksum.
        writer.u16(0xB000 | UInt16(body.count + 9))
        writer.u16(extensionID)
        writer.u8(0xC1)
        writer.u16(0)
        writer.append(body.bytes)
        writer.u32(checksum(writer.bytes))
        return writer.bytes
    }

    /// CRC_32 (annex A): polynomial 0x04C11DB7, initial value all ones, no reflection, no final inversion.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            remainder ^= UInt32(byte) << 24
            for _ in 0..<8 { remainder = remainder & 0x8000_0000 != 0 ? remainder << 1 ^ 0x04C1_1DB7 : remainder << 1 }
        }
        return remainder
    }
}
