/// Finds the name that a mistyped name most likely stands for.
package enum NearestName {
    /// Returns the candidate with the fewest edits; nil if they are too many for its length.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let scored = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
        guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(2, best.0.count / 3), best.1 < best.0.count else { return nil }
        return best.0
    }

    /// Returns the insertions, deletions and replacements between two words (Levenshtein). Swapped neighbours count as
    /// two.
    package static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substitution = diagonal + (character == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
