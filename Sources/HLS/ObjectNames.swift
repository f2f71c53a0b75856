import FoundationEssentials

/// What the files of one broadcast are called: nothing that lies there already has such a name.
package struct ObjectNames: Sendable, Equatable {
    /// The playlist's, the same for every broadcast to that address.
    package var playlist: String
    /// What the other names start with.
    private let prefix: String
    private let format: SegmentFormat

    /// - Parameters:
    ///   - date: of the broadcast's start.
    ///   - number: a random one, for two that start within a second.
    package init(playlist: String, format: SegmentFormat, date: Date, number: UInt16) {
        self.playlist = playlist
        self.format = format
        let stem = playlist.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? playlist
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        let random = String(number, radix: 16)
        prefix = "\(stem)-\(date.formatted(style))-\(String(repeating: "0", count: 4 - random.count))\(random)"
    }

    /// The name of the `number`th segment.
    package func segment(_ number: Int) -> String {
        let text = String(number)
        return "\(prefix)-\(String(repeating: "0", count: max(0, 6 - text.count)))\(text).\(format.fileEnding)"
    }

    /// The name of the `number`th header.
    package func header(_ number: Int) -> String { "\(prefix)-header\(number).mp4" }
}
