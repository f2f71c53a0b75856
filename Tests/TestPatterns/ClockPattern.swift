/// The machine-readable clock of `TestScreen clock`: 18 by 4 black and white cells, each 48 pixels square at 1080p
/// (three macroblocks, so that the cells survive a low bitrate and half the size).
///
///     column     0   1 ... 16    17
///     row 0      1   0 1 0 1 ... 0     guard: alternating, shows that a clock is there and what black and white are
///     row 1      0   bits 31...16 1
///     row 2      1   bits 15...0  0
///     row 3      0   check 15...0 1
///
/// The value is CLOCK_MONOTONIC in milliseconds, modulo 2^32 (49.7 days). The check is a CRC, so that a torn picture is
/// not read as another time.
package enum ClockPattern {
    /// The number of columns, including a marker column on each side.
    package static let columns = 18
    /// The number of rows, including the guard row.
    package static let rows = 4
    /// The area of the cells: at 1080p it starts 96 pixels from the left and the top, and has 864 by 192 pixels.
    package static let area = PatternRectangle(x: 2.0 / 40, y: 4.0 / 45, width: 18.0 / 40, height: 8.0 / 45)

    /// The area of one cell.
    package static func cell(column: Int, row: Int) -> PatternRectangle {
        PatternRectangle(
            x: area.x + area.width * Double(column) / Double(columns),
            y: area.y + area.height * Double(row) / Double(rows),
            width: area.width / Double(columns), height: area.height / Double(rows))
    }

    /// The cells for a time, row by row from the left; true is white.
    package static func cells(milliseconds: UInt32) -> [Bool] {
        let words = [
            UInt16(truncatingIfNeeded: milliseconds >> 16), UInt16(truncatingIfNeeded: milliseconds),
            check(milliseconds),
        ]
        var cells = (0..<columns).map { isWhiteGuard(column: $0) }
        for (index, word) in words.enumerated() {
            let marker = isWhiteMarker(row: index + 1)
            cells.append(marker)
            cells += (0..<16).map { word >> UInt16(15 - $0) & 1 == 1 }
            cells.append(!marker)
        }
        return cells
    }

    /// The time that these cells show; nil if the guard, a marker or the check is invalid, because there is no clock or
    /// it is torn or unreadable.
    package static func milliseconds(cells: [Bool]) -> UInt32? {
        guard cells.count == columns * rows else { return nil }
        var value: UInt32 = 0
        for row in 1...2 {
            for column in 1...16 {
                value = value << 1 | (cells[row * columns + column] ? 1 : 0)
            }
        }
        return Self.cells(milliseconds: value) == cells ? value : nil
    }

    /// True if the guard row is white in this column.
    package static func isWhiteGuard(column: Int) -> Bool { column % 2 == 0 }

    /// True if the left marker is white in this row; the right one has the opposite colour.
    package static func isWhiteMarker(row: Int) -> Bool { row % 2 == 0 }

    /// CRC-16 (polynomial 0x1021, initial value 0xFFFF) of the value's four bytes, the most significant first.
    private static func check(_ value: UInt32) -> UInt16 {
        var crc: UInt16 = 0xFFFF
        for shift in [24, 16, 8, 0] as [UInt32] {
            crc ^= UInt16(truncatingIfNeeded: value >> shift & 0xFF) << 8
            for _ in 0..<8 {
                crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021
            }
        }
        return crc
    }
}
