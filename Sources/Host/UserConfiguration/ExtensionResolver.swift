import Media
import Session
import Upload

/// Resolves destinations of extensions that are separate programs.
struct ExtensionResolver {
    let context: ResolverContext
    /// The absolute path at which relative paths on the command line start.
    let folder: String

    /// An extension that is a separate program.
    func program(
        _ manifest: ExtensionManifest, name: String, setup: [String: String], destination: Configuration.Destination?,
        origin: ExtensionLaunch.SettingsOrigin = .configuration
    ) throws(ConfigurationError) -> DestinationPlan {
        if let problem = manifest.problem { throw .destination(.unsupported(name: manifest.name, problem)) }
        var setup = setup
        if let destination {
            do throws(ConfigurationFault) {
                try destination.check(against: manifest, path: context.configuration.path)
            } catch {
                throw .fault(error)
            }
            setup.merge(destination.answers(caFile: try context.caFile(of: destination))) { $1 }
        }
        let commands = destination?.keyCommands(for: manifest) ?? [:]
        // The configuration and the address override the answers to `setup`.
        let given = setup
        setup = try context.answers(of: name).merging(given) { $1 }
        // A secret is for the server that it was stored with, and for no other one.
        let stored = try context.answers(of: name)["url"]
        let isElsewhere = origin == .address && !Self.isSameServer(stored, given["url"])
        for question in manifest.questions where question.isSecret && given[question.key] == nil && !isElsewhere {
            if let command = commands[question.key] {
                setup[question.key] = try context.key(from: command, for: name)
                continue
            }
            let secret = try context.secret(question.key, of: name)
            if let secret { setup[question.key] = secret }
        }
        if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
            if missing.isSecret { throw .destination(.notSignedIn(name)) }
            throw .destination(.notSetUp(name, question: missing.key, prompt: missing.prompt))
        }
        // As for a configured file: independent of the working folder.
        setup = manifest.withAbsolutePaths(setup, folder: context.paths.home, home: context.paths.home)
        setup.merge(try network(for: manifest)) { own, _ in own }
        return .program(
            name: name, manifest: manifest,
            launch: ExtensionLaunch(
                environment: context.paths.extensionEnvironment, setup: setup, origin: origin,
                clipFolder: context.paths.clipFolder))
    }

    /// True if both addresses have the same host and port, or nothing is stored.
    private static func isSameServer(_ stored: String?, _ given: String?) -> Bool {
        func authority(_ text: String) -> Substring {
            let rest = text.firstRange(of: "//").map { text[$0.upperBound...] } ?? text[...]
            return rest.prefix { !"/?#".contains($0) }
        }
        guard let stored, let given else { return true }
        return authority(stored).lowercased() == authority(given).lowercased()
    }

    /// Returns the settings of the network, as keys of the extension's setup. An extension that asks for `url` and does
    /// not support one of them is rejected, because its connections would not use the user's setting. An extension
    /// without that question is assumed to make no connections.
    func network(for manifest: ExtensionManifest) throws(ConfigurationError) -> [String: String] {
        var answers = context.session.networkAnswers
        for setting in ["proxy", "bind", "ip-version"]
        where answers[setting] != nil && !manifest.network.contains(setting) {
            guard !manifest.questions.contains(where: { $0.key == "url" }) else {
                throw .destination(.networkNotSupported(manifest.name, setting: setting))
            }
            answers[setting] = nil
        }
        guard answers["proxy"] != nil else { return answers.filter { !$0.key.hasPrefix("proxy") } }
        if context.session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
        return answers
    }

    /// An address whose scheme belongs to an extension. Secrets in the address are rejected, because the shell keeps
    /// command lines. An SRT stream identifier is a usual part of addresses: it is treated as the answer to its
    /// question.
    func program(_ manifest: ExtensionManifest, address: String) throws(ConfigurationError) -> DestinationPlan {
        var address = address
        var given: [String: String] = [:]
        if let question = manifest.questions.first(where: { $0.isSecret && $0.key == "stream-id" }),
            let value = AddressSecret.take("streamid", from: &address)
                ?? AddressSecret.take("srt_streamid", from: &address)
        {
            given[question.key] = String(decoding: PercentEncoding.decode(value[...]), as: UTF8.self)
        }
        if let secret = AddressSecret.first(in: address, questions: manifest.secretKeys) {
            throw .destination(.address(.secret(secret, extension: manifest.name)))
        }
        given["url"] = address
        given = manifest.withAbsolutePaths(given, folder: folder, home: context.paths.home)
        var plan = try program(manifest, name: manifest.name, setup: given, destination: nil, origin: .address)
        plan.url = AddressSecret.shortened(given["url"] ?? address)
        return plan
    }
}

extension SessionConfiguration {
    /// The settings of the network by their keys in an extension's setup (docs/protocols.md).
    fileprivate var networkAnswers: [String: String] {
        var answers: [String: String] = [:]
        switch route.proxy {
        case .socks5(let host, let port): answers["proxy"] = "socks5://\(Self.bracketed(host)):\(port)"
        case .http(let host, let port): answers["proxy"] = "http://\(Self.bracketed(host)):\(port)"
        case nil: break
        }
        answers["proxy-user"] = route.proxyCredentials?.user
        answers[ExtensionManifest.proxyPasswordKey] = route.proxyCredentials?.password
        switch route.source {
        case .address(let address): answers["bind"] = address
        case .interface(let name): answers["bind"] = name
        case nil: break
        }
        if route.version != .any { answers["ip-version"] = route.version.rawValue }
        return answers
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

extension ExtensionManifest {
    /// The keys of the secret questions.
    fileprivate var secretKeys: [String] { questions.filter(\.isSecret).map(\.key) }
}
