import FoundationEssentials

/// The subcommands and options, as ArgumentParser describes them (`--experimental-dump-help`).
package struct CommandTree: Decodable {
    /// An option, a flag or a positional argument.
    package struct Argument: Decodable {
        package struct Name: Decodable {
            package var kind: String
            package var name: String

            /// The name as the user types it: `--to`, `-f`.
            package var text: String { (kind == "long" ? "--" : "-") + name }
        }

        /// `option`, `flag` or `positional`.
        package var kind: String
        package var names: [Name]?
        /// What the help prints for the value, such as `file`.
        package var valueName: String?
        package var abstract: String?
        package var isRepeating: Bool
        package var shouldDisplay: Bool
        /// The values of an enumeration.
        package var allValues: [String]?
    }

    package var commandName: String
    package var abstract: String?
    package var shouldDisplay: Bool
    package var arguments: [Argument]?
    package var subcommands: [CommandTree]?

    /// The root of ArgumentParser's description; nil if it cannot be read.
    package init?(dump: String) {
        struct Dump: Decodable {
            var command: CommandTree
        }
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(dump.utf8)) else { return nil }
        self = dump.command
    }

    package var visibleSubcommands: [CommandTree] { (subcommands ?? []).filter(\.shouldDisplay) }
    package var visibleArguments: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }

    /// The option or flag of that name: `--to`, `-f`.
    package func named(_ text: String) -> Argument? {
        visibleArguments.first { $0.names?.contains { $0.text == text } == true }
    }

    /// The first sentence of the help for the option or flag `name`. For `--no-…`, it is the opposite of the pair's
    /// sentence.
    package func summary(of name: Argument.Name, in argument: Argument) -> String {
        let text = argument.abstract ?? ""
        let summary = text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
        let isNegation =
            name.name.hasPrefix("no-") && named("--" + name.name.dropFirst(3))?.abstract == argument.abstract
        return isNegation ? "Do not " + summary.prefix(1).lowercased() + summary.dropFirst() : summary
    }

    package var positionals: [Argument] { visibleArguments.filter { $0.kind == "positional" } }
}
