import Doctor

/// A finding in the JSON of `broadcast doctor`. Scripts read it: fields are added, never changed.
package struct FindingRow: Encodable {
    package var check: String
    /// ok, warning or wrong.
    package var level: String
    /// For people: the words can change.
    package var text: String

    package init(_ finding: Finding) {
        check = finding.subject.rawValue
        level = finding.level.rawValue
        text = finding.text.printable
    }

    /// `ok       display: X11 display :0`
    package var line: String {
        let mark = level + String(repeating: " ", count: max(0, 8 - level.count))
        return mark + check.replacing("-", with: " ") + ": " + text
    }
}
