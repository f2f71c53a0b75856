import FoundationEssentials
import UserConfiguration

/// Stores secrets in the Secret Service if one answers, otherwise in a file that only its owner may read
/// (`docs/protocols.md`). Its calls block.
package struct CredentialStore {
    /// The maximum length of a secret in bytes.
    package static let maximumSecret = 65_536

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

    /// Returns the destination's secret of that key; nil if there is no secret, or if no Secret Service is available.
    ///
    /// - Parameter isInterrupted: polled while the keyring asks the user; if it returns true, the call throws
    ///   `keyringInterrupted`.
    /// - Throws: if the keyring is locked or does not answer, if the call is interrupted, or if the file cannot be
    ///   read.
    package func secret(_ key: String, of destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String?
    {
        // A secret in the file is the newest: it is deleted when the Secret Service stores a newer one.
        if let secret = try file(of: destination).read()[key] { return secret }
        switch service.lookup(key: key, destination: destination, isInterrupted: isInterrupted) {
        case .done(let lines): return lines.first
        case .locked: throw .keyringLocked(destination: destination)
        case .silent: throw .keyringSilent(destination: destination)
        case .interrupted: throw .keyringInterrupted(destination: destination)
        case .absent, .unavailable: return nil
        }
    }

    /// Stores the secrets of a destination in the Secret Service, replaces older ones, and returns the place. If the
    /// service cannot store them, they go into a file if the user allows that.
    package func keep(_ secrets: [String: String], of destination: String, asking user: StorageUser)
        throws(CredentialProblem) -> Place
    {
        try Self.check(secrets)
        let file = file(of: destination)
        let state = service.state()
        if state == .asks { user.keyringAsks() }
        var older = try file.read()
        if state == .ready || state == .asks {
            let isStored = secrets.sorted { $0.key < $1.key }.allSatisfy { key, secret in
                guard case .done = service.store(secret, key: key, destination: destination, asksUser: state == .asks)
                else { return false }
                older[key] = nil
                return true
            }
            if isStored {
                try file.write(older)
                return .secretService
            }
        }
        let problem: KeyringProblem =
            switch state {
            case .unavailable: .absent
            case .silent: .silent
            case .ready, .asks: .refused
            }
        guard user.allowsFile(file.path, problem) else { throw .notStored(destination: destination, problem) }
        return try keepInFile(secrets, of: destination)
    }

    /// Stores the secrets in a file that only the user can read.
    package func keepInFile(_ secrets: [String: String], of destination: String) throws(CredentialProblem) -> Place {
        try Self.check(secrets)
        let file = file(of: destination)
        try file.write(try file.read().merging(secrets) { $1 })
        return .file(file.path)
    }

    /// Control characters but ends of lines and tabs are no part of a secret, and C strings end at a NUL: the secret
    /// would be another one when it is read.
    private static func check(_ secrets: [String: String]) throws(CredentialProblem) {
        for (key, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            let isText = secret.unicodeScalars.allSatisfy {
                "\t\r\n".unicodeScalars.contains($0) || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
            guard isText else { throw .controlCharacter(key: key) }
        }
    }

    /// Deletes all secrets of a destination. Returns true if there were any.
    package func forget(_ destination: String) throws(CredentialProblem) -> Bool {
        let wasInFile = try file(of: destination).remove()
        switch service.remove(destination: destination) {
        case .done: return true
        case .absent: return wasInFile
        case .unavailable
        where !service.isBusThere || !service.destinations(among: [destination]).contains(destination): return wasInFile
        case .unavailable, .locked, .interrupted:
            throw .keyringKeepsSecret(destination: destination)
        case .silent: throw .keyringSilent(destination: destination)
        }
    }

    /// Deletes one secret of a destination, if there is such a secret.
    package func forget(_ key: String, of destination: String) throws(CredentialProblem) {
        let file = file(of: destination)
        var secrets = try file.read()
        if secrets.removeValue(forKey: key) != nil { try file.write(secrets) }
        switch service.remove(key: key, destination: destination) {
        case .done, .absent: return
        case .unavailable where !service.has(key: key, destination: destination): return
        case .unavailable, .locked, .interrupted: throw .keyringKeepsSecret(destination: destination)
        case .silent: throw .keyringSilent(destination: destination)
        }
    }

    /// True if the destination has a secret of that key. It does not unlock the keyring.
    package func has(_ key: String, of destination: String) -> Bool {
        (try? file(of: destination).read()[key]) != nil || service.has(key: key, destination: destination)
    }

    /// The destinations that have secrets. It does not unlock the keyring.
    ///
    /// - Parameter candidates: the destinations to look for in a locked keyring, which does not list its secrets.
    package func destinations(among candidates: [String]) -> Set<String> {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            files.filter { !$0.hasPrefix(".") }.map(PrivateFile.destination) + service.destinations(among: candidates))
    }

    private func file(of destination: String) -> PrivateFile {
        PrivateFile(folder: folder, destination: destination)
    }
}

/// The user who stores a secret.
package struct StorageUser {
    /// Called before the keyring asks the user in a dialog.
    package var keyringAsks: () -> Void
    /// Returns true if the secrets may be written to the file at this path, since the keyring cannot store them.
    package var allowsFile: (_ path: String, KeyringProblem) -> Bool

    package init(keyringAsks: @escaping () -> Void, allowsFile: @escaping (_ path: String, KeyringProblem) -> Bool) {
        self.keyringAsks = keyringAsks
        self.allowsFile = allowsFile
    }
}

extension CredentialStore: SecretSource {
    package func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        try information.answers(of: destination)
    }

    package func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String
    {
        try KeyCommand(command: command, destination: destination).key(isInterrupted: isInterrupted)
    }
}
