import FoundationEssentials
import Glibc
import RTMP
import Session
import Upload

/// The source of secrets and setup answers for a resolver. Its calls may block, because they query a keyring, a program
/// or the user.
package protocol SecretSource: Sendable {
    /// Returns the secret of that key; nil if there is no secret.
    func secret(_ key: String, of destination: String) throws(CredentialProblem) -> String?
    /// The answers to `setup` that are not secret.
    func answers(of destination: String) throws(CredentialProblem) -> [String: String]
    /// Returns the key that a shell command prints.
    ///
    /// - Parameter isInterrupted: polled; if it returns true, the command is ended.
    func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem) -> String
}

/// A notice for the user about a destination before it starts.
package enum ResolverNotice: Sendable, Equatable {
    case limit(ServiceLimit, service: String)
    /// Other users of the machine can read the stream key in the address.
    case keyInAddress
}

/// Resolves a target of `--to` to a destination: a configured name, an extension, a URL, a file, or `-`.
package struct DestinationResolver {
    /// The state of this process's standard output.
    package enum StandardOutput: Sendable {
        case usable
        case closed
        /// A terminal cannot show media.
        case terminal
    }

    let configuration: Configuration
    let paths: Paths
    let secrets: any SecretSource
    /// The settings of the session, to check them against the limits of services.
    let session: SessionConfiguration
    let catalog: ExtensionCatalog
    /// The current time, for the names of new files.
    let now: Date
    /// The format for files and standard output that the user chose.
    package var format: ContainerFormat?
    /// True if files get the applications' sound and the microphone as separate tracks.
    package var separatesAudio = false
    /// The absolute path at which relative paths start.
    package var folder = FileManager.default.currentDirectoryPath
    package var output = StandardOutput.usable
    package var notice: @Sendable (ResolverNotice) -> Void = { _ in }
    /// Returns true if the user cancelled the broadcast.
    package var isInterrupted: @Sendable () -> Bool = { false }

    package init(
        configuration: Configuration, paths: Paths, secrets: any SecretSource, catalog: ExtensionCatalog, session: SessionConfiguration,
        now: Date = Date()
    ) {
        self.configuration = configuration
        self.paths = paths
        self.secrets = secrets
        self.catalog = catalog
        self.session = session
        self.now = now
    }

    /// Returns the destinations for `targets`, each with a unique name. Without targets, returns the preferred
    /// destination of the configuration, or a file.
    package func resolve(_ targets: [String]) throws(ConfigurationError) -> [DestinationPlan] {
        let targets = targets.isEmpty ? [configuration.preferred ?? "file"] : targets
        var plans: [DestinationPlan] = []
        // Configured names are reserved first, so that they do not depend on the order of the targets.
        var taken = Set(targets.filter { hasOwnName($0) })
        for (index, target) in targets.enumerated() {
            let isNamed = hasOwnName(target)
            if isNamed, targets[..<index].contains(target) { throw .destination(.nameTwice(target)) }
            var plan = try resolve(target)
            if plan.kind == .stdout && plans.contains(where: { $0.kind == .stdout }) { throw .destination(.outputTwice) }
            if let path = plan.path, plans.contains(where: { $0.path.map(CanonicalPath.of) == CanonicalPath.of(path) }) {
                throw .destination(.fileTwice(path))
            }
            if !isNamed {
                if taken.contains(plan.name) { plan.name = freeName(like: plan.name, taken: taken) }
                taken.insert(plan.name)
            }
            plans.append(plan)
        }
        return plans
    }

    /// Returns the destination for `target`.
    package func resolve(_ target: String) throws(ConfigurationError) -> DestinationPlan {
        var plan = try plan(for: target)
        if plan.isLive && plan.media.takesVideo && session.chroma == .yuv444 { throw .destination(.liveWithFullChroma(name: plan.name)) }
        guard let destination = configuration.destination(named: target) else { return plan }
        plan.picture = PictureRequirements(size: destination.size, bitrate: destination.bitrate)
        if let retries = destination.retries, case .live(var retry?) = plan.delivery {
            retry.maximumAttempts = retries
            plan.delivery = .live(retry: retry)
        }
        return plan
    }

    /// Returns the name with the first number that makes it unique.
    private func freeName(like name: String, taken: Set<String>) -> String {
        var number = 2
        while taken.contains("\(name)-\(number)") || hasOwnName("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }

    /// True if `target` is a configured destination or a known service, which cannot be used twice.
    private func hasOwnName(_ target: String) -> Bool {
        configuration.destination(named: target) != nil || KnownService.named(target) != nil
    }

    // MARK: Kinds of targets

    private func plan(for target: String) throws(ConfigurationError) -> DestinationPlan {
        if target == "-" { return try stdout(name: "stdout") }
        if let destination = configuration.destination(named: target) { return try configured(destination) }
        if let manifest = catalog.manifest(for: target) { return try program(manifest, address: target) }
        if target.contains("://") { return try rtmp(address: target, key: nil, name: "rtmp", source: nil) }
        switch target {
        case "file": return file(path: standardFolder, name: "file", format: format)
        case "stdout": return try stdout(name: "stdout")
        case "clips": return .clips(name: "clips")
        case "rtmp": throw .destination(.rtmpWithoutAddress)
        default:
            if let service = KnownService.named(target) { return try known(service, as: nil) }
        }
        if !target.contains("/"), let manifest = try catalog.manifest(named: target) {
            return try program(manifest, name: target, setup: [:], destination: nil)
        }
        if target.contains("/") || ContainerFormat(ending: target) != nil || format != nil || FileStatus(target)?.isFolder == true {
            try checkEnding(target)
            return file(path: target, name: URLName.last(target), format: format)
        }
        throw .destination(.unknown(target, known: configuration.knownNames(with: catalog)))
    }

    private func configured(_ destination: Configuration.Destination) throws(ConfigurationError) -> DestinationPlan {
        switch destination.extensionName {
        case "rtmp":
            if let service = destination.service.flatMap(KnownService.named) { return try known(service, as: destination) }
            return try rtmp(destination, address: destination.url ?? "", mayHoldKey: true)
        case "stdout": return try stdout(name: destination.name)
        case "clips": return .clips(name: destination.name)
        case "file": return file(path: try configuredPath(of: destination), name: destination.name, format: format ?? destination.format)
        default:
            guard let manifest = try catalog.manifest(named: destination.extensionName) else {
                throw .fault(
                    fault(
                        of: destination, "extension", line: destination.extensionLine,
                        .unknownExtension(destination.extensionName, known: BuiltInExtension.names + catalog.names)))
            }
            return try program(manifest, name: destination.name, setup: destination.setup, destination: destination)
        }
    }

    private func fault(
        of destination: Configuration.Destination, _ key: String, line: Int? = nil, _ problem: ConfigurationFault.Problem
    ) -> ConfigurationFault {
        ConfigurationFault(
            path: configuration.path, line: line ?? destination.line, key: "destinations.\(destination.name).\(key)", problem: problem)
    }

    // MARK: Extensions

    /// An extension that is a separate program.
    private func program(
        _ manifest: ExtensionManifest, name: String, setup: [String: String], destination: Configuration.Destination?
    ) throws(ConfigurationError) -> DestinationPlan {
        if let problem = manifest.problem { throw .destination(.unsupported(name: manifest.name, problem)) }
        if let destination {
            for (key, value) in setup.sorted(by: { $0.key < $1.key }) { try check(key, value, of: destination, manifest) }
        }
        // The configuration overrides the answers to `setup`.
        var setup = try credentials { () throws(CredentialProblem) in try secrets.answers(of: name) }.merging(setup) { $1 }
        for question in manifest.questions where question.isSecret {
            let secret = try credentials { () throws(CredentialProblem) in try secrets.secret(question.key, of: name) }
            if let secret { setup[question.key] = secret }
        }
        if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
            if missing.isSecret { throw .destination(.notSignedIn(name)) }
            throw .destination(.notSetUp(name, question: missing.key, prompt: missing.prompt))
        }
        return .program(
            name: name, manifest: manifest,
            launch: ExtensionLaunch(environment: paths.extensionEnvironment, setup: setup, clipFolder: paths.stateFolder + "/clips"))
    }

    private func check(
        _ key: String, _ value: String, of destination: Configuration.Destination, _ manifest: ExtensionManifest
    ) throws(ConfigurationError) {
        guard let question = manifest.questions.first(where: { $0.key == key }) else {
            throw .fault(fault(of: destination, "setup.\(key)", .notAsked(extension: manifest.name, questions: manifest.questions.map(\.key))))
        }
        if question.isSecret { throw .fault(fault(of: destination, "setup.\(key)", .isSecret)) }
        if key == "url" && AddressPassword.isPresent(in: value) {
            throw .fault(fault(of: destination, "setup.url", .passwordInAddress(destination: destination.name)))
        }
    }

    /// An address whose scheme belongs to an extension. Secrets in the address are rejected, since every user can read
    /// a command line.
    private func program(_ manifest: ExtensionManifest, address: String) throws(ConfigurationError) -> DestinationPlan {
        if AddressPassword.isPresent(in: address) { throw .destination(.passwordInAddress(extension: manifest.name)) }
        let parts = address.split(separator: "?", maxSplits: 1)
        for parameter in parts.dropFirst().joined().split(separator: "&") {
            let key = parameter.prefix { $0 != "=" }
            guard manifest.questions.contains(where: { $0.isSecret && $0.key == key }) else { continue }
            throw .destination(.secretInAddress(extension: manifest.name, key: String(key)))
        }
        var plan = try program(manifest, name: manifest.name, setup: ["url": address], destination: nil)
        plan.url = parts.first.map(String.init)
        return plan
    }

    // MARK: RTMP

    /// A known service, configured or not.
    private func known(_ service: KnownService, as destination: Configuration.Destination?) throws(ConfigurationError) -> DestinationPlan {
        let name = destination?.name ?? service.name
        let answers = destination?.url == nil ? try credentials { () throws(CredentialProblem) in try secrets.answers(of: name) } : [:]
        guard let url = destination?.url ?? answers["url"] ?? service.url else { throw .destination(.notSignedIn(name)) }
        for limit in service.limits(brokenBy: session) { notice(.limit(limit, service: service.title)) }
        let made =
            destination
            ?? Configuration.Destination(name: name, line: 0, extensionLine: 0, extensionName: "rtmp", service: name)
        return try rtmp(made, address: url, mayHoldKey: destination?.url != nil)
    }

    /// A destination with a stream key: from its key command, from the credential store, or in its address.
    private func rtmp(
        _ destination: Configuration.Destination, address: String, mayHoldKey: Bool
    ) throws(ConfigurationError) -> DestinationPlan {
        let source = "\(configuration.path):\(destination.line)"
        var key: String?
        if let command = destination.keyCommand {
            key = try credentials { () throws(CredentialProblem) in
                try secrets.key(from: command, for: destination.name, isInterrupted: isInterrupted)
            }
        }
        if key == nil { key = try credentials { () throws(CredentialProblem) in try secrets.secret("key", of: destination.name) } }
        if key == nil && !(mayHoldKey && RTMPAddress.hasKey(address)) {
            // Report an invalid address before a missing key.
            _ = try rtmp(address: address, key: "key", name: destination.name, source: configuration.path)
            throw .destination(.notSignedIn(destination.name))
        }
        return try rtmp(address: address, key: key, name: destination.name, source: source, caFile: try caFile(of: destination))
    }

    /// The absolute path of the destination's own certificate authorities.
    private func caFile(of destination: Configuration.Destination) throws(ConfigurationError) -> String? {
        guard let written = destination.caFile else { return nil }
        let folder = configuration.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let path = written.hasPrefix("~/") || written.hasPrefix("/") ? paths.expanding(written) : "\(folder)/\(written)"
        guard access(path, R_OK) == 0 else {
            throw .fault(fault(of: destination, "ca-file", line: destination.caFileLine, .unreadableCertificates(path: path)))
        }
        return path
    }

    /// - Parameter source: the origin of the address; nil for the command line.
    private func rtmp(
        address: String, key: String?, name: String, source: String?, caFile: String? = nil
    ) throws(ConfigurationError) -> DestinationPlan {
        let url: RTMPURL
        do throws(RTMPURLError) {
            url = try RTMPURL(address, streamKey: key)
        } catch .unknownScheme {
            throw .destination(.unknownScheme(String(address.prefix { $0 != ":" }), source: source))
        } catch {
            throw .destination(.notAnRTMPAddress(reason: error.description, source: source))
        }
        if key == nil && source == nil && !RTMPAddress.isLoopback(url.host) { notice(.keyInAddress) }
        return .rtmp(name: name, url: url, caFile: caFile)
    }

    // MARK: Files and standard output

    private func stdout(name: String) throws(ConfigurationError) -> DestinationPlan {
        switch output {
        case .closed: throw .destination(.outputIsClosed)
        case .terminal: throw .destination(.outputIsATerminal)
        case .usable: return .stdout(name: name, format: format ?? .mpegts, separatesAudio: separatesAudio)
        }
    }

    /// A file, or a new file named after the date if `path` is a folder.
    private func file(path: String, name: String, format: ContainerFormat?) -> DestinationPlan {
        var path = paths.expanding(path)
        let container: ContainerFormat
        if path.hasSuffix("/") || FileStatus(path)?.isFolder == true {
            container = format ?? .mp4
            path += (path.hasSuffix("/") ? "" : "/") + "broadcast-\(FileDate.text(now)).\(container.fileEnding)"
        } else {
            container = format ?? ContainerFormat(ending: path) ?? .mp4
        }
        if !path.hasPrefix("/") { path = folder + "/" + path }
        return .file(name: name, path: path, format: container, separatesAudio: separatesAudio)
    }

    /// Throws if the ending of a new file is not that of a known format, before the file is created.
    private func checkEnding(_ path: String) throws(ConfigurationError) {
        let name = URLName.last(path)
        guard format == nil, ContainerFormat(ending: name) == nil, !path.hasSuffix("/"), FileStatus(path) == nil,
            let dot = name.lastIndex(of: "."), dot != name.startIndex
        else { return }
        throw .destination(.unknownEnding(path: path, ending: String(name[dot...])))
    }

    /// The path of a configured file. It is a folder unless it has the ending of a file or something else exists there.
    /// A missing folder is created. A relative path starts at the home folder, independent of the working folder.
    private func configuredPath(of destination: Configuration.Destination) throws(ConfigurationError) -> String {
        guard let written = destination.path else { return standardFolder }
        var path = written == "~" ? paths.home : paths.expanding(written)
        if !path.hasPrefix("/") { path = paths.home + "/" + path }
        guard ContainerFormat(ending: path) == nil, FileStatus(path) == nil else { return path }
        guard mkdir(path, 0o777) == 0 else {
            throw .destination(
                .cannotCreateFolder(path: path, destination: destination.name, configuration: configuration.path, code: errno))
        }
        return path
    }

    private var standardFolder: String {
        let videos = paths.home + "/Videos"
        return FileStatus(videos)?.isFolder == true ? videos : folder
    }

    private func credentials<Value>(_ body: () throws(CredentialProblem) -> Value) throws(ConfigurationError) -> Value {
        do throws(CredentialProblem) {
            return try body()
        } catch {
            throw .destination(.credentials(error))
        }
    }
}
