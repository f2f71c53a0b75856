import FoundationEssentials

/// The file names of one broadcast. They differ from all existing names at the same address.
package struct ObjectNames: Sendable, Equatable {
    /// The name of the playlist. It is the same for every broadcast to that address.
    package var playlist: String
    /// The start of all other names of every broadcast to that address.
    private let stem: String
    /// The start of all other names.
    private let prefix: String
    private let format: SegmentFormat

    /// - Parameters:
    ///   - date: the start of the broadcast.
    ///   - number: a random number that distinguishes two broadcasts that start in the same second.
    package init(playlist: String, format: SegmentFormat, date: Date, number: UInt16) {
        self.playlist = playlist
        self.format = format
        stem =
            (playlist.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? playlist) + "-"
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        let random = String(number, radix: 16)
        prefix = "\(stem)\(date.formatted(style))-\(String(repeating: "0", count: 4 - random.count))\(random)"
    }

    /// Returns the name of segment `number`.
    package func segment(_ number: Int) -> String {
        "\(prefix)-\(Self.digits(number)).\(format.fileEnding)"
    }

    /// Returns the name of header `number`.
    package func header(_ number: Int) -> String { "\(prefix)-header\(number).mp4" }

    /// True if segments of this format need a header.
    var hasHeaders: Bool { format == .fmp4 }

    /// True if `name` has the form of a segment of any broadcast to this address, so that it can be deleted.
    func isSegment(_ name: String) -> Bool { isOwn(name) && name.hasSuffix("." + format.fileEnding) }

    /// The same for a header.
    func isHeader(_ name: String) -> Bool { isOwn(name) && name.hasSuffix(".mp4") }

    /// Returns the names of the segments, or headers, of the same broadcast whose numbers differ from that of `name` by
    /// one of `distances`. Empty if `name` does not have the form that `segment` or `header` gives it.
    func others(like name: String, distances: ClosedRange<Int>) -> [String] {
        let isSegment = isSegment(name)
        guard isSegment || isHeader(name), let dot = name.lastIndex(of: ".") else { return [] }
        let parts = name[..<dot].dropFirst(stem.count).split(separator: "-", omittingEmptySubsequences: false)
        // DATE-RANDOM-NUMBER or DATE-RANDOM-headerNUMBER. Another name can be one that the user gave to an own file.
        guard parts.count == 3, parts[0].count == 16, parts[1].count == 4, parts[1].allSatisfy(\.isHexDigit) else {
            return []
        }
        let word = isSegment ? "" : "header"
        guard parts[2].hasPrefix(word), let number = Int32(parts[2].dropFirst(word.count)) else { return [] }
        let start = "\(stem)\(parts[0])-\(parts[1])-\(word)"
        return distances.map { Int(number) + $0 }.filter { $0 >= 0 }.map { other in
            "\(start)\(isSegment ? Self.digits(other) : String(other))\(name[dot...])"
        }
    }

    /// At least six digits.
    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }

    private func isOwn(_ name: String) -> Bool {
        name.hasPrefix(stem) && name.utf8.count < 250
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
    }
}
