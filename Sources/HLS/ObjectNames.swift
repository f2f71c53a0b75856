import FoundationEssentials

/// The file names of one broadcast. They differ from all existing names at the same address.
package struct ObjectNames: Sendable, Equatable {
    /// The name of the playlist. It is the same for every broadcast to that address.
    package var playlist: String
    /// The start of all other names.
    private let prefix: String
    private let format: SegmentFormat

    /// - Parameters:
    ///   - date: the start of the broadcast.
    ///   - number: a random number that distinguishes two broadcasts that start in the same second.
    package init(playlist: String, format: SegmentFormat, date: Date, number: UInt16) {
        self.playlist = playlist
        self.format = format
        let stem = playlist.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? playlist
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        let random = String(number, radix: 16)
        prefix = "\(stem)-\(date.formatted(style))-\(String(repeating: "0", count: 4 - random.count))\(random)"
    }

    /// Returns the name of segment `number`.
    package func segment(_ number: Int) -> String {
        let text = String(number)
        return "\(prefix)-\(String(repeating: "0", count: max(0, 6 - text.count)))\(text).\(format.fileEnding)"
    }

    /// Returns the name of header `number`.
    package func header(_ number: Int) -> String { "\(prefix)-header\(number).mp4" }
}
