import TestSupport
import Testing
import UserConfiguration

/// What a configuration and the installed extensions say together.
struct ConfigurationCheckTests {
    private func check(_ text: String, with catalog: ExtensionCatalog) throws(ConfigurationError) {
        try ConfigurationFile.parse(text, path: "/c.toml").check(with: catalog)
    }

    @Test(arguments: ["mine", "file", "clips", "stdout", "twitch", "srt", "folder-of-srt"])
    func `Everything that can be started by its name can be preferred`(name: String) async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", called: "folder-of-srt")
            try check("preferred = \"\(name)\"\n[destinations.mine]\nextension = \"srt\"", with: folder.catalog)
        }
    }

    @Test func `A preferred destination that does not exist is a fault of its line`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt")
            for name in ["twitsch", "rtmp"] {
                let fault = expectFault { () throws(ConfigurationError) in
                    try check(
                        "# a comment\npreferred = \"\(name)\"\n[destinations.mine]\nextension = \"file\"",
                        with: folder.catalog)
                }
                let known = ["mine"] + KnownService.all.map(\.name) + ["file", "stdout", "clips", "srt"]
                #expect(
                    fault
                        == ConfigurationFault(
                            path: "/c.toml", line: 2, key: "preferred", problem: .unknownDestination(name, known: known)
                        ))
            }
        }
    }

    @Test func `An extension that does not exist is a fault of its line`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt")
            let fault = expectFault { () throws(ConfigurationError) in
                try check("[destinations.mine]\n\nextension = \"str\"", with: folder.catalog)
            }
            let problem = ConfigurationFault.Problem.unknownExtension("str", known: BuiltInExtension.names + ["srt"])
            #expect(
                fault
                    == ConfigurationFault(
                        path: "/c.toml", line: 3, key: "destinations.mine.extension", problem: problem))
        }
    }

    @Test func `All names are known for hints`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt")
            let configuration = try ConfigurationFile.parse(
                "[destinations.mine]\nextension = \"file\"", path: "/c.toml")
            #expect(
                configuration.knownNames(with: folder.catalog) == ["mine", "rtmp", "file", "stdout", "clips", "srt"]
                    + KnownService.all.map(\.name))
        }
    }
}
