import FoundationEssentials
import UserConfiguration

/// Stores secrets in the Secret Service if one answers, otherwise in a file that only its owner may read
/// (`docs/protocols.md`). Its calls block.
package struct CredentialStore {
    private let service: SecretService
    private let folder: String
    /// The answers to `setup` that are not secret.
    package let information: SetupInformation

    package init(service: SecretService, paths: Paths) {
        self.service = service
        information = SetupInformation(paths: paths)
        folder = paths.dataFolder + "/credentials"
    }

    /// The place where a secret was stored.
    package enum Place {
        case secretService
        case file(String)
    }

    /// Returns the destination's secret of that key; nil if there is no secret.
    ///
    /// Throws if the secret cannot be read because the keyring is locked.
    package func secret(_ key: String, of destination: String) throws(CredentialProblem) -> String? {
        // A secret in the file is the newest: it is deleted when the Secret Service stores a newer one.
        if let secret = try file(of: destination).read()[key] { return secret }
        switch service.lookup(key: key, destination: destination) {
        case .done(let lines): return lines.first
        case .locked:
            throw .keyringLocked(destination: destination)
        case .absent, .unavailable: return nil
        }
    }

    /// Stores the secrets of a destination, replaces older ones, and returns the place.
    package func keep(_ secrets: [String: String], of destination: String) throws(CredentialProblem) -> Place {
        let file = file(of: destination)
        var older = try file.read()
        var isInService = true
        for (key, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            guard isInService, case .done = service.store(secret, key: key, destination: destination) else {
                isInService = false
                break
            }
            older[key] = nil
        }
        guard !isInService else {
            try file.write(older)
            return .secretService
        }
        try file.write(older.merging(secrets) { $1 })
        return .file(file.path)
    }

    /// Deletes all secrets of a destination. Returns true if there were any.
    package func forget(_ destination: String) throws(CredentialProblem) -> Bool {
        let wasInFile = try file(of: destination).remove()
        switch service.remove(destination: destination) {
        case .done: return true
        case .absent: return wasInFile
        case .unavailable where !service.isBusThere || !service.destinations().contains(destination): return wasInFile
        case .unavailable, .locked:
            throw .keyringKeepsSecret(destination: destination)
        }
    }

    /// The destinations that have secrets. It does not unlock the keyring.
    package func destinations() -> Set<String> {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(files.filter { !$0.hasPrefix(".") }.map(PrivateFile.destination) + service.destinations())
    }

    private func file(of destination: String) -> PrivateFile {
        PrivateFile(folder: folder, destination: destination)
    }
}

extension CredentialStore: SecretSource {
    package func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        try information.answers(of: destination)
    }

    package func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem) -> String {
        try KeyCommand(command: command, destination: destination).key(isInterrupted: isInterrupted)
    }
}
