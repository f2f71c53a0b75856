/// An incomplete command line, and what its last word can be.
package struct CompletionLine {
    /// The kind of the last word.
    package enum Target {
        /// The name of a subcommand.
        case subcommand
        /// The name of an option or flag that is not on the line yet.
        case option
        /// The value of an option or of a positional argument.
        case value(CommandTree.Argument)
        /// Nothing can follow.
        case nothing
    }

    /// The subcommand; the root while its name is not complete.
    package let command: CommandTree
    package let target: Target
    /// The options that the line contains, with the last value of each; an empty value for a flag.
    package let options: [String: String]
    /// The positional arguments before the last word.
    package let positionals: [String]

    /// - Parameter words: the words after `broadcast`. The last one is the word that the user completes; it may be
    ///   empty.
    package init(words: [String], root: CommandTree) {
        let current = words.last ?? ""
        var before = words.dropLast()
        guard let name = before.first, let command = root.visibleSubcommands.first(where: { $0.commandName == name })
        else {
            command = root
            options = [:]
            positionals = []
            target = !before.isEmpty ? .nothing : current.hasPrefix("-") ? .option : .subcommand
            return
        }
        self.command = command
        before = before.dropFirst()
        var pending: CommandTree.Argument?
        var isTerminated = false
        var options: [String: String] = [:]
        var positionals: [String] = []
        func note(_ option: CommandTree.Argument, value: String) {
            for name in option.names ?? [] { options[name.text] = value }
        }
        for word in before {
            if let option = pending {
                note(option, value: word)
                pending = nil
            } else if isTerminated || !word.hasPrefix("-") || word == "-" {
                positionals.append(word)
            } else if word == "--" {
                isTerminated = true
            } else if let equals = word.firstIndex(of: "="), let option = command.named(String(word[..<equals])) {
                note(option, value: String(word[word.index(after: equals)...]))
            } else if let option = command.named(word) {
                if option.kind == "option" { pending = option } else { note(option, value: "") }
            }
        }
        self.options = options
        self.positionals = positionals
        target =
            if let pending {
                .value(pending)
            } else if !isTerminated, let equals = current.firstIndex(of: "="),
                let option = command.named(String(current[..<equals]))
            {
                .value(option)
            } else if !isTerminated && current.hasPrefix("-") && current != "-" {
                .option
            } else {
                Self.positional(of: command, at: positionals.count).map(Target.value)
                    ?? (current.isEmpty && !isTerminated ? .option : .nothing)
            }
    }

    private static func positional(of command: CommandTree, at index: Int) -> CommandTree.Argument? {
        let positionals = command.positionals
        if positionals.indices.contains(index) { return positionals[index] }
        return positionals.last.flatMap { $0.isRepeating ? $0 : nil }
    }
}
