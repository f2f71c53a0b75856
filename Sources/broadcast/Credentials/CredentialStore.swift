import FoundationEssentials

/// Where secrets are kept: the Secret Service where one answers, else a file that only its owner may read (DESIGN section 6).
struct CredentialStore {
    private let service: SecretService
    private let folder: String

    init(service: SecretService, paths: Paths) {
        self.service = service
        folder = paths.dataFolder + "/credentials"
    }

    /// Where a secret went.
    enum Place {
        case secretService
        case file(String)
    }

    /// The destination's secret of that key; nil where there is none.
    ///
    /// Throws where there is one that can't be had: the keyring is locked.
    func secret(_ key: String, of destination: String) throws(CommandError) -> String? {
        // What is in the file is the newest: it is taken out wherever the Secret Service takes a newer one.
        if let secret = try file(of: destination).read()[key] { return secret }
        switch service.lookup(key: key, destination: destination) {
        case .done(let lines): return lines.first
        case .locked:
            throw CommandError(
                .notPermitted, "The key of \(destination) is in a keyring that is locked. Unlock it, or use key-command in the config.")
        case .absent, .unavailable: return nil
        }
    }

    /// Keeps the secrets of a destination over older ones, and says where.
    func keep(_ secrets: [String: String], of destination: String) throws(CommandError) -> Place {
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

    /// Forgets all secrets of a destination; true where there were some.
    func forget(_ destination: String) throws(CommandError) -> Bool {
        let wasInFile = try file(of: destination).remove()
        switch service.remove(destination: destination) {
        case .done: return true
        case .absent: return wasInFile
        case .unavailable where !service.isBusThere || !service.destinations().contains(destination): return wasInFile
        case .unavailable, .locked:
            throw CommandError(.unavailable, "The keyring did not forget the key of \(destination). Unlock it and try again.")
        }
    }

    /// The destinations that have secrets. Nothing is unlocked.
    func destinations() -> Set<String> {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(files.filter { !$0.hasPrefix(".") }.map(PrivateFile.destination) + service.destinations())
    }

    private func file(of destination: String) -> PrivateFile {
        PrivateFile(folder: folder, destination: destination)
    }
}
