import Credentials

/// The answers to the questions of a destination, for `broadcast setup NAME --show`.
package struct StoredAnswers: Encodable {
    package enum Place: String, Encodable {
        /// The configuration overrides what `broadcast setup` has stored.
        case configuration, setup
    }

    package struct Answer: Encodable {
        package let key: String
        /// Nil for a secret.
        package let value: String?
        package let secret: Bool
        /// Where it is stored.
        package let place: Place
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
                    ? Answer(key: question.key, value: nil, secret: true, place: .setup) : nil
            }
            return (configured[question.key] ?? stored[question.key]).map {
                Answer(
                    key: question.key, value: $0, secret: false,
                    place: configured[question.key] == nil ? .setup : .configuration)
            }
        }
    }

    /// Key, answer, place.
    package var rows: [[String]] {
        answers.map {
            [$0.key, $0.value?.printable ?? "(stored, secret)", $0.place == .configuration ? "configuration" : ""]
        }
    }
}
