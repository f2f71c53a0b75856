import TestSupport
import Testing
import UserConfiguration

/// Setup answers that a test gives.
private struct FakeAnswers: SetupAnswers {
    var answers: [String: [String: String]] = [:]
    var watch: [String: String] = [:]

    func knownAnswers(of destination: String) -> [String: String] { answers[destination] ?? [:] }
    func watchURL(of destination: String) -> String? { watch[destination] }
}

struct DestinationListTests {
    /// - Parameter lacking: the secrets that are not stored, as `NAME/KEY`.
    private func entries(
        _ text: String, preferred: String? = nil, signedIn: Set<String> = [], lacking: Set<String> = [],
        information: FakeAnswers = FakeAnswers(), in folder: TemporaryFolder
    ) throws -> [DestinationList.Entry] {
        let configuration = try ConfigurationFile.parse(text, path: "/c.toml")
        return DestinationList(
            configuration: configuration, catalog: folder.catalog, preferred: preferred, signedIn: signedIn,
            hasSecret: { key, destination in !lacking.contains("\(destination)/\(key)") }, information: information
        ).entries
    }

    @Test func `Configured destinations are listed without anything secret`() async throws {
        let text = """
            preferred = "whole"
            [destinations.films]
            extension = "file"
            path = "~/Films"
            [destinations.open]
            extension = "rtmp"
            url = "rtmp://host/app"
            [destinations.service]
            service = "twitch"
            key-command = "show"
            [destinations.whole]
            extension = "rtmp"
            url = "rtmp://host/app/the_key"
            """
        try await withTemporaryFolder { folder in
            let list = try entries(text, information: FakeAnswers(watch: ["open": "https://w.example/"]), in: folder)
            #expect(list.map(\.name) == ["films", "open", "service", "whole"])
            #expect(list.map(\.kind.name) == ["file", "rtmp", "rtmp", "rtmp"])
            #expect(list.map(\.isSignedIn) == [nil, false, true, true])
            #expect(list.map(\.isPreferred) == [false, false, false, true])
            #expect(list.map(\.path) == ["~/Films", nil, nil, nil])
            #expect(list.map(\.watchURL) == [nil, "https://w.example/", nil, nil])
            #expect(
                list[2].service == "twitch"
                    && list[2].url?.hasPrefix("rtmps://ingest.global-contribute.live-video.net/app") == true)
            #expect(list[1].url?.hasPrefix("rtmp://host/app") == true)
            #expect(list.allSatisfy { $0.url?.contains("the_key") != true })
        }
    }

    @Test func `A destination with a stored secret is signed in, and a preference overrides the configuration's`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let text =
                "preferred = \"b\"\n[destinations.a]\nextension = \"rtmp\"\nurl = \"rtmp://host/app\"\n[destinations.b]\nextension = \"file\""
            let list = try entries(text, preferred: "a", signedIn: ["a"], in: folder)
            #expect(list.map(\.isSignedIn) == [true, nil] && list.map(\.isPreferred) == [true, false])
        }
    }

    @Test func `Services that the user signed in to are listed once`() async throws {
        try await withTemporaryFolder { folder in
            let list = try entries(
                "[destinations.twitch]\nservice = \"twitch\"", preferred: "kick",
                signedIn: ["twitch", "kick", "custom"],
                information: FakeAnswers(answers: ["custom": ["url": "rtmp://answer.example/app"]]), in: folder)
            #expect(list.map(\.name) == ["twitch", "custom", "kick"])
            #expect(list.map(\.isSignedIn) == [true, true, true] && list.map(\.isPreferred) == [false, false, true])
            #expect(list[1].url?.hasPrefix("rtmp://answer.example/app") == true && list[1].service == "custom")
        }
    }

    @Test func `A user of an RTMP server is signed in with a key and a password`() async throws {
        let text = """
            [destinations.mine]
            extension = "rtmp"
            url = "rtmp://host/app"
            [destinations.printed]
            extension = "rtmp"
            url = "rtmp://host/app"
            key-command = "show"
            [destinations.film]
            extension = "file"
            """
        try await withTemporaryFolder { folder async throws in
            let users = FakeAnswers(answers: [
                "mine": ["user": "a"], "printed": ["user": "a"], "film": ["user": "a"], "twitch": ["user": "a"],
            ])
            func signedIn(lacking: Set<String>) throws -> [Bool?] {
                let list = try entries(
                    text, signedIn: ["mine", "twitch"], lacking: lacking, information: users, in: folder)
                return ["mine", "printed", "film", "twitch"].map { name in list.first { $0.name == name }?.isSignedIn }
            }
            #expect(try signedIn(lacking: []) == [true, true, nil, true])
            #expect(try signedIn(lacking: ["mine/key", "printed/key", "twitch/key"]) == [false, true, nil, false])
            #expect(
                try signedIn(lacking: ["mine/password", "printed/password", "twitch/password"]) == [
                    false, false, nil, false,
                ])
        }
    }

    @Test func `Extensions that were set up are listed`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("asks", "[[setup]]\nkey = \"url\"")
            try folder.writeExtension("plain")
            try folder.writeExtension("secret", "[[setup]]\nkey = \"token\"\nsecret = true\nrequired = true")
            try folder.writeExtension("unused", "[[setup]]\nkey = \"url\"")
            let information = FakeAnswers(answers: ["asks": ["url": "u"]], watch: ["asks": "https://w.example/"])
            let list = try entries("", preferred: "secret", signedIn: ["secret"], information: information, in: folder)
            #expect(list.map(\.name) == ["asks", "secret"] && list.map(\.kind.name) == ["asks", "secret"])
            #expect(list.map(\.isSignedIn) == [nil, true] && list.map(\.isPreferred) == [false, true])
            #expect(list.map(\.watchURL) == ["https://w.example/", nil])
            let configured = try entries(
                "[destinations.secret]\nextension = \"secret\"", signedIn: ["secret"], in: folder)
            #expect(configured.map(\.name) == ["secret"] && configured[0].isSignedIn == nil)
        }
    }
}
