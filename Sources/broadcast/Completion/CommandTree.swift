import FoundationEssentials

/// The subcommands and options, as ArgumentParser describes them (`--experimental-dump-help`).
struct CommandTree: Decodable {
    /// An option, a flag or a positional argument.
    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String

            /// The name as the user types it: `--to`, `-f`.
            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        /// `option`, `flag` or `positional`.
        var kind: String
        var names: [Name]?
        /// What the help prints for the value, such as `file`.
        var valueName: String?
        var abstract: String?
        var isRepeating: Bool
        var shouldDisplay: Bool
        /// The values of an enumeration.
        var allValues: [String]?
    }

    var commandName: String
    var abstract: String?
    var shouldDisplay: Bool
    var arguments: [Argument]?
    var subcommands: [CommandTree]?

    /// The command `broadcast`.
    static func root() -> CommandTree? {
        struct Dump: Decodable {
            var command: CommandTree
        }
        let dump = Array(Broadcast._dumpHelp().utf8)
        return try? JSONDecoder().decode(Dump.self, from: Data(dump)).command
    }

    var visibleSubcommands: [CommandTree] { (subcommands ?? []).filter(\.shouldDisplay) }
    var visibleArguments: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }

    /// The option or flag of that name: `--to`, `-f`.
    func named(_ text: String) -> Argument? {
        visibleArguments.first { $0.names?.contains { $0.text == text } == true }
    }

    /// The first sentence of the help for the option or flag `name`. `--no-…` says the opposite of its pair.
    func summary(of name: Argument.Name, in argument: Argument) -> String {
        let text = argument.abstract ?? ""
        let summary = text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
        let isNegation =
            name.name.hasPrefix("no-") && named("--" + name.name.dropFirst(3))?.abstract == argument.abstract
        return isNegation ? "Do not " + summary.prefix(1).lowercased() + summary.dropFirst() : summary
    }

    var positionals: [Argument] { visibleArguments.filter { $0.kind == "positional" } }
}
