import ArgumentParser
import CommandModels

/// What `-h` prints where `--help` is longer than a terminal is high: the most used options, made from the descriptions
/// of all of them.
package enum ShortHelp {
    /// The most used options of the commands that have many.
    package static let options: [String: [String]] = [
        "start": [
            "--to", "--window", "--monitor", "--mic", "--no-app-audio", "--hide", "--size", "--fps", "--bitrate",
            "--duration", "--detach", "--session", "--clip-buffer", "--preview", "--quiet",
        ],
        "preview": ["--window", "--monitor", "--hide", "--size"],
    ]

    /// Returns the text for these arguments; nil if they do not ask for it.
    package static func text(for arguments: [String], root: @autoclosure () -> CommandTree?) -> String? {
        if arguments == ["-h"] { return overview }
        guard let name = arguments.first, let wanted = options[name], arguments.contains("-h"),
            !arguments.contains("--"), let command = root()?.subcommands?.first(where: { $0.commandName == name })
        else { return nil }
        return text(of: command, wanted)
    }

    private static var overview: String {
        let groups = Broadcast.configuration.groupedSubcommands.map { group in
            let names = group.subcommands.compactMap { $0.configuration.commandName }
            return ParagraphText.wrapped("  \(group.name): " + names.joined(separator: ", "), indentation: 4)
        }
        return
            ([Broadcast.configuration.abstract, "", Broadcast.examples, "", "Commands:"] + groups + [
                "", "What a command does:  broadcast --help, broadcast COMMAND -h, man broadcast",
                "Topics:               broadcast help \(HelpTopic.allCases.map(\.rawValue).joined(separator: "|"))",
            ]).joined(separator: "\n")
    }

    private static func text(of command: CommandTree, _ wanted: [String]) -> String {
        let rows = wanted.compactMap { name -> [String]? in
            guard let argument = command.named(name), let own = argument.names?.first(where: { $0.text == name }) else {
                return nil
            }
            let value = argument.kind == "option" ? " <\(argument.valueName ?? "value")>" : ""
            return ["  " + name + value, command.summary(of: own, in: argument)]
        }
        let column = min(26, rows.map { $0[0].count + 2 }.max() ?? 0)
        let options = rows.map { row in
            let isWide = row[0].count + 2 > column
            let left = isWide ? row[0] + "\n" : row[0].padding(to: column)
            let text = ParagraphText.wrapped(
                String(repeating: " ", count: column) + row[1], indentation: column)
            return left + (isWide ? text : String(text.dropFirst(column)))
        }
        return
            ([command.abstract ?? "", "", "The most used options:"] + options + [
                "", "All options: broadcast \(command.commandName) --help, or man broadcast-\(command.commandName)",
            ]).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padding(to columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - count))
    }
}

/// A paragraph of a help text.
enum ParagraphText {
    /// The columns of a help text, as those of ArgumentParser.
    private static let columns = 80

    /// Returns the words of `text` in lines of at most 80 columns. What precedes the first word stays as it is.
    ///
    /// - Parameter indentation: of the lines after the first one.
    static func wrapped(_ text: String, indentation: Int) -> String {
        var lines = [String(text.prefix { $0 == " " })]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            let isFirst = line.allSatisfy { $0 == " " }
            if isFirst || line.count + 1 + word.count <= columns {
                lines[lines.count - 1] += (isFirst ? "" : " ") + word
            } else {
                lines.append(String(repeating: " ", count: indentation) + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
