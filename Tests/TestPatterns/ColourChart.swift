/// The colour chart of `TestScreen chart`: four rows that fill the screen. From the top, they contain the eight bars at
/// 75 %, the same at 100 %, sixteen greys from 0 to 255, and sixteen saturated, muted and skin colours. A patch is at
/// least 120 pixels wide at 1080p.
package enum ColourChart {
    /// All patches of the chart, row by row from the left.
    package static let patches: [ColourPatch] =
        row(0, named(bars(peak: 191), prefix: "75 % ")) + row(1, named(bars(peak: 255), prefix: "100 % "))
        + row(2, greys) + row(3, colours)

    /// The eight colour bars in their usual order (SMPTE RP 219's colours, as sRGB values), black last.
    package static func bars(peak: UInt8) -> [(String, PatternColour)] {
        [
            ("white", PatternColour(peak, peak, peak)), ("yellow", PatternColour(peak, peak, 0)),
            ("cyan", PatternColour(0, peak, peak)),
            ("green", PatternColour(0, peak, 0)), ("magenta", PatternColour(peak, 0, peak)),
            ("red", PatternColour(peak, 0, 0)),
            ("blue", PatternColour(0, 0, peak)), ("black", PatternColour(0, 0, 0)),
        ]
    }

    private static let greys: [(String, PatternColour)] = (0..<16).map { step in
        ("grey \(step * 17)", PatternColour(grey: UInt8(step * 17)))
    }

    private static let colours: [(String, PatternColour)] = [
        ("orange", PatternColour(255, 128, 0)), ("chartreuse", PatternColour(128, 255, 0)),
        ("spring green", PatternColour(0, 255, 128)),
        ("azure", PatternColour(0, 128, 255)), ("violet", PatternColour(128, 0, 255)),
        ("rose", PatternColour(255, 0, 128)),
        ("dark red", PatternColour(128, 0, 0)), ("dark green", PatternColour(0, 128, 0)),
        ("dark blue", PatternColour(0, 0, 128)),
        ("light skin", PatternColour(241, 194, 167)), ("medium skin", PatternColour(198, 134, 103)),
        ("brown skin", PatternColour(141, 85, 56)),
        ("dark skin", PatternColour(84, 51, 38)), ("foliage", PatternColour(87, 108, 67)),
        ("sky", PatternColour(98, 122, 157)),
        ("paper", PatternColour(253, 246, 227)),
    ]

    private static func named(_ colours: [(String, PatternColour)], prefix: String) -> [(String, PatternColour)] {
        colours.map { (prefix + $0.0, $0.1) }
    }

    private static func row(_ row: Int, _ colours: [(String, PatternColour)]) -> [ColourPatch] {
        let width = 1 / Double(colours.count)
        return colours.enumerated().map { column, entry in
            ColourPatch(
                name: entry.0,
                rectangle: PatternRectangle(x: Double(column) * width, y: Double(row) / 4, width: width, height: 0.25),
                colour: entry.1)
        }
    }
}
