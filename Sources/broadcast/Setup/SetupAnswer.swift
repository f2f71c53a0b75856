import Control

/// What a setup program prints: one JSON object. Unknown keys are ignored.
struct SetupAnswer: Decodable {
    /// Why there is nothing to keep.
    struct Failure: Decodable {
        var code: Int?
        var message: String

        /// For people: one line, in bounds, without anything that a terminal would take for a command.
        var sentence: String {
            let line = DisplayWidth.printable(String(message.prefix(500)))
            return line.last.map { ".?!".contains($0) } == true ? line : line + "."
        }
    }

    /// Answers that are no secret, by the manifest's keys.
    var setup: [String: String]?
    var secrets: [String: String]?
    /// Where viewers can watch.
    var watchUrl: String?
    var error: Failure?

    /// nil for what is no such object.
    init?(_ bytes: [UInt8]) {
        guard let answer = ControlJSON.decodeAsIs(SetupAnswer.self, from: bytes) else { return nil }
        self = answer
    }

    private enum CodingKeys: String, CodingKey {
        case setup, secrets
        case watchUrl = "watch_url"
        case error
    }

    /// What is wrong with it for an extension that asks these questions, in a sentence; nil where nothing is. No answer is repeated.
    func problem(with questions: [SetupQuestion], older: [String: String], hasSecrets: Bool) -> String? {
        for (given, isSecret) in [(setup ?? [:], false), (secrets ?? [:], true)] {
            for key in given.keys.sorted() {
                guard let question = questions.first(where: { $0.key == key }) else {
                    return "it gave \(DisplayWidth.printable(key)), which the manifest does not declare in [[setup]]"
                }
                guard question.isSecret == isSecret else {
                    return isSecret ? "it gave \(key) as a secret, which the manifest does not" : "it gave the secret \(key) in the open"
                }
            }
        }
        let all = older.merging(setup ?? [:]) { $1 }.merging(secrets ?? [:]) { $1 }
        if let missing = questions.first(where: { $0.isRequired && all[$0.key]?.isEmpty != false && !($0.isSecret && hasSecrets) }) {
            return "it gave no \(missing.key), which is required"
        }
        if let watchUrl, !Self.isAddress(watchUrl) { return "its watch_url is no https:// or http:// address" }
        return nil
    }

    private static func isAddress(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 2000 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
