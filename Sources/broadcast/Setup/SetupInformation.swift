/// What `broadcast setup` was told that is no secret: ReplayKit's setupInfo. It is kept beside the config, which stays the user's own.
struct SetupInformation {
    private let folder: String
    /// Apart from the answers, whose keys are the extensions' own.
    private let watchFolder: String

    init(paths: Paths) {
        folder = paths.dataFolder + "/setup"
        watchFolder = paths.dataFolder + "/watch"
    }

    /// Where viewers can watch, as the setup program of the extension has said.
    func watchURL(of destination: String) throws(CommandError) -> String? {
        try PrivateFile(folder: watchFolder, destination: destination, ending: ".toml").read()["watch_url"]
    }

    /// Forgets it where it is nil.
    func keep(watchURL: String?, of destination: String) throws(CommandError) {
        try PrivateFile(folder: watchFolder, destination: destination, ending: ".toml").write(watchURL.map { ["watch_url": $0] } ?? [:])
    }

    /// The answers of a destination by their keys.
    func answers(of destination: String) throws(CommandError) -> [String: String] {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").read()
    }

    func keep(_ answers: [String: String], of destination: String) throws(CommandError) {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").write(answers)
    }
}
