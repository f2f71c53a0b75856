import Credentials
import TestSupport
import Testing
import UserConfiguration

struct SetupInformationTests {
    @Test func `Answers and the address for viewers are kept apart`() async throws {
        try await withTemporaryFolder { folder in
            let information = SetupInformation(paths: Paths(environment: ["HOME": folder.path]))
            #expect(try information.answers(of: "mine") == [:] && information.storedWatchURL(of: "mine") == nil)
            try information.keep(["watch_url": "an answer"], of: "mine")
            try information.keep(watchURL: "https://w.example/", of: "mine")
            #expect(try information.answers(of: "mine") == ["watch_url": "an answer"])
            #expect(try information.storedWatchURL(of: "mine") == "https://w.example/")
            #expect(
                information.knownAnswers(of: "mine") == ["watch_url": "an answer"]
                    && information.watchURL(of: "mine") == "https://w.example/")
            try information.keep(watchURL: nil, of: "mine")
            #expect(try information.storedWatchURL(of: "mine") == nil)
        }
    }

    @Test func `One answer of several is deleted alone`() async throws {
        try await withTemporaryFolder { folder in
            let information = SetupInformation(paths: Paths(environment: ["HOME": folder.path]))
            #expect(try !information.forget("user", of: "mine"))
            try information.keep(["url": "u", "user": "ann"], of: "mine")
            #expect(try information.forget("user", of: "mine") && information.answers(of: "mine") == ["url": "u"])
            #expect(try !information.forget("user", of: "mine"))
        }
    }

    @Test func `A list omits answers that cannot be read`() async throws {
        try await withTemporaryFolder { folder in
            let information = SetupInformation(paths: Paths(environment: ["HOME": folder.path]))
            for name in ["setup", "watch"] {
                try folder.write("damaged", to: ".local/share/broadcast/\(name)/mine.toml")
            }
            #expect(throws: CredentialProblem.self) { try information.answers(of: "mine") }
            #expect(throws: CredentialProblem.self) { try information.storedWatchURL(of: "mine") }
            #expect(information.knownAnswers(of: "mine") == [:] && information.watchURL(of: "mine") == nil)
        }
    }
}
