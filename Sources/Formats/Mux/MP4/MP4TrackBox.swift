import Media

/// `trak`: one track of a movie (ISO/IEC 14496-12, 8.3 to 8.5).
struct MP4TrackBox: Sendable {
    let entry: MP4Movie.Entry
    /// Seconds since 1904-01-01 00:00 UTC; 0 if it is not known.
    let creationTime: UInt64

    private var track: MP4Track { entry.track }

    /// Writes the box.
    func write(to writer: inout ByteWriter) {
        writer.box("trak") { box in
            writeHeader(to: &box)
            entry.edits.write(to: &box)
            box.box("mdia") { media in
                writeMediaHeader(to: &media)
                writeHandler(to: &media)
                writeMediaInformation(to: &media)
            }
        }
    }

    private func writeHeader(to writer: inout ByteWriter) {
        let duration = entry.edits.trackDuration
        let version: UInt8 = max(duration, creationTime) > UInt64(UInt32.max) ? 1 : 0
        // In the movie; enabled if the track is.
        writer.fullBox("tkhd", version: version, flags: track.isEnabled ? 3 : 2) { box in
            box.time(creationTime, version: version)
            box.time(creationTime, version: version)
            box.u32(track.id)
            box.u32(0)
            box.time(duration, version: version)
            box.zeros(8)
            switch track.kind {
            case .video(let format, _):
                box.zeros(8)
                box.unityMatrix()
                box.u32(UInt32(UInt16(clamping: format.size.width)) << 16)
                box.u32(UInt32(UInt16(clamping: format.size.height)) << 16)
            case .audio:
                // Layer 0, no alternate group, full volume.
                box.zeros(4)
                box.u16(0x100)
                box.zeros(2)
                box.unityMatrix()
                box.zeros(8)
            }
        }
    }

    private func writeMediaHeader(to writer: inout ByteWriter) {
        let duration = UInt64(max(0, entry.table.mediaDuration))
        let version: UInt8 = max(duration, creationTime) > UInt64(UInt32.max) ? 1 : 0
        writer.fullBox("mdhd", version: version) { box in
            box.time(creationTime, version: version)
            box.time(creationTime, version: version)
            box.u32(track.timescale)
            box.time(duration, version: version)
            // Language "und".
            box.u16(0x55C4)
            box.u16(0)
        }
    }

    private func writeHandler(to writer: inout ByteWriter) {
        writer.fullBox("hdlr") { box in
            box.u32(0)
            switch track.kind {
            case .video: box.utf8("vide")
            case .audio: box.utf8("soun")
            }
            box.zeros(12)
            box.utf8(track.source.name)
            box.u8(0)
        }
    }

    private func writeMediaInformation(to writer: inout ByteWriter) {
        writer.box("minf") { box in
            let isVideo: Bool
            switch track.kind {
            case .video:
                isVideo = true
                box.fullBox("vmhd", flags: 1) { $0.zeros(8) }
            case .audio:
                isVideo = false
                box.fullBox("smhd") { $0.zeros(4) }
            }
            box.box("dinf") { information in
                information.fullBox("dref") { references in
                    references.u32(1)
                    // The media is in the same file.
                    references.fullBox("url ", flags: 1) { _ in }
                }
            }
            box.box("stbl") { table in
                MP4SampleEntry.write(
                    track, bitrates: isVideo ? nil : entry.table.bitrates(timescale: track.timescale), to: &table)
                entry.table.writeBoxes(to: &table, listsSyncSamples: isVideo)
            }
        }
    }
}
