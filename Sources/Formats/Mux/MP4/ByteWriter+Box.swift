/// Boxes (ISO/IEC 14496-12, 4.2): a 32-bit size that includes itself, a type of four characters, the contents.
extension ByteWriter {
    /// Writes a box of `type` (four ASCII characters) with the bytes that `contents` writes.
    mutating func box(_ type: String, _ contents: (inout ByteWriter) -> Void) {
        let start = count
        u32(0)
        utf8(type)
        contents(&self)
        overwriteU32(UInt32(truncatingIfNeeded: count - start), at: start)
    }

    /// Writes a box that starts with a version and 24 bits of flags.
    mutating func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ contents: (inout ByteWriter) -> Void)
    {
        box(type) {
            $0.u8(version)
            $0.u24(flags)
            contents(&$0)
        }
    }

    /// Writes a time or duration field, whose width depends on the box's version: 64 bits in version 1, 32 bits in
    /// version 0.
    mutating func time(_ value: UInt64, version: UInt8) {
        if version == 1 { u64(value) } else { u32(UInt32(clamping: value)) }
    }

    /// The identity matrix of `mvhd` and `tkhd` (6.2.2).
    mutating func unityMatrix() {
        for value: UInt32 in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] { u32(value) }
    }
}
