import ArgumentParser
import CLinux
import CommandModels
import Credentials
import Doctor
import Glibc
import PortalCapture
import Presentation
import Terminal

/// The command. Parses the arguments, runs one subcommand, and turns its error into a sentence and an exit status.
@main
package struct Broadcast: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Show a Linux desktop live, from the command line.",
        discussion: """
            Captures a Wayland or X11 desktop and its sound, and sends them to RTMP servers, files and other programs.

            \(examples)

            A short help: broadcast -h. Topics: broadcast help configuration, environment, rules or statuses. For a \
            report about an error, broadcast --version --verbose names the commit and the libraries.
            """,
        version: "0.1.0",
        subcommands: [CompleteCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Go live",
                subcommands: [StartCommand.self, StopCommand.self, PreviewCommand.self, PickerCommand.self]),
            CommandGroup(
                name: "Change a running broadcast",
                subcommands: [
                    PauseCommand.self, ResumeCommand.self, MicCommand.self, HideCommand.self, UnhideCommand.self,
                    AddDestinationCommand.self, RemoveDestinationCommand.self, RetryCommand.self, AnnotateCommand.self,
                    ClipCommand.self,
                ]),
            CommandGroup(
                name: "See what happens",
                subcommands: [
                    StatusCommand.self, EventsCommand.self, ChatCommand.self, LogsCommand.self, CapturedCommand.self,
                    DoctorCommand.self,
                ]),
            CommandGroup(
                name: "Destinations and sources",
                subcommands: [
                    SetupCommand.self, SignOutCommand.self, ListDestinationsCommand.self, ListExtensionsCommand.self,
                    ListSourcesCommand.self, ForgetSourceCommand.self, CheckExtensionCommand.self,
                    ConfigCommand.self, ServiceCommand.self, CompletionCommand.self, PurgeCommand.self,
                ]),
        ])

    package init() {}

    static let examples = """
          broadcast start --to talk.mp4               record, until Ctrl-C
          broadcast start --to twitch --to talk.mp4   go live, and keep a file
          broadcast start --to lan                    show it in browsers nearby
          broadcast pause                             show viewers a slate
          broadcast hide class:KeePassXC              hide a window (X11)
          broadcast stop                              end it, from any terminal
        """

    static func main() async {
        ShippedExtension(arguments: CommandLine.arguments)?.run(CommandLine.arguments)
        ArgumentConcealment.run()
        StandardDescriptors.open()
        // A detached session is started as /proc/self/exe, so without this its process name would be exe.
        clinux_set_thread_name("broadcast")
        // If a reader closes a pipe, the write fails with an error; the process does not end.
        signal(SIGPIPE, SIG_IGN)
        // It protects itself later, because the desktop's portal has to look at it first.
        if let helper = PortalHelper(arguments: CommandLine.arguments) {
            helper.run(protect: clinux_protect_memory)
            Glibc.exit(0)
        }
        clinux_protect_memory()
        clinux_avoid_huge_pages()
        SharedMemoryGuard.install()
        if let helper = SecretServiceHelper(arguments: CommandLine.arguments) { Glibc.exit(helper.run().rawValue) }
        // The writer of standard error is another thread.
        defer { Output.flush() }
        var isNotifying = false
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if Set(arguments) == ["--version", "--verbose"] { return try showVersion() }
            // ArgumentParser answers with the general help, and status 0.
            if let name = unknownCommand(inRequestForHelp: arguments) { _ = try parseAsRoot([name]) }
            if let help = help(for: arguments) { return try Output.answer(help) }
            var command = try parseAsRoot()
            isNotifying = (command as? any NotifyingCommand)?.notice.notify == true
            if isNotifying { Output.startRecording() }
            if !(command is CompleteCommand) { CommandContext.cleanUpAfterCrash() }
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            if isNotifying { NotifyOption.show(error: nil) }
        } catch let error as CommandError {
            let message = ArgumentConcealment.clean(error.message)
            if isNotifying { NotifyOption.show(error: error.isTold ? nil : message) }
            if !error.isTold { Output.note("broadcast: " + message) }
            Output.flush()
            Glibc.exit(error.status.rawValue)
        } catch  where exitCode(for: error) == .validationFailure {
            let sentence = UsageSentence(arguments: Array(CommandLine.arguments.dropFirst())).text(for: error)
            Output.note("broadcast: " + ArgumentConcealment.clean(CommandError(.usage, sentence).message))
            Glibc.exit(ExitStatus.usage.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    /// What these arguments ask for, if ArgumentParser has no text for it.
    private static func help(for arguments: [String]) -> String? {
        HelpTopic(arguments: arguments)?.text(configurationFile: CommandContext.paths.configFile)
            ?? ShortHelp.text(for: arguments, root: CommandTree(dump: _dumpHelp()))
    }

    /// The word in the place of a command in `help WORD` and `WORD --help`, if there is no such command or topic.
    private static func unknownCommand(inRequestForHelp arguments: [String]) -> String? {
        let isRequest = arguments.first == "help" || !Set(arguments).isDisjoint(with: ["-h", "--help"])
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard isRequest, let name = words.first, !name.hasPrefix("-"), HelpTopic(rawValue: name) == nil,
            let commands = CommandTree(dump: _dumpHelp())?.subcommands,
            !commands.contains(where: { $0.commandName == name })
        else { return nil }
        return name
    }

    private static func showVersion() throws(CommandError) {
        try Output.answer(
            VersionReport.text(
                version: configuration.version, libraries: LibraryVersion.all.map { ($0.name, $0.version) },
                extensions: ShippedExtension.allCases.map(\.name)))
    }
}
