/// The rules that every message for users follows (CONTRIBUTING.md, "Code rules").
enum SentenceRules {
    /// Returns what is wrong with a message; nil if it follows the rules.
    static func violation(of message: String) -> String? {
        if message.isEmpty { return "it is empty" }
        if message.contains(where: \.isNewline) || message.contains("\u{1b}") { return "it has more than one line" }
        for mark in ["..", ". .", ",.", ":.", ";.", "  ", " ,", "()", "\"\"", "Optional("] where message.contains(mark)
        {
            return "it contains \"\(mark)\""
        }
        let endsInSentence = message.last.map { ".?".contains($0) } == true
        // A command at the end has no period, because users copy it.
        let endsInCommand = ["broadcast ", "&& "].contains { message.contains($0) }
        return endsInSentence || endsInCommand ? nil : "it does not end in a period or a command"
    }
}
