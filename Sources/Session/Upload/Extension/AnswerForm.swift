import Glibc

/// The form of the answer to a question of a manifest, which the host checks before it stores an answer. The extension
/// checks its settings itself when it starts: this only spares the user a broadcast that does not start.
package struct AnswerForm: Sendable, Equatable {
    /// An extended regular expression (POSIX.1-2017, base definitions, section 9.4) for the whole answer.
    package let pattern: String
    /// What the answer is, for the sentence about a wrong one: `a number from 1024 to 65535`.
    package let description: String

    /// Returns nil if `pattern` is not a regular expression.
    package init?(pattern: String, description: String) {
        self.pattern = pattern
        self.description = description
        if matching("") == nil { return nil }
    }

    /// Returns true if the whole answer has the form.
    package func matches(_ answer: String) -> Bool { matching(answer) == true }

    /// Nil if the pattern is not a regular expression.
    private func matching(_ answer: String) -> Bool? {
        var expression = regex_t()
        guard regcomp(&expression, "^(\(pattern))$", REG_EXTENDED | REG_NOSUB) == 0 else { return nil }
        defer { regfree(&expression) }
        // C's end of a string would hide the rest of the answer.
        return !answer.utf8.contains(0) && regexec(&expression, answer, 0, nil, 0) == 0
    }
}
