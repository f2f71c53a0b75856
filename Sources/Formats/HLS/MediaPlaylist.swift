import FoundationEssentials
import Media

/// A media playlist (RFC 8216, 4.3.3): the segments that are currently available to players.
package struct MediaPlaylist: Sendable {
    /// A segment in the playlist.
    package struct Entry: Sendable, Equatable {
        /// The name of the segment, relative to the playlist.
        package var name: String
        package var duration: MediaTime
        package var date: Date
        package var isDiscontinuous: Bool
        /// The name of the segment's header, or nil if it needs none.
        package var header: String?

        package init(
            name: String, duration: MediaTime, date: Date, isDiscontinuous: Bool = false, header: String? = nil
        ) {
            self.name = name
            self.duration = duration
            self.date = date
            self.isDiscontinuous = isDiscontinuous
            self.header = header
        }
    }

    /// The maximum number of segments in the playlist. 0 keeps all segments and makes it an EVENT playlist (4.3.3.5).
    private let window: Int
    /// Whole seconds, not shorter than any segment (4.3.3.1).
    package private(set) var targetDuration: Int
    /// The number of the first entry (4.3.3.2).
    private var mediaSequence: Int
    /// The number of discontinuities that were removed from the start of the playlist (4.3.3.3).
    private var discontinuitySequence = 0
    package private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - firstNumber: the number of the first segment. It must be greater than any number that players saw at this
    ///     address.
    ///   - targetDuration: seconds. It changes only if a segment is longer.
    package init(window: Int, firstNumber: Int, targetDuration: Int) {
        self.window = window
        self.targetDuration = targetDuration
        mediaSequence = firstNumber
    }

    /// A playlist with entries, to continue it.
    init(window: Int, firstNumber: Int, discontinuitySequence: Int, targetDuration: Int, entries: [Entry]) {
        self.init(window: window, firstNumber: firstNumber, targetDuration: targetDuration)
        self.discontinuitySequence = discontinuitySequence
        self.entries = entries
    }

    /// Adds a segment and returns the segments that were removed for it.
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

    /// The total duration of the entries.
    package var duration: MediaTime { entries.reduce(.zero) { $0 + $1.duration } }

    /// Returns the text of the playlist. If `isEnded` is true, the text declares that no more segments follow
    /// (4.3.3.4).
    package func text(isEnded: Bool) -> String {
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:\(entries.contains { $0.header != nil } ? 6 : 3)",
            "#EXT-X-TARGETDURATION:\(targetDuration)",
        ]
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

    /// UTC with milliseconds (ISO 8601).
    static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Returns seconds as a decimal number with three decimal places.
    private static func seconds(_ duration: MediaTime) -> String {
        let milliseconds = max(0, duration.milliseconds)
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}
