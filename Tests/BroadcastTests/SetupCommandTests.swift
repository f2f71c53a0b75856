import ArgumentParser
import Credentials
import Presentation
import TestSupport
import Testing
import UserConfiguration
import broadcast

/// The answers in the options of `broadcast setup`. Standard input of the tests is empty.
struct SetupCommandTests {
    /// The answers, or the error, of `broadcast setup NAME ARGUMENTS`.
    private func answers(
        _ name: String, _ arguments: [String], configuration text: String = ""
    ) async throws -> Result<[String: String], CommandError> {
        try await withTemporaryFolder { folder in
            let configuration = try ConfigurationFile.parse(text, path: "/c.toml")
            let paths = Paths(environment: ["HOME": folder.path])
            let target = try SetupTarget(
                name, configuration: configuration, catalog: ExtensionCatalog(folders: [folder.path]), paths: paths)
            let command = try SetupCommand.parse([name] + arguments)
            do throws(CommandError) {
                return .success(try command.given(for: target))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func `Each answer in an option has its key, and the last one of a key is valid`() async throws {
        let given = try await answers(
            "custom", ["--set", "url=rtmp://one/app", "--set", "user=a=b", "--set", "url=rtmp://two/app"])
        #expect(try given.get() == ["url": "rtmp://two/app", "user": "a=b"])
        #expect(try await answers("custom", ["--set", "user="]).get() == ["user": ""])
        #expect(try await answers("twitch", []).get() == [:])
    }

    @Test(arguments: [
        (["--set", "url"], "--set takes KEY=VALUE"), (["--set", "=value"], "--set takes KEY=VALUE"),
        (["--set", "key=hunter2"], "Other users can read a secret on the command line"),
        (["--set", "colour=hunter2"], "custom does not ask for colour. It asks for url, key, user, password."),
        (["--set", "url=rtmp://example.net/app/hunter2"], "The last part of the address can be the stream key"),
        (["--set", "url=rtmp://user:hunter2@example.net/app"], ""),
        (["--secret-from-stdin", "url"], "url is not secret"),
        (["--secret-from-stdin", "colour"], "custom does not ask for colour"),
        (["--secret-from-stdin", "key", "--secret-from-stdin", "key"], "--secret-from-stdin key is given twice"),
    ])
    func `A wrong answer is a usage error that repeats no secret`(arguments: [String], begin: String) async throws {
        guard case .failure(let error) = try await answers("custom", arguments) else {
            Issue.record("\(arguments) are accepted")
            return
        }
        #expect(
            error.status == .usage && error.message.hasPrefix(begin) && !error.message.contains("hunter2"),
            "\(error.message)")
    }

    @Test func `An address of the configuration is not asked for`() async throws {
        let configuration = "[destinations.home]\nservice = \"custom\"\nurl = \"rtmp://127.0.0.1/live\"\n"
        guard
            case .failure(let error) = try await answers(
                "home", ["--set", "url=rtmp://one/app"], configuration: configuration)
        else {
            Issue.record("The address is accepted")
            return
        }
        #expect(error.message == "home does not ask for url. It asks for key, user, password.")
    }
}
