import ArgumentParser
import FoundationEssentials
import Mix
import Session

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// `broadcast picker`: ReplayKit's `RPSystemBroadcastPickerView` for a terminal.
struct PickerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picker", abstract: "Choose one of the configured destinations and start it.",
        discussion: "On a terminal it asks which one, and whether the microphone is on. Elsewhere, or with --list or --json, it only lists them.")

    @Option(help: ArgumentHelp("The destination that is chosen already.", valueName: "name"))
    var preferred: String?

    @Flag(inversion: .prefixedNo, help: "Ask whether the microphone is on. Default: asked.")
    var microphoneButton = true

    @Flag(help: "Only list the destinations.")
    var list = false

    @Flag(help: "Only list the destinations, in JSON.")
    var json = false

    func run() async throws {
        let context = try CommandContext()
        let destinations = DestinationList(context, preferred: preferred)
        if let preferred, !destinations.rows.contains(where: { $0.name == preferred }) {
            let hint = NearestName.of(preferred, among: destinations.rows.map(\.name)).map { " Did you mean \($0)?" } ?? ""
            throw CommandError(.noInput, "There is no destination \"\(preferred)\".\(hint) See broadcast list-destinations.")
        }
        guard !list, !json, isatty(STDIN_FILENO) != 0, Output.isTerminal else {
            destinations.show(asJSON: json)
            return
        }
        guard !destinations.rows.isEmpty else {
            destinations.show(asJSON: false)
            throw CommandError(.nothing, "There is nothing to choose from.")
        }
        guard let choice = ask(destinations) else { throw CommandError(.nothing, "Nothing was started.") }
        try await start(choice.name, microphone: choice.microphone, context: context)
    }

    private func ask(_ destinations: DestinationList) -> (name: String, microphone: Bool?)? {
        Output.note("Broadcast your screen to:")
        for (index, row) in destinations.rows.enumerated() {
            Output.note(
                "  \(row.preferred ? "*" : " ") \(index + 1)  \(row.name)  (\(row.extension)\((row.url ?? row.path).map { ", \($0)" } ?? ""))")
        }
        let standard = destinations.rows.firstIndex(where: \.preferred)
        while true {
            Output.raw("Which one? " + (standard.map { "[\($0 + 1)] " } ?? "") + "(q quits) ")
            guard let line = readLine() else { return nil }
            let answer = line.trimmingSpaces
            if answer == "q" { return nil }
            let index = answer.isEmpty ? standard : Int(answer).map { $0 - 1 } ?? destinations.rows.firstIndex { $0.name == answer }
            guard let index, destinations.rows.indices.contains(index) else {
                Output.note("There is no \"\(answer)\". Give a number from 1 to \(destinations.rows.count).")
                continue
            }
            guard microphoneButton else { return (destinations.rows[index].name, nil) }
            Output.raw("Microphone on? [y/N] ")
            guard let line = readLine() else { return nil }
            return (destinations.rows[index].name, ["y", "yes"].contains(line.trimmingSpaces.lowercased()))
        }
    }

    private func start(_ name: String, microphone: Bool?, context: CommandContext) async throws {
        var arguments = ["start", "--to", name]
        if let microphone { arguments.append(microphone ? "--mic" : "--no-mic") }
        let command = try Broadcast.parseAsRoot(arguments) as? StartCommand
        try await command?.run()
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
