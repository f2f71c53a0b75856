import FoundationEssentials
import RTMP
import Session
import Upload

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Makes of what `--to` says a destination that a session can serve: a configured name, an extension, a URL, a file, or `-`.
struct DestinationResolver {
    let configuration: Configuration
    let paths: Paths
    let credentials: CredentialStore
    /// Sentences about the service's limits that the session's settings break.
    let limits: (KnownService) -> [String]
    /// `--format`, where it was given.
    let format: ContainerFormat?
    /// For names of files that are made.
    let now: Date
    /// Tells the user something that is no error.
    let notice: @Sendable (String) -> Void
    let catalog: ExtensionCatalog

    /// The destination for `target`.
    func resolve(_ target: String) throws(CommandError) -> DestinationPlan {
        if target == "-" { return stdout(name: "stdout") }
        if let destination = configuration.destination(named: target) { return try configured(destination) }
        if target.contains("://") { return try rtmp(url: target, key: nil, name: "rtmp", source: "--to") }
        switch target {
        case "file": return file(path: standardFolder, name: "file", format: format)
        case "stdout": return stdout(name: "stdout")
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
            return file(path: target, name: URLName.last(target), format: format)
        }
        let known = configuration.destinations.map(\.name) + BuiltInExtension.all.map(\.name) + catalog.names + KnownService.all().map(\.name)
        let hint = NearestName.of(target, among: known).map { "Did you mean \($0)?" } ?? "Known are \(known.joined(separator: ", "))."
        throw CommandError(
            .noInput, "There is no destination \"\(target)\". \(hint) A file needs an ending such as .mp4; see broadcast list-destinations.")
    }

    /// What is started where `--to` is not given: the preferred destination of the config, else a file.
    var standardTarget: String { configuration.preferred ?? "file" }

    private func configured(_ destination: Configuration.Destination) throws(CommandError) -> DestinationPlan {
        switch destination.extensionName {
        case "rtmp":
            if let service = destination.service.flatMap(KnownService.named) { return try known(service, as: destination) }
            return try rtmp(destination, url: destination.url ?? "", mayHoldKey: true)
        case "stdout": return stdout(name: destination.name)
        case "clips": return clips(name: destination.name)
        case "file":
            let own = try destination.format.map { name throws(CommandError) -> ContainerFormat in
                guard let format = ContainerFormat(rawValue: name) else {
                    throw CommandError(
                        .config, "\(configuration.path):\(destination.line): there is no format \"\(name)\". Use \(ContainerFormat.list).")
                }
                return format
            }
            return file(path: destination.path ?? standardFolder, name: destination.name, format: format ?? own)
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
        for (key, _) in setup.sorted(by: { $0.key < $1.key }) {
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

    /// A known service, in the config or without one.
    private func known(_ service: KnownService, as destination: Configuration.Destination?) throws(CommandError) -> DestinationPlan {
        let name = destination?.name ?? service.name
        let answers = destination?.url == nil ? try SetupInformation(paths: paths).answers(of: name) : [:]
        guard let url = destination?.url ?? answers["url"] ?? service.url else { throw Self.notSignedIn(name) }
        for warning in limits(service) { notice("Warning: " + warning) }
        let made =
            destination
            ?? Configuration.Destination(
                name: name, line: 0, extensionLine: 0, extensionName: "rtmp", service: name, url: nil, path: nil, format: nil, keyCommand: nil)
        return try rtmp(made, url: url, mayHoldKey: destination?.url != nil)
    }

    /// A destination with its own key: from its key-command, from the credential store, or in its address.
    private func rtmp(_ destination: Configuration.Destination, url: String, mayHoldKey: Bool) throws(CommandError) -> DestinationPlan {
        var key = try key(of: destination)
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
            name: name, extensionName: "rtmp", url: "\(url)", isLive: true, prefersConstantPacing: true,
            handler: RTMPHandler(url: url, caFile: caFile))
    }

    private func stdout(name: String) -> DestinationPlan {
        let format = format ?? .mpegts
        return DestinationPlan(
            name: name, extensionName: "stdout", isLive: false, prefersConstantPacing: true, takesRawVideo: format.takesRawVideo,
            takesAudio: format.takesAudio, handler: StdoutHandler(format: format))
    }

    /// Nothing is written until a clip is asked for.
    private func clips(name: String) -> DestinationPlan {
        DestinationPlan(name: name, extensionName: "clips", isLive: false, prefersConstantPacing: false, takesAudio: true, handler: ClipsHandler())
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
        if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
        return DestinationPlan(
            name: name, extensionName: "file", path: path, isLive: false, prefersConstantPacing: false, takesRawVideo: container.takesRawVideo,
            takesAudio: container.takesAudio, handler: FileHandler(path: path, format: container, notice: notice))
    }

    private var standardFolder: String {
        let videos = paths.home + "/Videos"
        return FileStatus(videos)?.isFolder == true ? videos : FileManager.default.currentDirectoryPath
    }

    /// The stream key that the destination's `key-command` prints.
    private func key(of destination: Configuration.Destination) throws(CommandError) -> String? {
        guard let command = destination.keyCommand else { return nil }
        guard let pipe = popen(command, "r") else {
            throw CommandError(.notPermitted, "The key-command of \(destination.name) cannot be run. Try it in a shell.")
        }
        var output: [UInt8] = []
        var byte = fgetc(pipe)
        while byte != EOF && output.count < 4096 {
            output.append(UInt8(truncatingIfNeeded: byte))
            byte = fgetc(pipe)
        }
        let status = pclose(pipe)
        let line = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard status == 0, !line.isEmpty else {
            throw CommandError(.notPermitted, "Not signed in to \(destination.name): its key-command gave no key. Try the command in a shell.")
        }
        return line
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
