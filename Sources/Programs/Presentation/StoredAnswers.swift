import Credentials

/// The answers to the questions of a destination, for `broadcast setup NAME --show`.
package struct StoredAnswers: Encodable {
    package struct Answer: Encodable {
        package let key: String
        /// Nil for a secret.
        package let value: String?
        package let secret: Bool
        /// True if the configuration has it, and not `broadcast setup`.
        package let configured: Bool
    }

    package let name: String
    package let answers: [Answer]

    /// - Parameters:
    ///   - configured: the answers in the configuration, which override the stored ones.
    ///   - stored: the stored answers that are not secret.
    ///   - hasSecret: returns true if a secret of this key is stored.
    package init(
        name: String, _ questions: [SetupQuestion], configured: [String: String], stored: [String: String],
        hasSecret: (String) -> Bool
    ) {
        self.name = name
        answers = questions.compactMap { question in
            if question.isSecret {
                return hasSecret(question.key)
                    ? Answer(key: question.key, value: nil, secret: true, configured: false) : nil
            }
            return (configured[question.key] ?? stored[question.key]).map {
                Answer(key: question.key, value: $0, secret: false, configured: configured[question.key] != nil)
            }
        }
    }

    /// Key, answer, place.
    package var rows: [[String]] {
        answers.map { [$0.key, $0.value?.printable ?? "(stored, secret)", $0.configured ? "configuration" : ""] }
    }
}
