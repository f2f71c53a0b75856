import UserConfiguration

/// The answers to setup questions that are not secret, like ReplayKit's setupInfo. They are stored apart from the
/// config, which only the user edits.
package struct SetupInformation {
    private let folder: String
    /// Stored separately from the answers, because extensions choose the keys of the answers.
    private let watchFolder: String

    package init(paths: Paths) {
        folder = paths.dataFolder + "/setup"
        watchFolder = paths.dataFolder + "/watch"
    }

    /// Returns the address for viewers that the extension's setup program reported.
    package func storedWatchURL(of destination: String) throws(CredentialProblem) -> String? {
        try PrivateFile(folder: watchFolder, destination: destination, ending: ".toml").read()["watch_url"]
    }

    /// Stores the address for viewers; nil removes it.
    package func keep(watchURL: String?, of destination: String) throws(CredentialProblem) {
        try PrivateFile(folder: watchFolder, destination: destination, ending: ".toml").write(
            watchURL.map { ["watch_url": $0] } ?? [:])
    }

    /// Returns the answers of a destination by key.
    package func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").read()
    }

    package func keep(_ answers: [String: String], of destination: String) throws(CredentialProblem) {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").write(answers)
    }

    /// Deletes one answer. Returns true if there was such an answer.
    package func forget(_ key: String, of destination: String) throws(CredentialProblem) -> Bool {
        var answers = try answers(of: destination)
        guard answers.removeValue(forKey: key) != nil else { return false }
        try keep(answers, of: destination)
        return true
    }
}

extension SetupInformation: SetupAnswers {
    package func knownAnswers(of destination: String) -> [String: String] {
        (try? answers(of: destination)) ?? [:]
    }

    package func watchURL(of destination: String) -> String? {
        (try? storedWatchURL(of: destination)) ?? nil
    }
}
