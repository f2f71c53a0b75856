import Control
import Credentials
import Host
import Presentation
import TestSupport
import Testing
import Upload
import UserConfiguration

/// What `setup`, `list-destinations` and `check-extension` write.
struct SetupSentencesTests {
    /// The answers of a user that a setup program stored.
    private struct Answers: SetupAnswers {
        func knownAnswers(of destination: String) -> [String: String] { [:] }
        func watchURL(of destination: String) -> String? { destination == "studio" ? "https://h/watch" : nil }
    }

    @Test func `The place of the key is named for each service`() throws {
        let twitch = try #require(KnownService.all.first { $0.name == "twitch" })
        #expect(SetupSentences.keyPlace(twitch) == "The key is shown at: \(twitch.keyPlace)")
        var own = twitch
        own.url = nil
        #expect(SetupSentences.keyPlace(own) == "Ask the server's administrator for the address and the key.")
    }

    @Test func `The choice names configured destinations, services and extensions, each once`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("web")
            try folder.write(
                "name = \"web\"\nexec = \"/bin/true\"\nmode = \"samples\"\n", to: "web/extension.toml", mode: 0o600)
            let configuration = try ConfigurationFile.parse(
                "[destinations.studio]\nextension = \"file\"\n[destinations.twitch]\nservice = \"twitch\"\n",
                path: "/c.toml")
            let text = SetupSentences.choice(configuration, ExtensionCatalog(folders: [folder.path]))
            #expect(text.hasPrefix("Name what to set up, as in broadcast setup twitch. Known are studio, twitch, "))
            #expect(
                text.hasSuffix(", web.") && text.split(separator: " ").filter { $0.hasPrefix("twitch,") }.count == 1)
            #expect(SentenceRules.violation(of: text) == nil)
        }
    }

    @Test func `A secret goes into a file only after a question that says why`() {
        #expect(
            SetupSentences.fileQuestion("/s/secrets.toml", .absent)
                == "No Secret Service answers. Store the secret in /s/secrets.toml, which only you can read? [y/N]")
        #expect(SentenceRules.violation(of: SetupSentences.keyringAsks) == nil)
    }

    @Test func `Missing answers are named with the options that give them`() {
        let url = SetupQuestion(key: "url", prompt: "Address", isSecret: false, isAsked: true)
        let key = SetupQuestion(key: "key", prompt: "Stream key", isSecret: true, isAsked: true)
        #expect(
            SetupSentences.noTerminal("custom", [url, key], besides: 0)
                == "There is no terminal to ask on. Run broadcast setup custom in a terminal, "
                + "or answer with --set url=VALUE --secret-from-stdin key.")
        #expect(
            SetupSentences.noTerminal("custom", [key], besides: 1)
                == "There is no terminal to ask on. Run broadcast setup custom in a terminal, or answer with --secret-from-stdin key. "
                + "Several --secret-from-stdin read one line of standard input each, in their order.")
        #expect(
            SetupSentences.incomplete("custom", [url, key])
                == "Stored. custom still needs url and key. Run: broadcast setup custom --set url=VALUE --secret-from-stdin key"
        )
        #expect(SentenceRules.violation(of: SetupSentences.passwordWithoutUser) == nil)
    }

    @Test func `The rows of destinations have the keys that scripts read`() throws {
        let text = """
            [destinations.studio]
            extension = "rtmp"
            url = "rtmp://h/app/s3cret"
            [destinations.archive]
            extension = "file"
            path = "/v"
            """
        let list = DestinationList(
            configuration: try ConfigurationFile.parse(text, path: "/c.toml"), catalog: ExtensionCatalog(folders: []),
            preferred: "archive",
            signedIn: [], missingPrograms: [:], information: Answers())
        let rows = list.entries.map { String(decoding: ControlJSON.encode(DestinationRow($0)), as: UTF8.self) }
        #expect(rows.count == 2)
        #expect(
            rows.last
                == #"{"extension":"rtmp","name":"studio","preferred":false,"signed_in":true,"url":"rtmp://h/app/…","watch_url":"https://h/watch"}"#
        )
        #expect(rows.first == #"{"extension":"file","name":"archive","path":"/v","preferred":true}"#)
    }

    @Test func `The findings about an extension are sentences without duplicates`() {
        let outcome = ExtensionTrial.Outcome(
            findings: [
                .violation(.notAReply), .violation(.notAReply), .failed(.extension(name: "web", .closedInput)),
                .failedWithoutPicture(.extension(name: "web", .endedWithError(.exited(1), folder: "/e"))),
            ], callCount: 10, byteCount: 1000)
        #expect(
            outcome.sentences(extension: "web") == [
                "The extension web wrote something to standard output that is not a reply. "
                    + "It must write one JSON object per line; see man 7 broadcast-extension.",
                "The extension web closed its standard input before the broadcast ended. See broadcast logs.",
                "If a broadcast ends before its first picture: The extension web ended with an error (exit status 1). "
                    + "See broadcast logs, or run: broadcast check-extension /e",
            ])
    }

    @Test func `An extension without findings is said to follow the protocol`() {
        var outcome = ExtensionTrial.Outcome(findings: [], callCount: 10, byteCount: 12_300_000)
        let sentence =
            "web follows the protocol: 10 samples and calls (pause, resume, annotate, a gap) and a finish, "
            + "12.3 MB on its standard input; then a broadcast without a picture."
        #expect(outcome.sentence(extension: "web") == sentence && outcome.sentences(extension: "web").isEmpty)
        outcome.watchURL = "https://h/watch"
        let watched = sentence + " It can be watched at https://h/watch."
        #expect(outcome.sentence(extension: "web") == watched)
        outcome.viewers = 1
        outcome.commentCount = 1
        outcome.lastComment = ViewerComment(name: "Ada", text: "Hello!")
        #expect(
            outcome.sentence(extension: "web")
                == watched + " It reported 1 viewer. It passed on one comment by Ada: Hello!")
        outcome.viewers = 3
        outcome.commentCount = 2
        #expect(
            outcome.sentence(extension: "web")
                == watched + " It reported 3 viewers. It passed on 2 comments, the last one by Ada: Hello!")
    }
}
