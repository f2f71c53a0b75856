/// The candidates for the last word of a command line, for the completion scripts of the shells.
package struct Completion {
    /// What the shell adds to the candidates.
    package enum Mode: String {
        /// Nothing.
        case values
        /// The names of files and folders.
        case files
        case folders
    }

    package struct Candidate {
        package var value: String
        /// For display beside the value; may be empty.
        package var summary = ""

        package init(value: String, summary: String = "") {
            self.value = value
            self.summary = summary
        }
    }

    package var mode = Mode.values
    package var candidates: [Candidate] = []

    package init(mode: Mode = .values, candidates: [Candidate] = []) {
        self.mode = mode
        self.candidates = candidates
    }

    /// No candidates: free text.
    package static let free = Completion()

    package static func values(_ candidates: [Candidate]) -> Completion { Completion(candidates: candidates) }

    package static func values(_ values: [String]) -> Completion {
        Completion(candidates: values.map { Candidate(value: $0) })
    }

    /// The output: the mode, and then a line for each candidate, with its summary after a tab. A value with control
    /// characters, which the user could not see, is left out.
    package var text: String {
        var seen: Set<String> = []
        let lines = candidates.compactMap { candidate -> String? in
            let value = candidate.value
            guard !value.isEmpty, DisplayWidth.printable(value) == value, seen.insert(value).inserted else {
                return nil
            }
            let summary = DisplayWidth.fit(DisplayWidth.printable(candidate.summary), 72)
            return summary.isEmpty ? value : value + "\t" + summary
        }
        return ([mode.rawValue] + lines).joined(separator: "\n")
    }
}

extension Completion {
    /// The names of the subcommands or options for the end of `line`; nil if it ends in a value.
    package static func names(for line: CompletionLine) -> Completion? {
        switch line.target {
        case .subcommand:
            return .values(
                line.command.visibleSubcommands.map { Candidate(value: $0.commandName, summary: $0.abstract ?? "") })
        case .option:
            let options = line.command.visibleArguments.filter { argument in
                argument.isRepeating || argument.names?.contains { line.options[$0.text] != nil } != true
            }
            return .values(
                options.flatMap { argument in
                    (argument.names ?? []).map {
                        Candidate(value: $0.text, summary: line.command.summary(of: $0, in: argument))
                    }
                })
        case .nothing: return .free
        case .value: return nil
        }
    }
}
