import ArgumentParser
import Control
import FoundationEssentials
import Presentation

/// `broadcast add-destination`
struct AddDestinationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-destination", abstract: "Send a running broadcast to one more place.",
        discussion: """
            Takes what start --to takes, except standard output. Returns once the destination is live, else with its error and status; \
            the broadcast goes on in either case. Where its stream key is in use, it stays and is tried again.
            """)

    @Argument(help: ArgumentHelp("A configured destination, an extension, an address or a file.", valueName: "destination"))
    var destination: String

    @OptionGroup var name: SessionName

    func run() async throws {
        var request = ControlRequest(command: "add-destination")
        request.destination = destination
        request.folder = FileManager.default.currentDirectoryPath
        if let added = try await name.ask(request).destination { try Output.answer(added.path ?? added.name) }
    }
}

/// `broadcast remove-destination`
struct RemoveDestinationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-destination", abstract: "End one destination of a running broadcast; the others do not notice.",
        discussion: "Returns once everything is written and closed, with the destination's own exit status.")

    @Argument(help: ArgumentHelp("Its name, as broadcast status shows it.", valueName: "name"))
    var destination: String

    @OptionGroup var name: SessionName

    func run() async throws {
        var request = ControlRequest(command: "remove-destination")
        request.destination = destination
        guard let ended = try await name.ask(request).destination else { return }
        if let error = ended.error { throw CommandError(error.status.flatMap(ExitStatus.init(rawValue:)) ?? .unavailable, error.message) }
        if let path = ended.path { try Output.answer(path) }
    }
}

/// `broadcast retry`
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Connect again now where a lost connection waits for its next try.",
        discussion: "Prints the destinations that are tried; exit status 1 where none waits.")

    @Argument(help: ArgumentHelp("The destination. Default: all that wait.", valueName: "name"))
    var destination: String?

    @OptionGroup var name: SessionName

    func run() async throws {
        var request = ControlRequest(command: "retry")
        request.destination = destination
        let retried = try await name.ask(request).retried ?? []
        guard !retried.isEmpty else {
            throw CommandError(.nothing, "No destination\(destination.map { " \"\($0)\"" } ?? "") waits to be tried again. See broadcast status.")
        }
        for one in retried { try Output.answer(one) }
    }
}
