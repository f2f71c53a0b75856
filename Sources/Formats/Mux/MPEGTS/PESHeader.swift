/// The header before an access unit in a transport stream (ISO/IEC 13818-1, 2.4.3.6).
enum PESHeader {
    /// Returns the header's bytes. Times are ticks of 90 kHz, truncated to 33 bits. The decode time is omitted if it
    /// equals the presentation time.
    static func bytes(streamID: UInt8, presentationTime: UInt64, decodeTime: UInt64, payloadByteCount: Int) -> [UInt8] {
        let hasDecodeTime = presentationTime != decodeTime
        let timesByteCount = hasDecodeTime ? 10 : 5
        var writer = ByteWriter(capacity: 9 + timesByteCount)
        writer.u24(1)
        writer.u8(streamID)
        // A length lets a reader deliver the access unit at once. 0 means "up to the next start", which only video may
        // use.
        let length = payloadByteCount + 3 + timesByteCount
        writer.u16(length <= 0xFFFF ? UInt16(length) : 0)
        // data_alignment_indicator: the payload starts with an access unit.
        writer.u8(0x84)
        writer.u8(hasDecodeTime ? 0xC0 : 0x80)
        writer.u8(UInt8(timesByteCount))
        appendTime(presentationTime, prefix: hasDecodeTime ? 0x30 : 0x20, to: &writer)
        if hasDecodeTime { appendTime(decodeTime, prefix: 0x10, to: &writer) }
        return writer.bytes
    }

    /// 33 bits in three parts, with a marker bit after each part.
    private static func appendTime(_ time: UInt64, prefix: UInt8, to writer: inout ByteWriter) {
        writer.u8(prefix | UInt8(time >> 29 & 0x0E) | 1)
        writer.u16(UInt16(time >> 14 & 0xFFFE) | 1)
        writer.u16(UInt16(time << 1 & 0xFFFE) | 1)
    }
}
