import ArgumentParser
import Capture
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

/// `broadcast list-sources`
struct ListSourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-sources", abstract: "List the screen and the sources of sound that can be captured.")

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Answer in JSON.")
    var json = false

    private struct Answer: Encodable {
        struct Screen: Encodable {
            var display: String
            var width: Int
            var height: Int
        }
        struct Sound: Encodable {
            var name: String
            var description: String
            var monitor: Bool
            var `default`: Bool
        }
        var screens: [Screen]
        var audio: [Sound]
    }

    func run() throws {
        var answer = Answer(screens: [], audio: [])
        var problem: CaptureError?
        do throws(CaptureError) {
            let screen = try X11Connection.describe(display: source.display)
            answer.screens = [.init(display: screen.name, width: screen.size.width, height: screen.size.height)]
        } catch {
            problem = error
        }
        let sounds = PulseSourceList.fetch()
        answer.audio = (sounds ?? []).map { .init(name: $0.name, description: $0.description, monitor: $0.isMonitor, default: $0.isDefault) }
        if let problem, sounds == nil { throw CommandError(.noInput, problem.description) }
        if json {
            try Output.answer(ControlJSON.encode(answer, pretty: true))
        } else {
            var rows = answer.screens.map { ["screen", $0.display, "\($0.width)x\($0.height)"] }
            rows += answer.audio.map { [$0.monitor ? "app" : "mic", $0.name, $0.description + ($0.default ? " (default)" : "")] }
            try Output.answer(TextTable.text(rows))
        }
        if let problem { Output.note("broadcast: " + problem.description) }
        if sounds == nil { Output.note("broadcast: No PulseAudio server answers; a broadcast would be silent.") }
    }
}
