import CommandModels
import Testing

/// Tests the candidates and their output.
@Suite struct CompletionOutputTests {
    private func names(_ words: [String]) throws -> String? {
        let root = try #require(CommandTree(dump: CompletionLineTests.dump))
        return Completion.names(for: CompletionLine(words: words, root: root))?.text
    }

    @Test func `Subcommands have their descriptions, without hidden ones`() throws {
        #expect(try names([""]) == "values\nstart\tStart a broadcast.\nclip\tSave a clip.\nannotate")
    }

    @Test func `Options have the first sentence of their help, and a negation has the opposite`() throws {
        #expect(
            try names(["start", "--"])
                == "values\n--to\tThe destination.\n-t\tThe destination.\n--fps\n--mic\tRecord the microphone.\n--no-mic\tDo not record the microphone."
        )
    }

    @Test func `An option that is on the line is offered again only if it repeats`() throws {
        #expect(
            try names(["start", "--to", "a", "--fps", "30", "--mic", "--"])
                == "values\n--to\tThe destination.\n-t\tThe destination.")
    }

    @Test func `A value has no names, and after the last argument there is nothing`() throws {
        #expect(try names(["start", "--to", ""]) == nil)
        #expect(try names(["start", "x"]) == "values")
    }

    @Test func `A value that a terminal would not print, and one that repeats, is omitted`() {
        let completion = Completion(
            mode: .files,
            candidates: [
                .init(value: "a"), .init(value: "b\u{1b}[2J"), .init(value: "a"), .init(value: ""), .init(value: "c"),
            ])
        #expect(completion.text == "files\na\nc")
    }

    @Test func `A description is on one line and not longer than 72 columns`() throws {
        let completion = Completion.values([.init(value: "a", summary: "one\ntwo" + String(repeating: "x", count: 100))]
        )
        let line = try #require(completion.text.split(separator: "\n").last)
        #expect(line.hasPrefix("a\tone?two") && line.count == 2 + 72)
        #expect(
            Completion.values(["x", "y"]).text == "values\nx\ny" && Completion.free.text == "values"
                && Completion(mode: .folders).text == "folders")
    }
}
