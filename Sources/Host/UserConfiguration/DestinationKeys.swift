import Upload

/// Which keys of `[destinations.NAME]` each extension reads. A key that is not read is an error, because it looks as if
/// it had an effect.
package enum DestinationKeys {
    /// All keys that exist.
    package static let all = [
        "extension", "service", "url", "path", "format", "key-command", "setup", "size", "bitrate", "retries",
        "ca-file",
    ]

    /// The names under which users look for a place for the stream key.
    static let streamKeys = ["key", "stream-key", "stream_key", "streamkey"]

    /// The keys that a built-in extension reads, or that a separate program can read.
    static func read(by kind: DestinationKind) -> [String] {
        switch kind {
        case .rtmp: ["extension", "service", "url", "key-command", "ca-file", "retries", "size", "bitrate"]
        case .file: ["extension", "path", "format", "size", "bitrate"]
        case .stdout: ["extension", "format", "size", "bitrate"]
        case .clips: ["extension", "size", "bitrate"]
        case .program: ["extension", "setup", "url", "key-command", "ca-file", "retries", "size", "bitrate"]
        }
    }

    /// The keys that the extension with this manifest reads.
    static func read(by manifest: ExtensionManifest) -> [String] {
        var keys = ["extension"]
        if !manifest.questions.isEmpty { keys.append("setup") }
        for key in ["url", "ca-file"] where manifest.questions.contains(where: { $0.key == key }) { keys.append(key) }
        if manifest.questions.contains(where: \.isSecret) { keys.append("key-command") }
        return keys + ["retries"] + (manifest.takesVideo ? ["size", "bitrate"] : [])
    }
}

extension Configuration.Destination {
    /// True if the extension is the one that reaches the known service.
    var isOfService: Bool { service.flatMap(KnownService.named)?.kind == kind }

    /// The answers in the configuration to questions of an extension: `setup`, `url` and `ca-file`.
    ///
    /// - Parameter caFile: the absolute path for `ca-file`.
    package func answers(caFile: String? = nil) -> [String: String] {
        var answers = setup
        if let url { answers["url"] = url }
        if let caFile = caFile ?? self.caFile { answers["ca-file"] = caFile }
        return answers
    }

    /// All shell commands that print secrets, in the order of their keys.
    package var allKeyCommands: [String] {
        (keyCommand.map { [$0] } ?? []) + keyCommands.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The shell commands that print the secrets of an extension, by question. A single command prints the only secret,
    /// or the one that is called `key`.
    package func keyCommands(for manifest: ExtensionManifest) -> [String: String] {
        var commands = keyCommands
        let secrets = manifest.questions.filter(\.isSecret).map(\.key)
        if let keyCommand, let key = secrets.contains("key") ? "key" : secrets.first { commands[key] = keyCommand }
        return commands
    }

    /// Throws for the first key that the extension does not read, or reads twice, and for a secret that does not belong
    /// in the configuration.
    ///
    /// - Parameter path: of the configuration.
    func check(against manifest: ExtensionManifest, path: String) throws(ConfigurationFault) {
        func fault(_ key: String, _ problem: ConfigurationFault.Problem) -> ConfigurationFault {
            ConfigurationFault(
                path: path, line: lines[key] ?? line, key: "destinations.\(name).\(key)", problem: problem)
        }
        let known = DestinationKeys.read(by: manifest) + (isOfService ? ["service"] : [])
        let unread = lines.filter { !known.contains($0.key) && !$0.key.contains(".") }
        if let key = unread.min(by: { $0.value < $1.value })?.key {
            throw fault(key, .notRead(extension: manifest.name, reads: known))
        }
        for key in ["url", "ca-file"] where lines[key] != nil && setup[key] != nil {
            throw fault(key, .givenTwice(other: "setup.\(key)"))
        }
        let secrets = manifest.questions.filter(\.isSecret).map(\.key)
        for key in keyCommands.keys.sorted() where !secrets.contains(key) {
            throw fault("key-command.\(key)", .notAsked(extension: manifest.name, questions: secrets))
        }
        if keyCommand != nil && secrets.count > 1 && !secrets.contains("key") {
            throw fault("key-command", .severalSecrets(secrets))
        }
        for (key, value) in answers().sorted(by: { $0.key < $1.key }) {
            let place = setup[key] == nil ? key : "setup.\(key)"
            guard let question = manifest.questions.first(where: { $0.key == key }) else {
                throw fault(place, .notAsked(extension: manifest.name, questions: manifest.questions.map(\.key)))
            }
            if question.isSecret { throw fault(place, .isSecret) }
            if key == "url", let secret = AddressSecret.first(in: value, questions: secrets) {
                throw fault(place, .secretInAddress(secret, destination: name))
            }
        }
    }
}
