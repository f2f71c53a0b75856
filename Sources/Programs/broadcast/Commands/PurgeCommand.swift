import ArgumentParser
import Glibc
import Host
import Presentation
import Terminal
import UserConfiguration

/// `broadcast purge`
struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove your settings, secrets and logs, before the program is uninstalled.",
        discussion: """
            It lists what it would remove, and asks. Recordings and clips stay. A package manager that removes the \
            program removes nothing in the homes of users.
            """)

    @Flag(help: "List what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(help: "Remove it without a question.")
    var yes = false

    func validate() throws {
        if dryRun && yes { throw ValidationError("--dry-run removes nothing, so --yes has no meaning with it.") }
    }

    func run() async throws {
        let user = UserEnvironment()
        let running = await RunningSession.names(user.paths)
        if let name = running.first, !dryRun {
            throw CommandError(
                .nothing, "Session \"\(name)\" is running. End all sessions first, with: broadcast stop --all")
        }
        let data = UserData(
            paths: user.paths, credentials: user.credentials, keyring: user.secretService, services: user.loginServices)
        // A configuration with a fault is removed, too; a locked keyring is then asked only for the other names.
        let configured = (try? ConfigurationFile.load(user.paths.configFile))?.destinations.map(\.name) ?? []
        let known = configured + KnownService.all.map(\.name) + user.catalog.names
        let items = try presentingPurge { () throws(UserData.Problem) in try data.items(known: known) }
        guard !items.isEmpty else { return Output.note(PurgeSentences.nothing) }
        for item in items { try Output.answer(PurgeSentences.line(item)) }
        if !data.seesKeyring { Output.note(PurgeSentences.noKeyring) }
        if dryRun { return }
        if !yes {
            guard isatty(STDIN_FILENO) != 0 else {
                throw CommandError(.usage, "There is no terminal to ask on. To remove all of this, add --yes.")
            }
            guard TerminalPrompt.confirms("Remove all of this? [y/N]") else {
                throw CommandError(.nothing, "Nothing was removed.")
            }
        }
        // The first failure ends it: without the folders, nothing would tell which secrets a locked keyring has.
        for item in items { try presentingPurge { () throws(UserData.Problem) in try data.remove(item) } }
        Output.note(PurgeSentences.done)
    }

    private func presentingPurge<Value>(_ body: () throws(UserData.Problem) -> Value) throws(CommandError) -> Value {
        do throws(UserData.Problem) {
            return try body()
        } catch {
            throw CommandError(error)
        }
    }
}
