import ArgumentParser
import CommandModels
import Session
import Testing
import UserConfiguration
import broadcast

/// The values that completion offers. What it reads from an X server, PulseAudio and sessions is tested end to end.
struct CompletionValuesTests {
    /// The options whose values come from an X server or PulseAudio.
    private static let ofDevices: Set = ["monitor", "region", "window", "hide", "app-source", "mic-source"]

    private func root() throws -> CommandTree { try #require(CommandTree(dump: Broadcast._dumpHelp())) }

    /// The completion of the last of `words`, which must be a value.
    private func completion(_ words: String...) async throws -> Completion? {
        let root = try root()
        let line = CompletionLine(words: words, root: root)
        guard case .value(let argument) = line.target else {
            Issue.record("\(words) do not end in a value")
            return nil
        }
        return await CompletionValues(line: line, root: root).completion(of: argument)
    }

    private func values(_ words: String...) async throws -> [String] {
        let root = try root()
        let line = CompletionLine(words: words, root: root)
        guard case .value(let argument) = line.target else { return [] }
        return await CompletionValues(line: line, root: root).completion(of: argument)?.candidates.map(\.value) ?? []
    }

    @Test func `Every option of every command has values, or is known to be free text`() async throws {
        let root = try root()
        var count = 0
        for command in root.visibleSubcommands {
            for argument in command.visibleArguments where argument.kind == "option" {
                guard let name = argument.names?.first(where: { $0.kind == "long" }),
                    !Self.ofDevices.contains(name.name)
                else { continue }
                let line = CompletionLine(words: [command.commandName, name.text, ""], root: root)
                let completion = await CompletionValues(line: line, root: root).completion(of: argument)
                #expect(completion != nil, "\(command.commandName) \(name.text)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test(arguments: [
        "size", "fps", "preset", "latency", "chroma", "frame-pacing", "audio-bitrate", "duration", "clip-buffer",
        "audio-tracks",
    ])
    func `Start accepts every value that is offered for an option`(option: String) async throws {
        let offered = try await values("start", "--" + option, "")
        #expect(!offered.isEmpty)
        for value in offered {
            #expect(throws: Never.self, "--\(option) \(value)") {
                _ = try SessionConfiguration(
                    StartCommand.parse(["--" + option, value]).sessionSettings(), over: Configuration(path: "/c.toml"))
            }
        }
    }

    @Test func `Files are offered where a file can be, folders for extensions`() async throws {
        for words in [["start", "--y4m"], ["start", "--wav"], ["start", "--to"], ["clip"], ["preview"]] {
            let root = try root()
            let line = CompletionLine(words: words + [""], root: root)
            guard case .value(let argument) = line.target else {
                Issue.record("\(words) take no value")
                continue
            }
            #expect(await CompletionValues(line: line, root: root).completion(of: argument)?.mode == .files, "\(words)")
        }
        #expect(try await completion("check-extension", "")?.mode == .folders)
    }

    @Test func `Destinations of start and setup contain the known services`() async throws {
        for words in [("start", "--to"), ("picker", "--preferred")] {
            #expect(try await values(words.0, words.1, "").contains("twitch"), "\(words)")
        }
        #expect(try await values("setup", "").contains("twitch"))
        #expect(try await values("start", "--to", "").contains("rtmps://"))
    }

    @Test func `The questions of a service are offered by whether they are secret`() async throws {
        #expect(try await values("setup", "custom", "--set", "") == ["url=", "user="])
        #expect(try await values("setup", "custom", "--secret-from-stdin", "") == ["key", "password"])
        #expect(try await values("mic", "") == ["on", "off", "toggle"])
    }

    @Test func `Config offers the keys, and the values of a key`() async throws {
        #expect(try await values("config", "").contains("set"))
        for words in [("get", ""), ("set", "")] {
            let keys = try await values("config", words.0, words.1)
            #expect(keys.contains("video.fps") && keys.contains("privacy.notice") && keys.contains("preferred"))
        }
        #expect(try await values("config", "set", "video.fps", "").contains("60"))
        #expect(try await values("config", "set", "video.fps", "60", "").contains("video.size"))
        #expect(try await values("config", "set", "video.bitrate", "").isEmpty)
        #expect(try await values("config", "get", "video.fps", "").isEmpty)
        #expect(try await completion("doctor", "")?.mode != .files)
        #expect(try await values("doctor", "").contains("twitch"))
    }

    @Test func `Help offers the commands that help lists`() async throws {
        let offered = try await values("help", "")
        #expect(offered.contains("start") && !offered.contains("complete"))
        #expect(offered.contains("rules") && offered.contains("statuses"))
    }
}
