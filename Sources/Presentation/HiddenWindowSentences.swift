import Control

/// What users read about the rules that hide windows.
package enum HiddenWindowSentences {
    /// A rule in the text of `broadcast status`: `class:KeePassXC (2 windows)`.
    package static func summary(_ rule: SessionReport.HiddenWindows) -> String {
        switch rule.windows {
        case nil: "\(rule.rule) (not yet applied)"
        case 0?: "\(rule.rule) (no window now)"
        case 1?: "\(rule.rule) (1 window)"
        case let count?: "\(rule.rule) (\(count) windows)"
        }
    }

    /// The note after `broadcast hide`, or nil if the rule hides a window.
    package static func note(after rule: String, in report: SessionReport?) -> String? {
        guard report?.hiddenWindows?.first(where: { $0.rule == rule })?.windows == 0 else { return nil }
        return "No window matches \(rule) now. A window that matches later is hidden. Remove the rule with: broadcast unhide \(quoted(rule))"
    }

    /// Quotes an argument for a shell if it contains characters that the shell interprets.
    private static func quoted(_ text: String) -> String {
        let plain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":_-./,+@%".contains($0)) }
        return plain ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
