/// A pattern for window titles: `*` stands for any characters or none, `?` for one, everything else for itself in either case.
package struct GlobPattern: Sendable, Hashable, CustomStringConvertible {
    /// As the user wrote it.
    package let description: String
    private let pattern: [Character]

    package init(_ text: String) {
        description = text
        pattern = Array(text.lowercased())
    }

    /// True where the pattern describes all of `text`.
    package func matches(_ text: String) -> Bool {
        let text = Array(text.lowercased())
        var (place, index) = (0, 0)
        /// The last star, and the place up to which it stands for the text.
        var star: (index: Int, place: Int)?
        while place < text.count {
            if index < pattern.count && pattern[index] == "*" {
                star = (index, place)
                index += 1
            } else if index < pattern.count && (pattern[index] == "?" || pattern[index] == text[place]) {
                index += 1
                place += 1
            } else if let last = star {
                // The star takes one character more, and the rest is tried again.
                star = (last.index, last.place + 1)
                index = last.index + 1
                place = last.place + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
