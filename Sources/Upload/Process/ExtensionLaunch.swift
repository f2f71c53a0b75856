/// What an extension's process is started with; nothing below reads the environment.
package struct ExtensionLaunch: Sendable {
    /// All of the program's environment.
    package var environment: [String: String]
    /// The answers to the manifest's questions: the setup info.
    package var setup: [String: String]
    /// Where clips are written, a folder of the user's own; it is made where it is missing.
    package var clipFolder: String
    /// Is told each line that the program writes to standard error.
    package var log: @Sendable (String) -> Void
    package var deadlines = Deadlines()
    /// Where it is set, what the program says wrongly is told here and the broadcast goes on: for whoever looks for all that is wrong.
    package var faults: (@Sendable (String) -> Void)?

    /// How patient the host is.
    package struct Deadlines: Sendable {
        /// Until the program says hello.
        package var hello = Duration.seconds(5)
        /// Until what it sends to is ready, where it said that it is not yet.
        package var ready = Duration.seconds(120)
        /// How long it may read nothing while there is something to read.
        package var progress = Duration.seconds(10)
        /// From `finish` to its exit.
        package var exit = Duration.seconds(5)
        /// From SIGTERM to SIGKILL.
        package var termination = Duration.milliseconds(300)

        package init() {}
    }

    package init(
        environment: [String: String], setup: [String: String] = [:], clipFolder: String, log: @escaping @Sendable (String) -> Void
    ) {
        self.environment = environment
        self.setup = setup
        self.clipFolder = clipFolder
        self.log = log
    }
}
