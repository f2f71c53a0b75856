/// The environment, the setup answers, the folders and the deadlines for an extension's process.
package struct ExtensionLaunch: Sendable {
    /// The complete environment of the program.
    package var environment: [String: String]
    /// The answers to the manifest's questions (the setup info).
    package var setup: [String: String]
    /// Where `setup` comes from, for the exit status of a wrong answer.
    package var origin: SettingsOrigin
    /// The folder for clips, private to the user. It is created if it does not exist.
    package var clipFolder: String
    package var deadlines = Deadlines()
    /// If set, receives each violation of the protocol, and the broadcast continues; otherwise a violation ends the
    /// destination.
    package var violations: (@Sendable (ExtensionProblem) -> Void)?

    package struct Deadlines: Sendable {
        /// The time limit for the program's hello.
        package var hello = Duration.seconds(5)
        /// The time limit for the program to become ready, if it reported that it is not ready yet.
        package var ready = Duration.seconds(120)
        /// The maximum time for which the program may read nothing while data is pending.
        package var progress = Duration.seconds(10)
        /// The time limit from `finish` to the exit of the program.
        package var exit = Duration.seconds(5)
        /// The time from SIGTERM to SIGKILL.
        package var termination = Duration.milliseconds(300)

        package init() {}
    }

    /// The origin of the answers to an extension's questions.
    package enum SettingsOrigin: Sendable, Equatable {
        /// An address that the user gave for this session.
        case address
        /// The configuration, or `broadcast setup`.
        case configuration
    }

    package init(
        environment: [String: String], setup: [String: String] = [:], origin: SettingsOrigin = .configuration,
        clipFolder: String
    ) {
        self.environment = environment
        self.setup = setup
        self.origin = origin
        self.clipFolder = clipFolder
    }
}
