import ArgumentParser
import Control
import FoundationEssentials
import Presentation
import Terminal
import UserConfiguration

/// `broadcast add-destination`
struct AddDestinationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-destination", abstract: "Add a destination to a running broadcast.",
        discussion: """
            Accepts what start --to accepts, except standard output. Returns once the destination is live, or with its \
            error and exit status. The broadcast continues in both cases. If the stream key is in use, the destination \
            stays in the broadcast and the session retries it. Prints the name of the destination, which \
            remove-destination and retry accept, and on standard error the address for viewers, if there is one.
            """)

    @Argument(
        help: ArgumentHelp(
            "A configured destination, an extension, an address or a file.", valueName: "destination"))
    var destination: String

    @Flag(help: "Answer in JSON, with the path of a file.")
    var json = false

    @OptionGroup var name: SessionName

    func run() async throws {
        let request = ControlRequest.addDestination(destination, folder: FileManager.default.currentDirectoryPath)
        guard let added = try await name.ask(request).destination else { return }
        guard !json else { return try Output.answer(ControlJSON.encode(added, pretty: true)) }
        try Output.answer(added.name)
        if let url = added.watchUrl { Output.note("\(added.name): live, watch it at \(url)") }
    }
}

/// `broadcast remove-destination`
struct RemoveDestinationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-destination",
        abstract: "Remove one destination from a running broadcast, without affecting the others.",
        discussion: """
            Returns once everything is written and closed, with the exit status of the destination. Prints its result, \
            as broadcast stop does.
            """)

    @Argument(
        help: ArgumentHelp(
            "The name of the destination, as broadcast status shows it, or the path of its file.",
            valueName: "name|file"))
    var destination: String

    @Flag(help: "Answer in JSON.")
    var json = false

    @OptionGroup var name: SessionName

    func run() async throws {
        let request = ControlRequest.removeDestination(destination, folder: FileManager.default.currentDirectoryPath)
        guard let ended = try await name.ask(request).destination else { return }
        if json { try Output.answer(ControlJSON.encode(ended, pretty: true)) }
        if let error = ended.error {
            throw CommandError(
                error.status.flatMap(ExitStatus.init(rawValue:)) ?? .unavailable, cleaned: ResultLine.text(ended))
        }
        if !json { try Output.answer(ResultLine.text(ended)) }
    }
}

/// `broadcast retry`
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Reconnect lost destinations now instead of at their next retry.",
        discussion: "Prints the retried destinations. The exit status is 1 if no destination waits for a retry.")

    @Argument(help: ArgumentHelp("The destination. Default: all that wait for a retry.", valueName: "name"))
    var destination: String?

    @OptionGroup var name: SessionName

    func run() async throws {
        let retried = try await name.ask(.retry(destination: destination)).retried ?? []
        guard !retried.isEmpty else {
            let named = destination.map { " " + NearestName.quoted($0, among: []) } ?? ""
            throw CommandError(.nothing, "No destination\(named) waits for a retry. See broadcast status.")
        }
        for one in retried { try Output.answer(one) }
    }
}
