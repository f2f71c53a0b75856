import Capture
import FoundationEssentials
import Glibc
import Media
import RTMP
import Session
import Upload

/// Makes of what `--to` says a destination that a session can serve: a configured name, an extension, a URL, a file, or `-`.
struct DestinationResolver {
    let configuration: Configuration
    let paths: Paths
    let credentials: CredentialStore
    /// What the session is made with: a service's limits may be broken by it.
    let session: SessionConfiguration
    /// `--format`, where it was given.
    let format: ContainerFormat?
    /// For names of files that are made.
    let now: Date
    /// Tells the user something that is no error.
    let notice: @Sendable (String) -> Void
    /// True once the user wants no broadcast any more.
    let isInterrupted: () -> Bool
    let catalog: ExtensionCatalog
    /// True where files get the applications' sound and the microphone as tracks of their own.
    let separatesAudio: Bool
    /// Where relative paths start.
    var folder = FileManager.default.currentDirectoryPath

    /// - Parameters:
    ///   - format: `--format`, where it was given.
    ///   - preparation: how the user is told something that is no error, and whether the broadcast is still wanted.
    init(
        _ context: CommandContext, session: SessionConfiguration, format: ContainerFormat?, separatesAudio: Bool,
        preparation: SessionHost.Preparation
    ) {
        configuration = context.configuration
        paths = context.paths
        credentials = context.credentials
        catalog = context.catalog
        self.session = session
        self.format = format
        self.separatesAudio = separatesAudio
        notice = preparation.notice
        isInterrupted = preparation.isStopWanted
        now = Date()
    }

    /// The destination for `target`.
    func resolve(_ target: String) throws(CommandError) -> DestinationPlan {
        var plan = try plan(for: target)
        if plan.isLive && plan.takesVideo && session.chroma == .yuv444 {
            throw CommandError(
                .usage,
                "\(plan.name) is live, and what is live has to be --chroma 420: 444 is for files and standard output. "
                    + "Leave out --chroma 444, or say --chroma 420 where the config says 444.")
        }
        guard let destination = configuration.destination(named: target) else { return plan }
        let size = try destination.size.map { text throws(CommandError) in try OptionValue.size(text) }
        plan.picture = PictureWishes(size: size, bitrate: destination.bitrate)
        if let retries = destination.retries { plan.retry?.maximumAttempts = retries }
        return plan
    }

    private func plan(for target: String) throws(CommandError) -> DestinationPlan {
        if target == "-" { return try stdout(name: "stdout") }
        if let destination = configuration.destination(named: target) { return try configured(destination) }
        if let manifest = catalog.manifest(for: target) { return try process(manifest, address: target) }
        if target.contains("://") { return try rtmp(url: target, key: nil, name: "rtmp", source: "--to") }
        switch target {
        case "file": return file(path: standardFolder, name: "file", format: format)
        case "stdout": return try stdout(name: "stdout")
        case "clips": return clips(name: "clips")
        case "rtmp":
            throw CommandError(.usage, "The rtmp extension needs an address: use --to rtmp://HOST/APP/KEY, or configure a destination.")
        default:
            if let service = KnownService.named(target) { return try known(service, as: nil) }
        }
        if !target.contains("/"), let manifest = try catalog.manifest(named: target) {
            return try process(manifest, name: target, setup: [:], source: "--to")
        }
        if target.contains("/") || ContainerFormat(ending: target) != nil || format != nil || FileStatus(target)?.isFolder == true {
            try checkEnding(target)
            return file(path: target, name: URLName.last(target), format: format)
        }
        let known = configuration.destinations.map(\.name) + BuiltInExtension.all.map(\.name) + catalog.names + KnownService.all().map(\.name)
        let hint = NearestName.of(target, among: known).map { "Did you mean \($0)?" } ?? "Known are \(known.joined(separator: ", "))."
        throw CommandError(
            .noInput, "There is no destination \"\(target)\". \(hint) A file needs an ending such as .mp4; see broadcast list-destinations.")
    }

    /// A file whose ending promises something else than it would hold is not made.
    private func checkEnding(_ path: String) throws(CommandError) {
        let name = URLName.last(path)
        guard format == nil, ContainerFormat(ending: name) == nil, !path.hasSuffix("/"), FileStatus(path) == nil,
            let dot = name.lastIndex(of: "."), dot != name.startIndex
        else { return }
        throw CommandError(
            .usage,
            "The ending \(name[dot...]) of \(path) says nothing of a format that is known here. "
                + "Use .mp4, .flv, .ts, .h264 or .y4m, or say which it is: --format mp4|flv|mpegts|h264|y4m.")
    }

    /// Whether `target` is a configured destination or a known service: two of it would be one and the same.
    func hasOwnName(_ target: String) -> Bool {
        configuration.destination(named: target) != nil || KnownService.named(target) != nil
    }

    /// What is started where `--to` is not given: the preferred destination of the config, else a file.
    var standardTarget: String { configuration.preferred ?? "file" }

    private func configured(_ destination: Configuration.Destination) throws(CommandError) -> DestinationPlan {
        switch destination.extensionName {
        case "rtmp":
            if let service = destination.service.flatMap(KnownService.named) { return try known(service, as: destination) }
            return try rtmp(destination, url: destination.url ?? "", mayHoldKey: true)
        case "stdout": return try stdout(name: destination.name)
        case "clips": return clips(name: destination.name)
        case "file":
            let own = destination.format.flatMap(ContainerFormat.init(rawValue:))
            return file(path: try configuredPath(of: destination), name: destination.name, format: format ?? own)
        default:
            let source = "\(configuration.path):\(destination.line): destinations.\(destination.name)"
            guard let manifest = try catalog.manifest(named: destination.extensionName) else {
                throw CommandError(
                    .config, "\(source).extension: there is no extension \"\(destination.extensionName)\". See broadcast list-extensions.")
            }
            return try process(manifest, name: destination.name, setup: destination.setup, source: source)
        }
    }

    /// An extension that is a program of its own.
    private func process(
        _ manifest: ExtensionManifest, name: String, setup: [String: String], source: String
    ) throws(CommandError) -> DestinationPlan {
        if let sentence = manifest.unsupported { throw CommandError(.config, sentence) }
        for (key, value) in setup.sorted(by: { $0.key < $1.key }) {
            guard let question = manifest.questions.first(where: { $0.key == key }) else {
                let known = manifest.questions.map(\.key)
                throw CommandError(
                    .config,
                    "\(source).setup.\(key): the extension \(manifest.name) does not ask for this. "
                        + (known.isEmpty ? "It asks for nothing." : "It asks for \(known.joined(separator: ", "))."))
            }
            if question.isSecret {
                throw CommandError(.config, "\(source).setup.\(key): this is secret and must not stand in the config. Remove it from there.")
            }
            if key == "url" && AddressPassword.stands(in: value) {
                throw CommandError(
                    .config,
                    "\(source).setup.url: the password in this address must not stand in the config. "
                        + "Give it to broadcast setup \(name), and leave it out here.")
            }
        }
        // What stands in the config goes before what `broadcast setup` was told.
        var setup = try SetupInformation(paths: paths).answers(of: name).merging(setup) { $1 }
        for question in manifest.questions where question.isSecret {
            if let secret = try credentials.secret(question.key, of: name) { setup[question.key] = secret }
        }
        if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
            guard !missing.isSecret else { throw Self.notSignedIn(name) }
            throw CommandError(.notPermitted, "Not set up: \(name) needs \(missing.key) (\(missing.prompt)). Run: broadcast setup \(name)")
        }
        return manifest.plan(
            name: name,
            launch: ExtensionLaunch(
                environment: paths.extensionEnvironment, setup: setup, clipFolder: paths.stateFolder + "/clips", log: notice))
    }

    /// An address that an extension takes by its scheme. What it keeps secret is refused in the address, where every user can read it.
    private func process(_ manifest: ExtensionManifest, address: String) throws(CommandError) -> DestinationPlan {
        if AddressPassword.stands(in: address) {
            throw CommandError(
                .usage,
                "The password in the address could be read by other users of this machine. Run: broadcast setup \(manifest.name), "
                    + "and leave user and password out of --to.")
        }
        let parts = address.split(separator: "?", maxSplits: 1)
        for parameter in parts.dropFirst().joined().split(separator: "&") {
            let key = parameter.prefix { $0 != "=" }
            guard manifest.questions.contains(where: { $0.isSecret && $0.key == key }) else { continue }
            throw CommandError(
                .usage,
                "The \(key) in the address could be read by other users of this machine. Run: broadcast setup \(manifest.name), and leave it out of --to."
            )
        }
        var plan = try process(manifest, name: manifest.name, setup: ["url": address], source: "--to")
        plan.url = parts.first.map(String.init)
        return plan
    }

    /// A known service, in the config or without one.
    private func known(_ service: KnownService, as destination: Configuration.Destination?) throws(CommandError) -> DestinationPlan {
        let name = destination?.name ?? service.name
        let answers = destination?.url == nil ? try SetupInformation(paths: paths).answers(of: name) : [:]
        guard let url = destination?.url ?? answers["url"] ?? service.url else { throw Self.notSignedIn(name) }
        for warning in warnings(about: service) { notice("Warning: " + warning) }
        let made =
            destination
            ?? Configuration.Destination(
                name: name, line: 0, extensionLine: 0, extensionName: "rtmp", service: name, url: nil, path: nil, format: nil, keyCommand: nil)
        return try rtmp(made, url: url, mayHoldKey: destination?.url != nil)
    }

    /// The limits of a service that these settings break; the size may be the screen's.
    private func warnings(about service: KnownService) -> [String] {
        var size = session.outputSize
        // Without a display the session itself will say so.
        if size == nil, case .screen(let request) = session.picture { size = try? request.currentSize() }
        return service.warnings(for: session, size: size)
    }

    /// A destination with its own key: from its key-command, from the credential store, or in its address.
    private func rtmp(_ destination: Configuration.Destination, url: String, mayHoldKey: Bool) throws(CommandError) -> DestinationPlan {
        var key = try destination.keyCommand.map { command throws(CommandError) in
            try KeyCommand(command: command, destination: destination.name).key(isInterrupted: isInterrupted)
        }
        if key == nil { key = try credentials.secret("key", of: destination.name) }
        if key == nil && !(mayHoldKey && RTMPAddress.hasKey(url)) {
            // What is wrong with the address comes before what is missing.
            _ = try rtmp(url: url, key: "key", name: destination.name, source: configuration.path, caFile: nil)
            throw Self.notSignedIn(destination.name)
        }
        return try rtmp(
            url: url, key: key, name: destination.name, source: "\(configuration.path):\(destination.line)", caFile: try caFile(of: destination))
    }

    /// The absolute path of the destination's own certificate authorities; one that cannot be read is told now, with its line.
    private func caFile(of destination: Configuration.Destination) throws(CommandError) -> String? {
        guard let written = destination.caFile else { return nil }
        let folder = configuration.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let path =
            written.hasPrefix("~/") ? paths.home + written.dropFirst() : written.hasPrefix("/") ? written : "\(folder)/\(written)"
        guard access(path, R_OK) == 0 else {
            throw CommandError(
                .config,
                "\(configuration.path):\(destination.caFileLine): destinations.\(destination.name).ca-file: cannot read \(path). "
                    + "Name a file of PEM certificates.")
        }
        return path
    }

    private static func notSignedIn(_ name: String) -> CommandError {
        CommandError(.notPermitted, "Not signed in to \(name). Run: broadcast setup \(name)")
    }

    private func rtmp(url text: String, key: String?, name: String, source: String, caFile: String? = nil) throws(CommandError) -> DestinationPlan {
        let url: RTMPURL
        do throws(RTMPURLError) {
            url = try RTMPURL(text, streamKey: key)
        } catch .unknownScheme {
            let scheme = text.prefix { $0 != ":" }
            throw CommandError(.usage, "Nothing here can send to \(scheme):// addresses (\(source)). Use rtmp://HOST/APP/KEY.")
        } catch {
            throw CommandError(source == "--to" ? .usage : .config, "\(source): \(error)")
        }
        if key == nil && source == "--to" && !RTMPAddress.isLoopback(url.host) {
            notice(
                "The stream key in the address can be read by other users of this machine. Where there are any, sign in with broadcast setup instead."
            )
        }
        return DestinationPlan(
            name: name, extensionName: "rtmp", url: "\(url)", isLive: true, prefersConstantPacing: true, retry: RetryPolicy(),
            makeHandler: { RTMPHandler(url: url, caFile: caFile) })
    }

    private func stdout(name: String) throws(CommandError) -> DestinationPlan {
        guard !StandardDescriptors.wasOutputClosed else {
            throw CommandError(.usage, "Standard output is closed, so there is nowhere to write to. Use > FILE, or --to FILE.")
        }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandError(.usage, "Standard output is a terminal, which can't show media. Write > FILE or | ffplay - behind the command.")
        }
        let format = format ?? .mpegts
        return DestinationPlan(
            name: name, extensionName: "stdout", isLive: false, prefersConstantPacing: true, takesRawVideo: format.takesRawVideo,
            audioTracks: format.takesAudio ? audioTracks(in: format) : [], makeHandler: { StdoutHandler(format: format) })
    }

    /// Nothing is written until a clip is asked for.
    private func clips(name: String) -> DestinationPlan {
        DestinationPlan(name: name, extensionName: "clips", isLive: false, prefersConstantPacing: false, makeHandler: { ClipsHandler() })
    }

    /// A file, or a new one named after the date where `path` is a folder.
    private func file(path: String, name: String, format: ContainerFormat?) -> DestinationPlan {
        var path = path.hasPrefix("~/") ? paths.home + path.dropFirst() : path
        var isFolder = false
        if let attributes = FileStatus(path) { isFolder = attributes.isFolder }
        let container: ContainerFormat
        if isFolder || path.hasSuffix("/") {
            container = format ?? .mp4
            path += (path.hasSuffix("/") ? "" : "/") + "broadcast-\(FileDate.text(now)).\(container.fileEnding)"
        } else {
            container = format ?? ContainerFormat(ending: path) ?? .mp4
        }
        if !path.hasPrefix("/") { path = folder + "/" + path }
        return DestinationPlan(
            name: name, extensionName: "file", path: path, isLive: false, prefersConstantPacing: false, takesRawVideo: container.takesRawVideo,
            audioTracks: container.takesAudio ? audioTracks(in: container) : [],
            makeHandler: { [path, notice] in FileHandler(path: path, format: container, notice: notice) })
    }

    /// The mix, or with `--audio-tracks separate` the applications and the microphone each for itself; FLV has room for one track.
    private func audioTracks(in format: ContainerFormat) -> [Track] {
        separatesAudio && format != .flv ? [.app, .mic] : [.mixed]
    }

    /// The path of a file destination in the config: a folder, unless it ends like a file or something else is there; it is made where it is
    /// missing. A relative one starts at the home folder, wherever the command is given.
    private func configuredPath(of destination: Configuration.Destination) throws(CommandError) -> String {
        guard var path = destination.path else { return standardFolder }
        if path == "~" || path.hasPrefix("~/") { path = paths.home + path.dropFirst() }
        if !path.hasPrefix("/") { path = paths.home + "/" + path }
        guard ContainerFormat(ending: path) == nil, FileStatus(path) == nil else { return path }
        guard mkdir(path, 0o777) == 0 else {
            throw CommandError(
                .cannotCreate,
                "Cannot make the folder \(path) of the destination \(destination.name): \(String(cString: strerror(errno))). "
                    + "Make it, or correct path in \(configuration.path).")
        }
        return path
    }

    private var standardFolder: String {
        let videos = paths.home + "/Videos"
        return FileStatus(videos)?.isFolder == true ? videos : folder
    }
}

/// The last part of a path.
enum URLName {
    static func last(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

/// What stat(2) says of a path; nil where nothing is there.
struct FileStatus {
    var isFolder: Bool
    var isRegularFile: Bool
    var size: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
    }
}

extension ContainerFormat {
    /// The ending of a file that is named by us.
    var fileEnding: String { self == .mpegts ? "ts" : rawValue }
    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
