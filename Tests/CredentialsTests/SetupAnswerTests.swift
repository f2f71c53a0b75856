import Credentials
import Testing

struct SetupAnswerTests {
    private let questions = [
        SetupQuestion(key: "url", prompt: "Address", isSecret: false, isAsked: true),
        SetupQuestion(key: "token", prompt: "Token", isSecret: true, isAsked: true),
        SetupQuestion(key: "title", prompt: "Title", isSecret: false, isAsked: true, isRequired: false),
    ]

    private func problem(_ json: String, older: [String: String] = [:], hasSecrets: Bool = false) throws -> SetupProblem
        .Answer?
    {
        let answer = try #require(SetupAnswer(Array(json.utf8)))
        return answer.problem(with: questions, older: older, hasSecrets: hasSecrets)
    }

    @Test func `An answer has settings, secrets and the address for viewers`() throws {
        let answer = try #require(
            SetupAnswer(
                Array(
                    #"{"setup":{"url":"u"},"secrets":{"token":"t"},"watch_url":"https://w.example/","other":[1]}"#.utf8)
            ))
        #expect(answer.setup == ["url": "u"])
        #expect(answer.secrets == ["token": "t"])
        #expect(answer.watchUrl == "https://w.example/")
        #expect(answer.error == nil)
    }

    @Test func `A setup program can report why there is no answer`() throws {
        let answer = try #require(SetupAnswer(Array(#"{"error":{"code":401,"message":"Expired"}}"#.utf8)))
        #expect(answer.error?.code == 401)
        #expect(answer.error?.message == "Expired")
    }

    @Test(arguments: ["", "hello", "[]", "{", #"{"setup":{"url":1}}"#, #"{"error":{}}"#, "{}{}"])
    func `Anything else is not an answer`(text: String) {
        #expect(SetupAnswer(Array(text.utf8)) == nil)
    }

    @Test func `An answer to each required question is enough`() throws {
        #expect(try problem(#"{"setup":{"url":"u"},"secrets":{"token":"t"}}"#) == nil)
        #expect(
            try problem(
                #"{"setup":{"url":"u","title":"x"},"secrets":{"token":"t"},"watch_url":"http://w.example/a?b#c"}"#)
                == nil)
    }

    @Test func `Older answers and stored secrets count`() throws {
        #expect(try problem("{}", older: ["url": "u"], hasSecrets: true) == nil)
        #expect(try problem("{}", older: ["url": "u", "token": "t"]) == nil)
        #expect(try problem(#"{"setup":{"url":""}}"#, older: ["url": "u"], hasSecrets: true) == .missing(key: "url"))
    }

    @Test func `A required answer can be missing`() throws {
        #expect(try problem("{}") == .missing(key: "url"))
        #expect(try problem(#"{"setup":{"url":"u"}}"#) == .missing(key: "token"))
        #expect(try problem(#"{"setup":{"url":"u"},"secrets":{"token":""}}"#) == .missing(key: "token"))
    }

    @Test func `A key that the manifest does not declare is named`() throws {
        #expect(try problem(#"{"setup":{"url":"u","extra":"x"},"secrets":{"token":"t"}}"#) == .undeclared(key: "extra"))
        #expect(try problem(#"{"setup":{"url":"u"},"secrets":{"token":"t","more":"x"}}"#) == .undeclared(key: "more"))
    }

    @Test func `A secret belongs to the secrets, and nothing else does`() throws {
        #expect(try problem(#"{"setup":{"url":"u","token":"t"}}"#) == .secretInTheOpen(key: "token"))
        #expect(try problem(#"{"secrets":{"url":"u","token":"t"}}"#) == .notASecret(key: "url"))
    }

    @Test(arguments: [
        "w.example", "ftp://w.example/", "javascript:alert(1)", "https://w.example/a b", "https://w.example/\\n",
        "https://ä.example/",
    ])
    func `Viewers get an https or http address`(address: String) throws {
        #expect(
            try problem(#"{"setup":{"url":"u"},"secrets":{"token":"t"},"watch_url":"\#(address)"}"#) == .notAnAddress)
    }

    @Test func `An address for viewers has a limit`() throws {
        let long = "https://w.example/" + String(repeating: "a", count: 2000)
        #expect(try problem(#"{"setup":{"url":"u"},"secrets":{"token":"t"},"watch_url":"\#(long)"}"#) == .notAnAddress)
    }
}
