/// A pattern for window titles. `*` matches any number of characters, `?` matches one, and all other characters match
/// themselves. Case is ignored.
package struct GlobPattern: Sendable, Hashable, CustomStringConvertible {
    /// The text of the pattern as the user wrote it.
    package let description: String
    private let pattern: [Character]

    package init(_ text: String) {
        description = text
        pattern = Array(text.lowercased())
    }

    /// Returns true if the pattern matches all of `text`.
    package func matches(_ text: String) -> Bool {
        let text = Array(text.lowercased())
        var (place, index) = (0, 0)
        /// The last star, and the position in the text up to which it matches.
        var star: (index: Int, place: Int)?
        while place < text.count {
            if index < pattern.count && pattern[index] == "*" {
                star = (index, place)
                index += 1
            } else if index < pattern.count && (pattern[index] == "?" || pattern[index] == text[place]) {
                index += 1
                place += 1
            } else if let last = star {
                // The star matches one more character, and the rest is matched again.
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
