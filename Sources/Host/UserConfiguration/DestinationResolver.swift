import FoundationEssentials
import Glibc
import Media
import RTMP
import Session
import Upload

/// Resolves a target of `--to` to a destination: a configured name, an extension, a URL, a file, or `-`.
package struct DestinationResolver {
    /// The state of this process's standard output.
    package enum StandardOutput: Sendable {
        case usable
        case closed
        /// A terminal cannot show media.
        case terminal
    }

    /// The name under which a source of secrets has the key of an address on the command line. No destination has this
    /// name.
    package static let addressName = "--to"

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
    /// True if the stream key of an RTMP address among the targets is a secret of `addressName`.
    package var readsAddressKey = false
    package var notice: @Sendable (ResolverNotice) -> Void = { _ in }
    /// Returns true if the user cancelled the broadcast.
    package var isInterrupted: @Sendable () -> Bool = { false }

    package init(
        configuration: Configuration, paths: Paths, secrets: any SecretSource, catalog: ExtensionCatalog,
        session: SessionConfiguration,
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
        let targets = targets.isEmpty ? configuration.standardTargets : targets
        var plans: [DestinationPlan] = []
        // Configured names are reserved first, so that they do not depend on the order of the targets.
        var taken = Set(targets.filter { hasOwnName($0) })
        for (index, target) in targets.enumerated() {
            let isNamed = hasOwnName(target)
            if isNamed, targets[..<index].contains(target) { throw .destination(.duplicate(.name(target))) }
            var plan = try resolve(target)
            try Self.check(plan, beside: plans)
            if targets[..<index].contains(target) { throw .destination(.duplicate(.name(plan.name))) }
            if !isNamed {
                plan.makeNameUnique { [name = plan.name] in taken.contains($0) || $0 != name && hasOwnName($0) }
                taken.insert(plan.name)
            }
            plans.append(plan)
        }
        try checkEffect(on: plans)
        return plans
    }

    /// Throws if another destination writes the same file, sends to the same address, or also writes standard output.
    package static func check(_ plan: DestinationPlan, beside plans: [DestinationPlan]) throws(ConfigurationError) {
        if plan.kind == .stdout && plans.contains(where: { $0.kind == .stdout }) {
            throw .destination(.duplicate(.output))
        }
        if let path = plan.path, plans.contains(where: { $0.path.map(CanonicalPath.of) == CanonicalPath.of(path) }) {
            throw .destination(.duplicate(.file(path)))
        }
        if let address = plan.address, let other = plans.first(where: { $0.address == address }) {
            if let url = plan.url ?? other.url { throw .destination(.duplicate(.address(url))) }
            throw .destination(.duplicate(.configured(other.name, plan.name)))
        }
    }

    /// Throws if a choice that is for files and standard output has no effect on any of the destinations.
    private func checkEffect(on plans: [DestinationPlan]) throws(ConfigurationError) {
        let files = plans.filter { $0.kind == .file || $0.kind == .stdout }
        if format != nil && files.isEmpty { throw .destination(.format(.withoutFile)) }
        if separatesAudio && !files.contains(where: { $0.media.audioTracks.count > 1 }) {
            throw .destination(.format(.separateTracksWithoutFile))
        }
    }

    /// The extensions that are shipped with this program. The scheme of their addresses is their name.
    private static let shippedExtensions = ["hls", "lan", "srt", "whip"]

    /// True for `-` and for the names that the system has for standard output.
    package static func isOutput(_ target: String) -> Bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(target)
    }

    /// Returns the destination for `target`.
    package func resolve(_ target: String) throws(ConfigurationError) -> DestinationPlan {
        var plan = try plan(for: target)
        let destination = configuration.destination(named: target)
        if let destination { (plan.picture.size, plan.picture.bitrate) = (destination.size, destination.bitrate) }
        plan = try complete(plan, service: destination == nil ? target : destination?.service)
        if let retries = destination?.retries, case .live(var retry?) = plan.delivery {
            retry.maximumAttempts = retries
            plan.delivery = .live(retry: retry)
        }
        return plan
    }

    /// Completes a plan: checks it against the settings of the session, and decides what the destination receives about
    /// applications. `resolve` does that; a program that describes a destination with its own values calls it.
    ///
    /// - Parameter service: the name of a known service; another name and nil have no effect.
    package func complete(_ plan: DestinationPlan, service: String?) throws(ConfigurationError) -> DestinationPlan {
        var plan = plan
        if plan.isLive && plan.media.takesVideo {
            if session.media.chroma == .yuv444 { throw .destination(.format(.fullChroma(live: plan.name))) }
            if plan.picture.bitrate == nil && session.media.rateControl?.isLossless == true {
                throw .destination(.format(.lossless(live: plan.name)))
            }
        }
        let owners = servicesAtAddress(of: plan)
        let named = service.flatMap(KnownService.named)
        if !owners.isEmpty {
            // The address decides, because a configured service can have an address elsewhere. On a server of services,
            // a stream under another name would be refused, or belong to another user.
            let owner =
                named.map { named in owners.first { $0.name == named.name } }
                ?? (owners.count == 1 ? owners[0] : nil)
            plan.lineTest = owner.flatMap { owner in
                owner.test.flatMap { plan.lineTest?.with(parameter: $0, limits: owner.limits) }
            }
        }
        let isPublic = named?.url != nil || !owners.isEmpty
        plan.applicationDetail = configuration.privacy.titles ?? (isPublic ? .windowClass : .full)
        return plan
    }

    /// Returns the plan of an extension with the answers of a program to the questions of its manifest.
    package func program(_ manifest: ExtensionManifest, answers: [String: String]) throws(ConfigurationError)
        -> DestinationPlan
    {
        if let problem = manifest.problem { throw .destination(.unsupported(name: manifest.name, problem)) }
        let own = manifest.withAbsolutePaths(answers, folder: folder, home: paths.home)
        let setup = own.merging(try extensions.network(for: manifest)) { own, _ in own }
        let launch = ExtensionLaunch(
            environment: paths.extensionEnvironment, setup: setup, clipFolder: paths.clipFolder)
        return try complete(.program(name: manifest.name, manifest: manifest, launch: launch), service: nil)
    }

    private func servicesAtAddress(of plan: DestinationPlan) -> [KnownService] {
        guard let url = plan.url, let address = try? RTMPAddress(url) else { return [] }
        return KnownService.all.filter { $0.owns(address.host) }
    }

    /// True if `target` is a configured destination or a known service, which cannot be used twice.
    private func hasOwnName(_ target: String) -> Bool {
        configuration.destination(named: target) != nil || KnownService.named(target) != nil
    }

    // MARK: Kinds of targets

    private var context: ResolverContext {
        ResolverContext(
            configuration: configuration, paths: paths, secrets: secrets, session: session, notice: notice,
            isInterrupted: isInterrupted)
    }

    private var extensions: ExtensionResolver { ExtensionResolver(context: context, folder: folder) }

    private var rtmp: RTMPResolver { RTMPResolver(context: context) }

    private var files: FileResolver {
        FileResolver(
            context: context, now: now, format: format, separatesAudio: separatesAudio, folder: folder, output: output)
    }

    /// Returns `name` if it is that of a shipped extension that is not installed.
    private func missingExtension(_ name: String) -> String? {
        Self.shippedExtensions.contains(name) && catalog.folder(of: name) == nil ? name : nil
    }

    private func plan(for target: String) throws(ConfigurationError) -> DestinationPlan {
        if Self.isOutput(target) { return try files.stdout(name: DestinationKind.stdout.name) }
        if let destination = configuration.destination(named: target) { return try configured(destination) }
        if let manifest = try catalog.manifest(for: target) { return try extensions.program(manifest, address: target) }
        if let colon = target.firstIndex(of: ":"), let missing = missingExtension(target[..<colon].lowercased()) {
            throw .destination(.notInstalled(missing))
        }
        if let colon = target.firstIndex(of: ":"),
            let manifest = try? catalog.manifest(named: target[..<colon].lowercased())
        {
            let questions = manifest.questions.map(\.key)
            throw .destination(.address(.takenByName(extension: manifest.name, questions: questions)))
        }
        if target.contains("://") { return try rtmp.plan(address: target, readsKey: readsAddressKey) }
        switch DestinationKind(name: target) {
        case .file: return files.file(path: files.standardFolder, name: target, format: format)
        case .stdout: return try files.stdout(name: target)
        case .clips: return .clips(name: target)
        case .rtmp: throw .destination(.address(.missing))
        case .program:
            if let service = KnownService.named(target) {
                if let destination = service.destination { return try configured(destination) }
                return try rtmp.known(service, as: nil)
            }
        }
        if !target.contains("/"), let manifest = try catalog.manifest(named: target) {
            return try extensions.program(manifest, name: target, setup: [:], destination: nil)
        }
        let isMistyped = MistypedAddress.matches(target, isDestination: true) { name in
            FileStatus(name.hasPrefix("/") ? name : folder + "/" + name)?.isFolder == true
        }
        if isMistyped { throw .destination(.address(.mistyped)) }
        if target.contains("/") || ContainerFormat(ending: target) != nil || format != nil
            || FileStatus(target)?.isFolder == true
        {
            try files.checkEnding(target)
            try files.makeFolder(target)
            return files.file(path: target, name: URLName.last(target), format: format)
        }
        if let missing = missingExtension(target) { throw .destination(.notInstalled(missing)) }
        let known = configuration.knownNames(with: catalog)
        if ContainerFormat.isOther(ending: target), let dot = target.lastIndex(of: ".") {
            throw .destination(.format(.unknownEnding(path: target, ending: String(target[dot...]))))
        }
        if target.contains("."), NearestName.of(target, among: known) == nil { try files.checkEnding(target) }
        throw .destination(.unknown(target, known: known))
    }

    /// The plan of an extension for a service: within its limits, unless the user chose otherwise.
    private func limited(
        _ plan: DestinationPlan, by service: KnownService, _ destination: Configuration.Destination
    ) -> DestinationPlan {
        var plan = plan
        context.noteLimits(of: service, size: destination.size, bitrate: destination.bitrate)
        plan.limits = service.limits
        if let interval = service.keyframeInterval {
            plan.media.keyframeInterval = MediaTime(seconds: interval)
        }
        return plan
    }

    private func configured(_ destination: Configuration.Destination) throws(ConfigurationError) -> DestinationPlan {
        switch destination.kind {
        case .rtmp:
            if let service = destination.service.flatMap(KnownService.named) {
                return try rtmp.known(service, as: destination)
            }
            return try rtmp.plan(for: destination)
        case .stdout: return try files.stdout(name: destination.name, format: destination.format)
        case .clips: return .clips(name: destination.name)
        case .file:
            return files.file(
                path: try files.configuredPath(of: destination), name: destination.name,
                format: format ?? destination.format)
        case .program(let extensionName):
            guard let manifest = try catalog.manifest(named: extensionName) else {
                if destination.line == 0 { throw .destination(.notInstalled(extensionName)) }
                throw .fault(
                    context.fault(
                        of: destination, "extension", line: destination.extensionLine,
                        .unknownExtension(extensionName, known: BuiltInExtension.names + catalog.names)))
            }
            let service = destination.service.flatMap(KnownService.named)
            let plan = try extensions.program(
                manifest, name: destination.name, setup: [:], destination: destination)
            return service.map { limited(plan, by: $0, destination) } ?? plan
        }
    }
}
