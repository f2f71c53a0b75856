import Credentials
import Foundation
import Synchronization
import Testing
import UserConfiguration

/// Secrets that the parent of a detached session passes on.
struct HandedSecretsTests {
    /// A source that counts the questions.
    private final class Source: SecretSource {
        let questions = Mutex<[String]>([])

        func secret(_ key: String, of destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
            -> String?
        {
            questions.withLock { $0.append("\(key) of \(destination)") }
            if destination == "locked" { throw .keyringLocked(destination: destination) }
            return key == "key" ? "secret of \(destination)" : nil
        }

        func answers(of destination: String) throws(CredentialProblem) -> [String: String] { ["url": destination] }

        func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
            -> String
        {
            questions.withLock { $0.append(command) }
            return "printed for \(destination)"
        }
    }

    @Test func `Resolved secrets are handed over, and their source is not queried again`() throws {
        let first = Source()
        let recorder = SecretRecorder(first)
        #expect(try recorder.secret("key", of: "mine") == "secret of mine")
        #expect(try recorder.secret("token", of: "mine") == nil)
        #expect(try recorder.key(from: "pass show", for: "cmd", isInterrupted: { false }) == "printed for cmd")
        #expect(throws: CredentialProblem.keyringLocked(destination: "locked")) {
            try recorder.secret("key", of: "locked")
        }

        let bytes = try JSONEncoder().encode(recorder.recorded)
        let second = Source()
        let handed = HandedSecretSource(try JSONDecoder().decode(HandedSecrets.self, from: bytes), otherwise: second)
        #expect(try handed.secret("key", of: "mine") == "secret of mine")
        // That there is none is known too.
        #expect(try handed.secret("token", of: "mine") == nil)
        #expect(try handed.key(from: "pass show", for: "cmd", isInterrupted: { false }) == "printed for cmd")
        #expect(second.questions.withLock { $0 } == [])

        #expect(try handed.secret("key", of: "other") == "secret of other")
        #expect(try handed.key(from: "echo", for: "mine", isInterrupted: { false }) == "printed for mine")
        #expect(try handed.answers(of: "mine") == ["url": "mine"])
        #expect(second.questions.withLock { $0 } == ["key of other", "echo"])
    }
}
