import Media

/// `moov`: the tracks of a file, with their samples (an ordinary file) or with the defaults of its fragments
/// (ISO/IEC 14496-12, 8.2).
struct MP4Movie: Sendable {
    /// A track, its samples and its edit list.
    struct Entry: Sendable {
        let track: MP4Track
        let table: MP4SampleTable
        let edits: MP4EditList
    }

    let entries: [Entry]
    let information: MP4Information
    private let isFragmented: Bool

    /// Creates the movie before the fragments, without samples. `shift` is the offset in ticks of a track's media
    /// timeline from the session's.
    init(fragmented tracks: [(track: MP4Track, shift: Int64)], information: MP4Information) {
        entries = tracks.map { Entry(track: $0, table: MP4SampleTable(), edits: MP4EditList(shift: $1)) }
        self.information = information
        isFragmented = true
    }

    /// The longest time that the last picture is shown beyond its nominal duration: the time between two frames of a
    /// still picture with variable pacing.
    private static let longestExtension = 0.25

    /// Creates the movie of an ordinary file. The last sample has the nominal duration: an audio packet has 1024
    /// frames, and the last tick has a picture (`CaptureLoop`). A clip, and a file whose destination was removed, can
    /// end between two frames of a still picture: their last picture is shown until the sound ends.
    init(_ samples: [(track: MP4Track, table: MP4SampleTable)], information: MP4Information) {
        let soundEnd =
            samples.map { track, table -> Double in
                guard case .audio = track.kind else { return 0 }
                return Double(table.lastTime + track.nominalSampleDuration - track.priming) / Double(track.timescale)
            }.max() ?? 0
        entries = samples.map { track, table in
            var duration = track.nominalSampleDuration
            if case .video = track.kind {
                let rest = min(soundEnd - Double(table.lastTime) / Double(track.timescale), Self.longestExtension)
                duration = max(duration, Int64(rest * Double(track.timescale)))
            }
            let closed = table.closing(lastDuration: duration)
            return Entry(track: track, table: closed, edits: MP4EditList(closed, timescale: track.timescale))
        }
        self.information = information
        isFragmented = false
    }

    /// Writes the box.
    func write(to writer: inout ByteWriter) {
        writer.box("moov") { movie in
            writeHeader(to: &movie)
            for entry in entries { MP4TrackBox(entry: entry, creationTime: information.creationTime).write(to: &movie) }
            if isFragmented { writeFragmentDefaults(to: &movie) }
            writeMetadata(to: &movie)
        }
    }

    private func writeHeader(to writer: inout ByteWriter) {
        let duration = entries.map(\.edits.trackDuration).max() ?? 0
        let version: UInt8 = max(duration, information.creationTime) > UInt64(UInt32.max) ? 1 : 0
        writer.fullBox("mvhd", version: version) { box in
            // A muxer reads no clock, so the modification time is the same.
            box.time(information.creationTime, version: version)
            box.time(information.creationTime, version: version)
            box.u32(MP4EditList.movieTimescale)
            box.time(duration, version: version)
            // Rate 1 and volume 1.
            box.u32(0x10000)
            box.u16(0x100)
            box.zeros(10)
            box.unityMatrix()
            box.zeros(24)
            box.u32((entries.map(\.track.id).max() ?? 0) + 1)
        }
    }

    /// `mvex` with one `trex` per track (8.8.1, 8.8.3).
    private func writeFragmentDefaults(to writer: inout ByteWriter) {
        writer.box("mvex") { box in
            for track in entries.map(\.track) {
                box.fullBox("trex") { defaults in
                    defaults.u32(track.id)
                    defaults.u32(1)
                    defaults.u32(UInt32(clamping: track.nominalSampleDuration))
                    defaults.u32(0)
                    defaults.u32(track.defaultSampleFlags)
                }
            }
        }
    }

    /// `udta` with the title and the writing tool, in iTunes' format.
    private func writeMetadata(to writer: inout ByteWriter) {
        writer.box("udta") { box in
            box.fullBox("meta") { meta in
                meta.fullBox("hdlr") { handler in
                    handler.u32(0)
                    handler.utf8("mdirappl")
                    handler.zeros(9)
                }
                meta.box("ilst") { list in
                    if let title = information.title, !title.isEmpty {
                        Self.writeItem(type: 0x6E616D, text: title, to: &list)
                    }
                    Self.writeItem(type: 0x746F6F, text: "broadcast", to: &list)
                }
            }
        }
    }

    /// An item whose type is "©" and the three letters of `type`.
    private static func writeItem(type: UInt32, text: String, to writer: inout ByteWriter) {
        let text = Array(text.utf8)
        writer.u32(UInt32(8 + 16 + text.count))
        // "©" in Mac Roman, so that the type has four bytes.
        writer.u8(0xA9)
        writer.u24(type)
        writer.box("data") { data in
            // Well-known type 1: UTF-8. No locale.
            data.u32(1)
            data.u32(0)
            data.append(text)
        }
    }
}

extension MP4Track {
    /// `sample_flags` (ISO/IEC 14496-12, 8.8.3.1): video samples depend on others and are not sync samples; audio
    /// samples are independent.
    var defaultSampleFlags: UInt32 {
        switch kind {
        case .video: 0x0101_0000
        case .audio: MP4Track.syncSampleFlags
        }
    }

    /// `sample_flags` of a sample that depends on no other.
    static let syncSampleFlags: UInt32 = 0x0200_0000
}
