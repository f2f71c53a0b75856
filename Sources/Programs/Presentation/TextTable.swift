/// Formats rows as text in aligned columns.
package enum TextTable {
    /// One line per row; each column has the width of its widest cell.
    package static func text(_ rows: [[String]]) -> String {
        let rows = rows.map { $0.map(\.printable) }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
