import FoundationEssentials
import Media

/// A media playlist (RFC 8216, 4.3.3): the segments that players may ask for now.
package struct MediaPlaylist: Sendable {
    /// A segment in it.
    package struct Entry: Sendable, Equatable {
        /// Relative to the playlist.
        package var name: String
        package var duration: MediaTime
        package var date: Date
        package var isDiscontinuous: Bool
        /// The name of its header; nil where it needs none.
        package var header: String?

        package init(name: String, duration: MediaTime, date: Date, isDiscontinuous: Bool = false, header: String? = nil) {
            self.name = name
            self.duration = duration
            self.date = date
            self.isDiscontinuous = isDiscontinuous
            self.header = header
        }
    }

    /// Segments that are kept; 0 keeps all: an EVENT playlist (4.3.3.5).
    private let window: Int
    /// Whole seconds, at least as long as any segment (4.3.3.1).
    private var targetDuration: Int
    /// The number of the first entry (4.3.3.2).
    private var mediaSequence: Int
    /// How many discontinuities have left at the top (4.3.3.3).
    private var discontinuitySequence = 0
    package private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - firstNumber: of the first segment: greater than any that a player may have seen at this address before.
    ///   - targetDuration: seconds. It stays, unless a segment gets longer all the same.
    package init(window: Int, firstNumber: Int, targetDuration: Int) {
        self.window = window
        self.targetDuration = targetDuration
        mediaSequence = firstNumber
    }

    /// Adds a segment; gives those that left for it.
    package mutating func append(_ entry: Entry) -> [Entry] {
        entries.append(entry)
        targetDuration = max(targetDuration, Int(entry.duration.seconds.rounded()))
        guard window > 0, entries.count > window else { return [] }
        let removed = Array(entries.prefix(entries.count - window))
        entries.removeFirst(removed.count)
        mediaSequence += removed.count
        discontinuitySequence += removed.count { $0.isDiscontinuous }
        return removed
    }

    /// The entries' length.
    package var duration: MediaTime { entries.reduce(.zero) { $0 + $1.duration } }

    /// The playlist's text. `isEnded` says that no segment will be added (4.3.3.4).
    package func text(isEnded: Bool) -> String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:\(entries.contains { $0.header != nil } ? 6 : 3)", "#EXT-X-TARGETDURATION:\(targetDuration)"]
        lines.append("#EXT-X-MEDIA-SEQUENCE:\(mediaSequence)")
        if discontinuitySequence > 0 { lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)") }
        if window == 0 { lines.append("#EXT-X-PLAYLIST-TYPE:EVENT") }
        lines.append("#EXT-X-INDEPENDENT-SEGMENTS")
        var header: String?
        for entry in entries {
            if entry.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
            if let name = entry.header, name != header { lines.append("#EXT-X-MAP:URI=\"\(name)\"") }
            header = entry.header
            lines.append("#EXT-X-PROGRAM-DATE-TIME:\(entry.date.formatted(Self.dateStyle))")
            lines.append("#EXTINF:\(Self.seconds(entry.duration)),")
            lines.append(entry.name)
        }
        if isEnded { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// To the millisecond, in UTC (ISO 8601).
    private static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// A decimal number with three places.
    private static func seconds(_ duration: MediaTime) -> String {
        let milliseconds = max(0, duration.milliseconds)
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}
