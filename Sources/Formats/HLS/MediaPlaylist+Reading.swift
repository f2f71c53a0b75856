import FoundationEssentials
import Media

extension MediaPlaylist {
    /// Reads a playlist that an earlier process of this program left at the same address, to continue it after a crash:
    /// players that still follow it get the next number, and its segments are deleted in time.
    ///
    /// Returns nil if it cannot be continued: it is ended, is not from this program, or has another format.
    ///
    /// - Parameters:
    ///   - names: the names of this broadcast. Only segments whose names have the same form are taken over.
    ///   - window, targetDuration: as in `init(window:firstNumber:targetDuration:)`.
    ///   - earliest: the date before which the last segment must not have ended.
    package init?(continuing text: String, names: ObjectNames, window: Int, targetDuration: Int, earliest: Date) {
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard lines.first == "#EXTM3U", !lines.contains("#EXT-X-ENDLIST") else { return nil }
        guard lines.contains("#EXT-X-PLAYLIST-TYPE:EVENT") == (window == 0) else { return nil }
        var reader = PlaylistReader()
        for line in lines.dropFirst() { guard reader.read(line) else { return nil } }
        let entries = reader.entries
        guard let last = entries.last, last.date + last.duration.seconds >= earliest else { return nil }
        guard entries.allSatisfy({ names.isSegment($0.name) && ($0.header != nil) == names.hasHeaders }) else {
            return nil
        }
        guard entries.allSatisfy({ $0.header.map(names.isHeader) ?? true }) else { return nil }
        let longest = entries.map { Int($0.duration.seconds.rounded()) }.max() ?? 0
        self.init(
            window: window, firstNumber: reader.mediaSequence, discontinuitySequence: reader.discontinuitySequence,
            targetDuration: max(targetDuration, reader.targetDuration, longest), entries: entries)
    }
}

/// The lines of a playlist as `MediaPlaylist.text` writes them.
private struct PlaylistReader {
    var entries: [MediaPlaylist.Entry] = []
    var mediaSequence = 0
    var discontinuitySequence = 0
    var targetDuration = 0
    private var duration: MediaTime?
    private var date: Date?
    private var isDiscontinuous = false
    private var header: String?

    /// Returns false if the line is not valid.
    mutating func read(_ line: String) -> Bool {
        guard line.hasPrefix("#") else { return addEntry(named: line) }
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        let value = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "#EXT-X-TARGETDURATION": return Self.set(&targetDuration, value)
        case "#EXT-X-MEDIA-SEQUENCE": return Self.set(&mediaSequence, value)
        case "#EXT-X-DISCONTINUITY-SEQUENCE": return Self.set(&discontinuitySequence, value)
        case "#EXT-X-DISCONTINUITY": isDiscontinuous = true
        case "#EXT-X-MAP":
            guard value.hasPrefix("URI=\""), value.hasSuffix("\"") else { return false }
            header = String(value.dropFirst(5).dropLast())
        case "#EXT-X-PROGRAM-DATE-TIME":
            date = try? Date(value, strategy: MediaPlaylist.dateStyle)
            return date != nil
        case "#EXTINF":
            guard let seconds = Double(value.prefix { $0 != "," }), (0...3600).contains(seconds) else { return false }
            duration = MediaTime(seconds: seconds)
        default: break
        }
        return true
    }

    private mutating func addEntry(named name: String) -> Bool {
        guard let duration, let date else { return false }
        entries.append(
            MediaPlaylist.Entry(
                name: name, duration: duration, date: date, isDiscontinuous: isDiscontinuous, header: header))
        self.duration = nil
        self.date = nil
        isDiscontinuous = false
        return true
    }

    private static func set(_ number: inout Int, _ text: String) -> Bool {
        guard let value = Int(text), (0...Int(Int32.max)).contains(value) else { return false }
        number = value
        return true
    }
}
