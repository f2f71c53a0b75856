import TestPatterns

/// Reads the clock that `TestScreen clock` paints.
package struct ClockReader: Sendable {
    /// Where the screen is in the picture, in fractions of it: the whole, unless it is letterboxed or cropped.
    package var screen = PatternRectangle.whole

    /// A reader for pictures that show the screen there.
    package init(screen: PatternRectangle = .whole) {
        self.screen = screen
    }

    /// The painted time, CLOCK_MONOTONIC in milliseconds modulo 2^32; nil where there is no clock, or a torn or
    /// unreadable one.
    package func milliseconds(in frame: DecodedFrame) -> UInt32? {
        let levels = (0..<ClockPattern.rows).flatMap { row in
            (0..<ClockPattern.columns).map { column in
                let components = frame.mean(
                    of: ClockPattern.cell(column: column, row: row).placed(in: screen).inner(0.5))
                return components.reduce(0, +) / Double(components.count)
            }
        }
        // The guard row shows what white and black have become.
        let (white, black) = guardLevels(levels)
        guard white - black > 60 else { return nil }
        let values = levels.map { ($0 - black) / (white - black) }
        // A cell in between is half old, half new, or a blur.
        guard values.allSatisfy({ abs($0 - 0.5) > 0.15 }) else { return nil }
        return ClockPattern.milliseconds(cells: values.map { $0 > 0.5 })
    }

    private func guardLevels(_ levels: [Double]) -> (white: Double, black: Double) {
        var sums = (white: 0.0, black: 0.0)
        for column in 0..<ClockPattern.columns {
            if ClockPattern.isWhiteGuard(column: column) {
                sums.white += levels[column]
            } else {
                sums.black += levels[column]
            }
        }
        return (sums.white * 2 / Double(ClockPattern.columns), sums.black * 2 / Double(ClockPattern.columns))
    }
}
