import ArgumentParser
import Control

/// `broadcast list-extensions`
struct ListExtensionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list-extensions", abstract: "List the kinds of uploaders there are.")

    @Flag(help: "Answer in JSON.")
    var json = false

    private struct Row: Encodable {
        var name: String
        var description: String
        var builtIn: Bool
        var version: String?
        var mode: String?
        var folder: String?
        /// Why it cannot be used.
        var error: String?
    }

    func run() throws {
        let context = try CommandContext()
        var rows = BuiltInExtension.all.map { Row(name: $0.name, description: $0.description, builtIn: true) }
        for entry in context.catalog.entries {
            switch entry.manifest {
            case .success(let manifest):
                rows.append(
                    Row(
                        name: manifest.name, description: manifest.description, builtIn: false, version: manifest.version,
                        mode: manifest.mode.rawValue, folder: manifest.folder, error: manifest.unsupported))
            case .failure(let error):
                rows.append(Row(name: entry.name, description: "", builtIn: false, folder: entry.folder, error: error.message))
            }
        }
        if json {
            try Output.answer(ControlJSON.encode(["extensions": rows], pretty: true))
        } else {
            try Output.answer(TextTable.text(rows.map { [$0.name, $0.error.map { "(cannot be used) \($0)" } ?? $0.description] }))
        }
    }
}

/// `broadcast list-destinations`
struct ListDestinationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list-destinations", abstract: "List the configured destinations.")

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() throws {
        let context = try CommandContext()
        try DestinationList(context, preferred: nil).show(asJSON: json)
    }
}
