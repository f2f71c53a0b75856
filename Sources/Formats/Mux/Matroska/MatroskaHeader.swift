import Media

/// Everything before the first cluster: the EBML header, and the start of the segment with the tracks.
enum MatroskaHeader {
    /// Where things are, in bytes from the start of the file.
    struct Positions: Sendable {
        /// The start of the segment's data; its size is in the eight bytes before.
        var segmentData: UInt64 = 0
        /// The place of the duration.
        var duration: UInt64 = 0
        fileprivate var information: UInt64 = 0
        fileprivate var tracks: UInt64 = 0

        /// The positions of the parts of the segment (RFC 9559, section 5.1.1).
        ///
        /// - Parameter cues: the position of the index in the segment's data; nil if there is none yet, for which there
        ///   is room then.
        func seekHead(cues: UInt64?) -> [UInt8] {
            var writer = ByteWriter(capacity: 80)
            writer.element(.seekHead) { head in
                Self.write(.information, at: information - segmentData, to: &head)
                Self.write(.tracks, at: tracks - segmentData, to: &head)
                if let cues { Self.write(.cues, at: cues, to: &head) }
            }
            if cues == nil { writer.void(Self.entryCount) }
            return writer.bytes
        }

        /// The bytes of an entry.
        private static let entryCount = 21
        /// The bytes of a head with three entries.
        fileprivate static let seekHeadCount = 5 + 3 * entryCount

        private static func write(_ identifier: EBMLIdentifier, at position: UInt64, to head: inout ByteWriter) {
            var eight = ByteWriter(capacity: 8)
            eight.u64(position)
            head.element(.seek) { seek in
                seek.element(.seekIdentifier, identifier.bytes)
                seek.element(.seekPosition, eight.bytes)
            }
        }
    }

    /// The bytes of a Duration element.
    private static let durationCount = 11
    /// The start of the dates of Matroska, 2001-01-01 00:00 UTC, in seconds since 1970.
    private static let epoch: Int64 = 978_307_200

    static func bytes(
        of stream: StreamDescription, _ tracks: [MatroskaTrack], isSeekable: Bool
    ) -> ([UInt8], Positions) {
        var positions = Positions()
        var writer = ByteWriter(capacity: 1024)
        writer.element(.header) { header in
            header.element(.version, 1)
            header.element(.readVersion, 1)
            header.element(.maximumIdentifierLength, 4)
            header.element(.maximumSizeLength, 8)
            header.element(.documentType, "matroska")
            header.element(.documentTypeVersion, 4)
            header.element(.documentTypeReadVersion, 2)
        }
        writer.start(.segment)
        positions.segmentData = UInt64(writer.count)
        positions.information = positions.segmentData + (isSeekable ? UInt64(Positions.seekHeadCount) : 0)
        let content = content(of: stream, isSeekable: isSeekable)
        var information = ByteWriter(capacity: content.count + 8)
        information.element(.information, content)
        positions.duration = positions.information + UInt64(information.count - content.count)
        positions.tracks = positions.information + UInt64(information.count)
        if isSeekable { writer.append(positions.seekHead(cues: nil)) }
        writer.append(information.bytes)
        writer.element(.tracks) { all in
            var kinds: Set<Bool> = []
            for (index, track) in tracks.enumerated() {
                track.write(
                    number: index + 1, isDefault: kinds.insert(track.track == .screen).inserted, to: &all)
            }
        }
        return (writer.bytes, positions)
    }

    /// What describes the file (RFC 9559, section 5.1.2), at first the place of the duration.
    private static func content(of stream: StreamDescription, isSeekable: Bool) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        if isSeekable { writer.void(durationCount) }
        writer.element(.timestampScale, 1_000_000)
        if let time = stream.creationTime {
            var date = ByteWriter(capacity: 8)
            date.i64((time - epoch) * 1_000_000_000)
            writer.element(.date, date.bytes)
        }
        if let title = stream.title { writer.element(.title, title) }
        writer.element(.muxingApplication, "broadcast")
        writer.element(.writingApplication, "broadcast")
        return writer.bytes
    }
}
