import UserConfiguration

/// The answers to setup questions that are not secret: ReplayKit's setupInfo. They are stored apart from the config, which only the user edits.
package struct SetupInformation {
    private let folder: String
    /// Separate from the answers, whose keys the extensions choose.
    private let watchFolder: String

    package init(paths: Paths) {
        folder = paths.dataFolder + "/setup"
        watchFolder = paths.dataFolder + "/watch"
    }

    /// Where viewers can watch, as the setup program of the extension reported.
    package func storedWatchURL(of destination: String) throws(CredentialProblem) -> String? {
        try PrivateFile(folder: watchFolder, destination: destination, ending: ".toml").read()["watch_url"]
    }

    /// Stores where viewers can watch; nil removes it.
    package func keep(watchURL: String?, of destination: String) throws(CredentialProblem) {
        try PrivateFile(folder: watchFolder, destination: destination, ending: ".toml").write(watchURL.map { ["watch_url": $0] } ?? [:])
    }

    /// The answers of a destination by their keys.
    package func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").read()
    }

    package func keep(_ answers: [String: String], of destination: String) throws(CredentialProblem) {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").write(answers)
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
