import ArgumentParser
import Control
import Presentation
import Terminal
import UserConfiguration

/// `broadcast list-extensions`
struct ListExtensionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-extensions", abstract: "List the available extensions.")

    @Flag(help: "Answer in JSON.")
    var json = false

    private struct Row: Encodable {
        var name: String
        var description: String
        var builtIn: Bool
        var version: String?
        var mode: String?
        var folder: String?
        /// Why the extension cannot be used; nil if it can.
        var error: String?
    }

    func run() throws {
        var rows = BuiltInExtension.all.map { Row(name: $0.name, description: $0.description, builtIn: true) }
        for entry in UserEnvironment().catalog.entries {
            switch entry.manifest {
            case .success(let manifest):
                rows.append(
                    Row(
                        name: manifest.name, description: manifest.description, builtIn: false,
                        version: manifest.version,
                        mode: manifest.mode.rawValue, folder: manifest.folder,
                        error: manifest.problem.map {
                            $0.sentence(extension: manifest.name, destination: manifest.name)
                        }))
            case .failure(let error):
                rows.append(
                    Row(
                        name: entry.name, description: "", builtIn: false, folder: entry.folder,
                        error: CommandError(error).message))
            }
        }
        if json {
            try Output.answer(ControlJSON.encode(["extensions": rows], pretty: true))
        } else {
            try Output.answer(
                TextTable.text(rows.map { [$0.name, $0.error.map { "(cannot be used) \($0)" } ?? $0.description] }))
        }
    }
}

/// `broadcast list-destinations`
struct ListDestinationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-destinations", abstract: "List the configured destinations.")

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() throws {
        let context = try CommandContext()
        try context.destinations(preferred: nil).show(asJSON: json, configFile: context.paths.configFile)
    }
}

extension DestinationList {
    /// - Parameter configFile: the path of the configuration, for a hint if there are no destinations.
    func show(asJSON json: Bool, configFile: String) throws(CommandError) {
        if json {
            try Output.answer(ControlJSON.encode(["destinations": entries.map(DestinationRow.init)], pretty: true))
        } else if entries.isEmpty {
            Output.note(
                "No destinations are configured. Add [destinations.NAME] to \(configFile) (man 5 broadcast.toml), "
                    + "sign in to a service with broadcast setup, or use broadcast start --to with an address or a file."
            )
        } else {
            let rows = entries.map { entry in
                let signIn = entry.isSignedIn.map { $0 ? "signed in" : "not signed in" } ?? ""
                let state = entry.missingProgram.map { "key-command: \($0) is not installed" } ?? signIn
                let places = [entry.url ?? entry.path] + [entry.watchURL.map { "watch it at \($0)" }]
                return [
                    entry.isPreferred ? "*" : " ", entry.name, entry.service ?? entry.kind.name, state,
                    places.compactMap(\.self).joined(separator: ", "),
                ]
            }
            try Output.answer(TextTable.text(rows))
        }
    }
}
