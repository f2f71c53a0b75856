import Synchronization
import UserConfiguration

/// Secrets that are already known: those that the parent of a detached session has resolved, and the key of an address.
/// The keyring, key commands and the user are not asked again.
///
/// They are passed through a pipe or a socket, never through arguments or the environment.
package struct HandedSecrets: Codable, Sendable, Equatable {
    /// The secrets by destination and key. An empty list means that the store has no such secret.
    private var stored: [String: [String: [String]]] = [:]
    /// What key commands printed, by destination.
    private var printed: [String: String] = [:]

    package init() {}

    /// The stream key of an RTMP address on the command line.
    package init(addressKey: String) {
        add(addressKey, "key", of: DestinationResolver.addressName)
    }

    fileprivate mutating func add(_ secret: String?, _ key: String, of destination: String) {
        stored[destination, default: [:]][key] = secret.map { [$0] } ?? []
    }

    fileprivate mutating func add(printed key: String, of destination: String) {
        printed[destination] = key
    }

    fileprivate func secrets(_ key: String, of destination: String) -> [String]? { stored[destination]?[key] }
    fileprivate func printedKey(of destination: String) -> String? { printed[destination] }
}

/// Queries another source, and records its answers.
package final class SecretRecorder: SecretSource {
    private let source: any SecretSource
    private let state = Mutex(HandedSecrets())

    package init(_ source: any SecretSource) {
        self.source = source
    }

    /// The answers up to now.
    package var recorded: HandedSecrets { state.withLock { $0 } }

    package func secret(_ key: String, of destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String?
    {
        let secret = try source.secret(key, of: destination, isInterrupted: isInterrupted)
        state.withLock { $0.add(secret, key, of: destination) }
        return secret
    }

    package func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        try source.answers(of: destination)
    }

    package func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String
    {
        let key = try source.key(from: command, for: destination, isInterrupted: isInterrupted)
        state.withLock { $0.add(printed: key, of: destination) }
        return key
    }
}

/// Answers with secrets that another process has resolved, and asks another source for the others.
package struct HandedSecretSource: SecretSource {
    private let handed: HandedSecrets
    private let source: any SecretSource

    package init(_ handed: HandedSecrets, otherwise source: any SecretSource) {
        self.handed = handed
        self.source = source
    }

    package func secret(_ key: String, of destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String?
    {
        if let secrets = handed.secrets(key, of: destination) { return secrets.first }
        return try source.secret(key, of: destination, isInterrupted: isInterrupted)
    }

    package func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        try source.answers(of: destination)
    }

    package func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String
    {
        if let key = handed.printedKey(of: destination) { return key }
        return try source.key(from: command, for: destination, isInterrupted: isInterrupted)
    }
}
