import CommandModels
import Testing

/// Tests what the last word of a command line can be.
@Suite struct CompletionLineTests {
    /// A program with the commands `start`, `stop` and a hidden one.
    static let dump = """
        {"command": {"commandName": "broadcast", "shouldDisplay": true, "arguments": [
            {"kind": "flag", "names": [{"kind": "long", "name": "version"}], "isRepeating": false, "shouldDisplay": true, "abstract": "Show the version."}
        ], "subcommands": [
            {"commandName": "start", "abstract": "Start a broadcast.", "shouldDisplay": true, "arguments": [
                {"kind": "option", "names": [{"kind": "long", "name": "to"}, {"kind": "short", "name": "t"}], "isRepeating": true,
                 "shouldDisplay": true, "valueName": "destination", "abstract": "The destination. Repeat it."},
                {"kind": "option", "names": [{"kind": "long", "name": "fps"}], "isRepeating": false, "shouldDisplay": true},
                {"kind": "flag", "names": [{"kind": "long", "name": "mic"}, {"kind": "long", "name": "no-mic"}], "isRepeating": false,
                 "shouldDisplay": true, "abstract": "Record the microphone."},
                {"kind": "option", "names": [{"kind": "long", "name": "secret"}], "isRepeating": false, "shouldDisplay": false}
            ]},
            {"commandName": "clip", "abstract": "Save a clip.", "shouldDisplay": true, "arguments": [
                {"kind": "positional", "isRepeating": false, "shouldDisplay": true, "valueName": "file"}
            ]},
            {"commandName": "annotate", "shouldDisplay": true, "arguments": [
                {"kind": "positional", "isRepeating": true, "shouldDisplay": true, "valueName": "pair"}
            ]},
            {"commandName": "internal", "shouldDisplay": false}
        ]}}
        """

    private func line(_ words: [String]) throws -> CompletionLine {
        CompletionLine(words: words, root: try #require(CommandTree(dump: Self.dump)))
    }

    /// A short text for the target: `subcommand`, `option`, `nothing`, or the name of the argument.
    private func target(_ words: String...) throws -> String {
        switch try line(words).target {
        case .subcommand: "subcommand"
        case .option: "option"
        case .nothing: "nothing"
        case .value(let argument): argument.names?.first?.text ?? argument.valueName ?? ""
        }
    }

    @Test func `The first word is a subcommand or an option of the program`() throws {
        #expect(try target("") == "subcommand" && target("st") == "subcommand" && target("--v") == "option")
        #expect(try target("unknown", "") == "nothing" && target("internal", "") == "nothing")
    }

    @Test func `The word after an option is its value`() throws {
        #expect(try target("start", "--to", "") == "--to" && target("start", "-t", "x") == "--to")
        #expect(try target("start", "--to=") == "--to" && target("start", "--fps=3") == "--fps")
        #expect(try target("start", "--mic", "--") == "option")
    }

    @Test func `Without positional arguments, an empty word is an option`() throws {
        #expect(try target("start", "") == "option" && target("start", "x") == "nothing")
    }

    @Test func `Positional arguments are counted, and the last one can repeat`() throws {
        #expect(
            try target("clip", "") == "file" && target("clip", "a", "b") == "nothing"
                && target("clip", "a", "") == "option")
        #expect(try target("annotate", "a=1", "b=2", "c") == "pair")
    }

    @Test func `After two dashes there are no options`() throws {
        #expect(try target("clip", "--", "-x") == "file" && target("clip", "--", "a", "") == "nothing")
    }

    @Test func `The options of the line have their last values`() throws {
        let line = try line(["start", "--to", "a", "-t", "b", "--fps=60", "--mic", "other", ""])
        #expect(line.options == ["--to": "b", "-t": "b", "--fps": "60", "--mic": "", "--no-mic": ""])
        #expect(line.positionals == ["other"] && line.command.commandName == "start")
    }

    @Test(arguments: ["", "{}", "{\"command\": {}}", "no JSON"])
    func `A description that cannot be read gives no tree`(dump: String) {
        #expect(CommandTree(dump: dump) == nil)
    }
}
