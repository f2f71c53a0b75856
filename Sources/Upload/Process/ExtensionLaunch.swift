/// What an extension's process is started with.
package struct ExtensionLaunch: Sendable {
    /// All of the program's environment.
    package var environment: [String: String]
    /// The answers to the manifest's questions: the setup info.
    package var setup: [String: String]
    /// The folder that clips are written to, private to the user. It is created if it is missing.
    package var clipFolder: String
    package var deadlines = Deadlines()
    /// If set, it receives each violation of the protocol and the broadcast goes on; otherwise a violation ends the destination.
    package var violations: (@Sendable (ExtensionProblem) -> Void)?

    package struct Deadlines: Sendable {
        /// Until the program says hello.
        package var hello = Duration.seconds(5)
        /// Until the program is ready, if it reported that it is not yet.
        package var ready = Duration.seconds(120)
        /// How long it may read nothing while there is something to read.
        package var progress = Duration.seconds(10)
        /// From `finish` to its exit.
        package var exit = Duration.seconds(5)
        /// From SIGTERM to SIGKILL.
        package var termination = Duration.milliseconds(300)

        package init() {}
    }

    package init(environment: [String: String], setup: [String: String] = [:], clipFolder: String) {
        self.environment = environment
        self.setup = setup
        self.clipFolder = clipFolder
    }
}
