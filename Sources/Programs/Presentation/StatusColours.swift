/// The colours of the status line on a terminal, and its marks without Unicode.
package struct StatusColours: Sendable {
    package let hasColours: Bool
    package let hasUnicode: Bool

    /// No colours, and Unicode.
    package static let none = StatusColours(environment: ["LANG": "C.UTF-8"])

    /// - Parameter environment: of the process: `NO_COLOR` (no-color.org), `TERM`, and the locale (locale(7)).
    package init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        hasColours = value("NO_COLOR") == nil && !["dumb", nil].contains(value("TERM"))
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        hasUnicode = locale.contains("utf-8") || locale.contains("utf8")
    }

    /// Words about which the user should do something.
    private static let warnings = ["reconnecting", "connecting", "silent", "too slow", "dropped"]

    /// The line with red for what is live, and yellow for what needs attention. It takes the same columns.
    package func apply(to line: String) -> String {
        var line = line
        if !hasUnicode { line = line.replacing("●", with: "*").replacing("○", with: "o") }
        guard hasColours else { return line }
        var result = ""
        var rest = line[...]
        if let mark = rest.first, mark == "●" || mark == "*" {
            result += "\u{1b}[31m\(mark)\u{1b}[0m"
            rest = rest.dropFirst()
        }
        while !rest.isEmpty {
            if let word = Self.warnings.first(where: { rest.hasPrefix($0) }) {
                result += "\u{1b}[33m\(word)\u{1b}[0m"
                rest = rest.dropFirst(word.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }
}
