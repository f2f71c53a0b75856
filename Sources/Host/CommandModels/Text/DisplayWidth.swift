/// The width of text in terminal columns, and the part of a text that fits into a width.
package enum DisplayWidth {
    /// Returns the number of columns: two for East Asian wide characters and emoji (Unicode Standard Annex 11), zero
    /// for combining characters.
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// Returns the beginning of `text` in at most `columns`, with `…` if something is cut. Control characters become
    /// `?`.
    package static func fit(_ text: String, _ columns: Int) -> String {
        let text = printable(text)
        guard of(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var fitting = ""
        var width = 1
        for character in text {
            width += of(character)
            if width > columns { break }
            fitting.append(character)
        }
        return fitting + "…"
    }

    /// Returns `text` in exactly `columns`, cut or padded with spaces.
    package static func pad(_ text: String, _ columns: Int) -> String {
        let fitting = fit(text, columns)
        return fitting + String(repeating: " ", count: max(0, columns - of(fitting)))
    }

    /// Returns the text without terminal control characters.
    package static func printable(_ text: String) -> String {
        String(text.map { $0.unicodeScalars.contains(where: isControl) ? "?" : $0 })
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // Marks that change the writing direction would shift the columns.
        case .format: scalar.value != 0x200d
        default: false
        }
    }

    private static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.contains(where: { isWide($0) || $0.value == 0xfe0f }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff,
            0xfe30...0xfe6f, 0xff00...0xff60,
            0xffe0...0xffe6, 0x1f1e6...0x1f1ff, 0x20000...0x3fffd:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
