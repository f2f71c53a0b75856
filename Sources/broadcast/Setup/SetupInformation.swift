/// What `broadcast setup` was told that is no secret: ReplayKit's setupInfo. It is kept beside the config, which stays the user's own.
struct SetupInformation {
    private let folder: String

    init(paths: Paths) {
        folder = paths.dataFolder + "/setup"
    }

    /// The answers of a destination by their keys.
    func answers(of destination: String) throws(CommandError) -> [String: String] {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").read()
    }

    func keep(_ answers: [String: String], of destination: String) throws(CommandError) {
        try PrivateFile(folder: folder, destination: destination, ending: ".toml").write(answers)
    }
}
