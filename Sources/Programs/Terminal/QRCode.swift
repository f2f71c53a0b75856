import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004) for a terminal, so that a phone can open an address.
package struct QRCode: Sendable {
    /// The modules of quiet zone that scanners need on each side (ISO/IEC 18004, 5.3.8).
    private static let quietZone = 4
    /// Whatever colours the terminal has: black on white, from the 256 colours that no theme changes.
    private static let (black, white) = (16, 231)

    /// The number of modules on a side, without the quiet zone.
    private let width: Int
    /// Row by row; true is black.
    private let modules: [Bool]

    /// Nil if the text is too long.
    package init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        self.width = width
        // The lowest bit of a module is its colour.
        modules = (0..<width * width).map { data[$0] & 1 == 1 }
    }

    /// The lines of the code: modules of two columns each if the window is large enough, else half blocks, of which a
    /// line has two. Nil if it is too small for these too.
    ///
    /// - Parameters:
    ///   - columns: of the window.
    ///   - rows: of the window that may be used.
    ///   - hasUnicode: the terminal has half blocks.
    package func lines(columns: Int, rows: Int, hasUnicode: Bool = true) -> [String]? {
        let size = width + 2 * Self.quietZone
        if size * 2 <= columns && size <= rows {
            return (0..<size).map { row in
                line((0..<size).map { "\u{1b}[48;5;\(colour($0, row))m  " })
            }
        }
        guard hasUnicode && size <= columns && (size + 1) / 2 <= rows else { return nil }
        // Lower halves: some terminals draw upper ones with a gap above.
        return stride(from: 0, to: size, by: 2).map { row in
            line((0..<size).map { "\u{1b}[48;5;\(colour($0, row));38;5;\(colour($0, row + 1))m▄" })
        }
    }

    private func line(_ cells: [String]) -> String { cells.joined() + "\u{1b}[0m" }

    private func colour(_ column: Int, _ row: Int) -> Int {
        let (column, row) = (column - Self.quietZone, row - Self.quietZone)
        let isInside = (0..<width).contains(column) && (0..<width).contains(row)
        return isInside && modules[row * width + column] ? Self.black : Self.white
    }
}
