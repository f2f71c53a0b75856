import ArgumentParser
import CommandModels
import Foundation
import Presentation
import Testing
import broadcast

/// The short help and the topics: they name what the program has.
struct HelpTests {
    private static let root = CommandTree(dump: Broadcast._dumpHelp())
    private static let pages = try? String(
        contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../man/pages.toml"), encoding: .utf8)

    @Test(arguments: ShortHelp.options.keys.sorted())
    func `The short help of a command has options that exist, and fits a terminal`(command: String) throws {
        let tree = try #require(Self.root?.subcommands?.first { $0.commandName == command })
        let wanted = try #require(ShortHelp.options[command])
        for name in wanted { #expect(tree.named(name) != nil, "\(name)") }
        let text = try #require(ShortHelp.text(for: [command, "-h"], root: Self.root))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 40 && lines.allSatisfy { $0.count <= 80 })
        for name in wanted { #expect(text.contains("\n  \(name)")) }
        #expect(text.contains("broadcast \(command) --help"))
    }

    @Test func `The short help names each command, and --help stays the long one`() throws {
        let text = try #require(ShortHelp.text(for: ["-h"], root: nil))
        for command in try #require(Self.root).visibleSubcommands where command.commandName != "help" {
            #expect(text.contains(command.commandName), "\(command.commandName)")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
        for arguments in [["--help"], ["start", "--help"], ["stop", "-h"], ["start", "--", "-h"], []] {
            #expect(ShortHelp.text(for: arguments, root: Self.root) == nil)
        }
    }

    @Test(arguments: HelpTopic.allCases) func `A topic fits a terminal, and no subcommand has its name`(
        topic: HelpTopic
    ) throws {
        #expect(HelpTopic(arguments: ["help", topic.rawValue]) == topic)
        #expect(HelpTopic(arguments: ["help"]) == nil && HelpTopic(arguments: ["help", "start"]) == nil)
        let text = topic.text(configurationFile: "/home/ann/.config/broadcast/config.toml")
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(try #require(Self.root).visibleSubcommands.allSatisfy { $0.commandName != topic.rawValue })
    }

    @Test func `The topics have the variables and the statuses of the manual`() throws {
        let pages = try #require(Self.pages)
        let environment = try #require(pages.firstMatch(of: /(?s)environment = \[\n(.*?)\n\]/)).1
        let variables = environment.matches(of: /(?m)^    \["([A-Z_, ]+)",/).map { String($0.1) }
        #expect(Set(HelpTopic.variables.map(\.names)) == Set(variables) && variables.count > 5)
        let table = try #require(pages.firstMatch(of: /(?s)\[status\]\n(.*?)\n\n/)).1
        let statuses = table.matches(of: #/(?m)^(\d+) = /#).compactMap { Int32($0.1) }
        #expect(ExitStatus.meanings.map(\.status.rawValue).filter { $0 < 129 } == statuses)
    }
}
