import ArgumentParser
import Presentation
import Terminal

/// The sentence about an invalid command line, with a suggestion and the next step.
package struct UsageSentence {
    /// The command line without the program's name.
    let arguments: [String]

    package init(arguments: [String]) {
        self.arguments = arguments
    }

    /// The sentence about ArgumentParser's `error`.
    package func text(for error: any Error) -> String {
        // Before the text is divided at its quotes and lines, which an argument can contain too.
        let text = ArgumentConcealment.clean(Broadcast.message(for: error), arguments: ["broadcast"] + arguments)
        let message = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "The command line is wrong"
        // ArgumentParser quotes what was typed: Unknown option '--no-audio'. Did you mean '--app-audio'?
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
        }.map {
            String($0.element)
        }
        if message.hasPrefix("Unknown option"), let option = quoted.first { return unknownOption(option) }
        if message.hasPrefix("Unexpected argument") || message.contains("unexpected arguments:") {
            guard let command else {
                return CommandLineHints.unknownCommand(quoted.first ?? "", known: Self.visibleCommands)
            }
            if let word = quoted.first,
                let sentence = flag(before: word).flatMap({ CommandLineHints.value(word, of: $0) })
            {
                return sentence
            }
            return CommandLineHints.unexpected(
                quoted, command: command.name, known: Self.options(of: command.type),
                after: quoted.first.flatMap(destination(before:)))
        }
        if message.hasPrefix("Missing value for"),
            let option = quoted.first?.split(separator: " ").first.map(String.init),
            let word = wordWithDash(after: option)
        {
            return CommandLineHints.valueWithDash(word, of: option, command: command?.name)
        }
        if message.hasPrefix("The value"), quoted.count == 2 {
            // The value 'high' is invalid for '--quality <crf>'
            let option = quoted[1].split(separator: " ").first.map(String.init) ?? ""
            return CommandLineHints.invalidValue(quoted[0], of: option, command: command?.name)
        }
        if message.hasPrefix("Missing expected argument"), command?.name == "mic" {
            return "Say what to do. Run: broadcast mic on, broadcast mic off or broadcast mic toggle"
        }
        if message.hasPrefix("Missing expected argument"), let command, ["hide", "unhide"].contains(command.name) {
            let next =
                command.name == "hide" ? "broadcast hide pick lets you click it." : "broadcast status lists the rules."
            return "Name the window or the rule, as in broadcast \(command.name) class:NAME: \(next)"
        }
        let end = message.last.map { ".?!".contains($0) } == true ? "" : "."
        return "\(message)\(end) See broadcast\(command.map { " " + $0.name } ?? "") --help."
    }

    private func unknownOption(_ option: String) -> String {
        if command == nil, let start = Self.commands.first(where: { $0.name == "start" }),
            Self.options(of: start.type).contains(option)
        {
            return "\(option) is an option of a command. Run: broadcast start \(option) …"
        }
        return CommandLineHints.unknownOption(
            option, known: command.map { Self.options(of: $0.type) } ?? ["--version", "--help"],
            command: command?.name)
    }

    /// The option that `word` follows.
    private func flag(before word: String) -> String? {
        zip(arguments, arguments.dropFirst()).first { $1 == word && $0.hasPrefix("--") }?.0
    }

    /// The value of `--to` that `word` follows.
    private func destination(before word: String) -> String? {
        zip(arguments.indices, arguments).first { index, argument in
            argument == word && index >= 2 && arguments[index - 2] == "--to"
        }.map { index, _ in arguments[index - 1] }
    }

    /// The word after `option` if it begins with `-` and is not an option itself.
    private func wordWithDash(after option: String) -> String? {
        let known = command.map { Self.options(of: $0.type) } ?? []
        return zip(arguments, arguments.dropFirst()).first { before, word in
            before == option && word.count > 2 && word.hasPrefix("-")
                && !known.contains(String(word.prefix { $0 != "=" }))
        }?.1
    }

    private typealias Command = (name: String, type: any ParsableCommand.Type)

    /// The command that was typed; nil if the first word is not one.
    private var command: Command? {
        guard let word = arguments.first(where: { !$0.hasPrefix("-") }) else { return nil }
        return Self.commands.first { $0.name == word }
    }

    private static var commands: [Command] {
        Broadcast.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) }
    }

    /// The names for suggestions.
    private static var visibleCommands: [String] {
        commands.filter { $0.type.configuration.shouldDisplay }.map(\.name) + ["help"]
    }

    /// The options of a command, with their dashes, as its help lists them.
    private static func options(of type: any ParsableCommand.Type) -> [String] {
        Broadcast.helpMessage(for: type, columns: 200).split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap {
            line in
            // Two spaces separate the names from the description.
            (line.dropFirst(2).split(separator: "  ").first ?? "").split(whereSeparator: { "/, ".contains($0) }).map(
                String.init)
        }.filter { $0.hasPrefix("--") }
    }
}
