import FoundationEssentials

/// The output of a setup program: one JSON object. Unknown keys are ignored.
package struct SetupAnswer: Decodable {
    /// The error message of the program if there is nothing to store.
    package struct Failure: Decodable {
        package var code: Int?
        package var message: String
    }

    /// Answers that are not secret, by the keys of the manifest.
    package var setup: [String: String]?
    package var secrets: [String: String]?
    /// The address for viewers.
    package var watchUrl: String?
    package var error: Failure?

    /// Returns nil if the bytes are not such an object.
    package init?(_ bytes: [UInt8]) {
        guard let answer = try? JSONDecoder().decode(SetupAnswer.self, from: Data(bytes)) else { return nil }
        self = answer
    }

    private enum CodingKeys: String, CodingKey {
        case setup, secrets
        case watchUrl = "watch_url"
        case error
    }

    /// Why the answers do not match the questions; nil if they do. No case contains an answer.
    package func problem(with questions: [SetupQuestion], older: [String: String], hasSecrets: Bool) -> SetupProblem
        .Answer?
    {
        for (given, isSecret) in [(setup ?? [:], false), (secrets ?? [:], true)] {
            for key in given.keys.sorted() {
                guard let question = questions.first(where: { $0.key == key }) else { return .undeclared(key: key) }
                guard question.isSecret == isSecret else {
                    return isSecret ? .notASecret(key: key) : .secretInTheOpen(key: key)
                }
            }
        }
        let all = older.merging(setup ?? [:]) { $1 }.merging(secrets ?? [:]) { $1 }
        if let missing = questions.first(where: {
            $0.isRequired && all[$0.key]?.isEmpty != false && !($0.isSecret && hasSecrets)
        }) {
            return .missing(key: missing.key)
        }
        if let watchUrl, !Self.isAddress(watchUrl) { return .notAnAddress }
        return nil
    }

    private static func isAddress(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 2000
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
