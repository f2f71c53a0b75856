import ArgumentParser
import FoundationEssentials
import Glibc
import Presentation
import Processes
import Terminal
import UserConfiguration

/// `broadcast config`
struct ConfigCommand: ParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case path
        case check
        case edit
        case sample
        case get
        case set
    }

    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show, check and change the configuration.",
        discussion: """
            path: print the path of the file. check: say what is wrong in it, with its line. edit: open it in $VISUAL or \
            $EDITOR, and check it. sample: print a configuration with every setting as a comment. get KEY and set KEY \
            VALUE: print or change a key, such as video.fps, privacy.notice, destinations.mine.url or preferred; \
            comments stay. set takes several keys with their values, and changes all of them or none. A running \
            broadcast keeps its settings.
            """)

    @Argument(help: ArgumentHelp("path, check, edit, sample, get or set.", valueName: "action"))
    var action = Action.path

    @Argument(help: ArgumentHelp("The key and, for set, its value.", valueName: "key|value"))
    var words: [String] = []

    func run() throws {
        let isComplete =
            switch action {
            case .set: words.count >= 2 && words.count.isMultiple(of: 2)
            case .get: words.count == 1
            default: words.isEmpty
            }
        guard isComplete else {
            throw CommandError(.usage, ConfigurationSentences.usage(action.rawValue))
        }
        let path = CommandContext.paths.configFile
        let file = EditedConfiguration(path: path, catalog: UserEnvironment().catalog)
        switch action {
        case .path: try Output.answer(path)
        case .check: try check(path)
        case .edit: try edit(path, file)
        case .sample: try Output.answer(ConfigurationSample.text, newline: false)
        case .get: try get(words[0], file)
        case .set:
            let added = try file.set(
                stride(from: 0, to: words.count, by: 2).map { (key: words[$0], value: words[$0 + 1]) })
            for (key, value) in added { Output.note("\(key) is \(value), too.") }
        }
    }

    private func check(_ path: String) throws {
        let context = try CommandContext()
        let count = context.configuration.destinations.count
        try Output.answer(
            FileStatus(path) == nil
                ? "\(path) does not exist; the defaults apply."
                : "\(path): nothing is wrong; \(count) \(count == 1 ? "destination" : "destinations")")
    }

    private func edit(_ path: String, _ file: EditedConfiguration) throws {
        guard let editor = UserEnvironment().editor else {
            throw CommandError(.usage, "No editor is set. Set EDITOR, or edit \(path).")
        }
        try presenting { () throws(ConfigurationError) in try Paths.makeFolder(URLName.folder(of: path)) }
        let text = try presenting { () throws(ConfigurationError) in try ConfigurationFile.text(path) }
        if text == nil { try file.write(ConfigurationSample.text) }
        // The variable can contain options, so a shell reads it (environ(7)). The check follows if the editor
        // succeeded.
        let script = editor + " \"$1\" && exec \"$2\" config check"
        let words = ["sh", "-c", script, "sh", path, CommandLine.arguments[0]]
        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        Output.flush()
        signal(SIGPIPE, SIG_DFL)
        execv("/bin/sh", arguments)
        throw CommandError(.software, "The shell cannot be started: \(String(cString: strerror(errno))). Edit \(path).")
    }

    private func get(_ key: String, _ file: EditedConfiguration) throws {
        let text = try file.text()
        guard let value = try presenting({ () throws(ConfigurationError) in try text.value(of: key) }) else {
            throw CommandError(.nothing, "\(file.path) does not set \(key). Run: broadcast config sample")
        }
        // The address can contain the stream key, and a command can contain a password.
        let isCommand = key.split(separator: ".").contains("key-command")
        try Output.answer(isCommand ? "(set)" : AddressSecret.cleaning(value))
    }
}
