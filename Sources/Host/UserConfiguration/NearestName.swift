/// Finds the name that a mistyped name most likely stands for.
package enum NearestName {
    /// Returns the candidate with the fewest edits, or the shortest one that begins with `name`; nil if there is none
    /// that is near enough.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let name = name.lowercased()
        if name.count >= 4,
            let longer = candidates.filter({ $0.lowercased().hasPrefix(name) }).min(by: { $0.count < $1.count })
        {
            return longer
        }
        let scored = candidates.map { ($0, distance(name, $0.lowercased())) }
        guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(2, best.0.count / 3), best.1 < best.0.count
        else { return nil }
        return best.0
    }

    /// Returns the insertions, deletions, replacements and swaps of neighbours between two words (the distance of
    /// optimal string alignment).
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                var best = min(
                    last[column] + (left[row] == right[column] ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
