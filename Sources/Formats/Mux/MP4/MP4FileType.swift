import Media

/// `ftyp`: the specifications that a reader needs to play the file (ISO/IEC 14496-12, 4.3).
enum MP4FileType {
    /// `iso6` for fragments whose offsets are relative to their `moof` and may be negative, `isom` for the ordinary
    /// file.
    static func write(_ tracks: [MP4Track], to writer: inout ByteWriter) {
        writer.box("ftyp") { box in
            box.utf8("isom")
            box.u32(0x200)
            box.utf8("isomiso6")
            if tracks.contains(where: { $0.source == .screen }) { box.utf8("avc1") }
            box.utf8("mp41")
        }
    }
}
