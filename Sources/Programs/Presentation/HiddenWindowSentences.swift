import Control

/// What users read about the rules that hide windows.
package enum HiddenWindowSentences {
    /// A rule in the text of `broadcast status`: `class:KeePassXC (2 windows)`.
    ///
    /// - Parameter source: what the session captures.
    package static func summary(_ rule: SessionReport.HiddenWindows, of source: SessionReport.Source? = nil) -> String {
        switch rule.windows {
        case nil where source?.shared == true: "\(rule.rule) (a program cannot hide windows on Wayland)"
        case nil: "\(rule.rule) (not yet applied)"
        case 0?: "\(rule.rule) (no window now)"
        case 1?: "\(rule.rule) (1 window)"
        case let count?: "\(rule.rule) (\(count) windows)"
        }
    }

    /// The note after `broadcast hide`, or nil if the rule hides a window.
    package static func note(after rule: String, in report: SessionReport?) -> String? {
        if let source = report?.source, source.shared == true {
            let effect =
                source.kind == "window"
                ? "the shared window stays visible" : "viewers see a slate instead of the monitor"
            return
                "A program cannot hide windows on Wayland: \(effect). Remove the rule with: broadcast unhide \(quoted(rule))"
        }
        guard report?.hiddenWindows?.first(where: { $0.rule == rule })?.windows == 0 else { return nil }
        return "\(missing([rule])) Remove the rule with: broadcast unhide \(quoted(rule))"
    }

    /// The sentence about rules that hide no window now.
    package static func missing(_ rules: [String]) -> String {
        // The rule for one window ends with the window, because X gives its number to another one.
        let later =
            rules.allSatisfy { $0.hasPrefix("id:") }
            ? "A window that gets this number is hidden until it is closed." : "A window that matches later is hidden."
        return "No window matches \(rules.joined(separator: ", ")) now. \(later)"
    }

    /// Quotes an argument for a shell if it contains characters that the shell interprets.
    private static func quoted(_ text: String) -> String {
        let plain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":_-./,+@%".contains($0)) }
        return plain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
