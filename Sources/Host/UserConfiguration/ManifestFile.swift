import FoundationEssentials
import Glibc
import Media
import Processes
import Upload

/// Reads an extension's `extension.toml`. Errors contain the file, the line and the key.
package enum ManifestFile {
    /// Reads the manifest in `folder`, an absolute path. Throws the first error.
    package static func load(folder: String) throws(ConfigurationError) -> ExtensionManifest {
        let (manifest, problems) = examine(folder: folder)
        if let problem = problems.first { throw problem }
        guard let manifest else { throw .manifest(.empty(path: folder + "/extension.toml")) }
        return manifest
    }

    /// Returns the manifest in `folder`, if it can be read, and all its errors.
    package static func examine(folder: String) -> (manifest: ExtensionManifest?, problems: [ConfigurationError]) {
        let path = folder + "/extension.toml"
        var problems = [folder, path].compactMap(foreign).map { ConfigurationError.manifest($0) }
        if problems.isEmpty, let problem = replaceable(path) { problems.append(.manifest(problem)) }
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
        else {
            return (nil, problems + [.manifest(.unreadable(path: path))])
        }
        let (manifest, faults) = parse(text, folder: folder)
        problems += faults
        if let manifest {
            let programs =
                [("exec", manifest.executable)] + (manifest.setupExecutable.map { [("setup-exec", $0)] } ?? [])
            for (key, program) in programs {
                guard let problem = check(program, key: key, path: path).map(ConfigurationError.manifest) else {
                    continue
                }
                // Two programs, or a program and its manifest, can have the same folder.
                if !problems.contains(problem) { problems.append(problem) }
            }
        }
        return (manifest, problems)
    }

    /// Returns the valid schemes of the manifest in `folder`, in lower case, even if the manifest has errors.
    package static func declaredSchemes(folder: String) -> [String] {
        let path = folder + "/extension.toml"
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self),
            let document = try? TOMLDocument(text, path: path)
        else { return [] }
        let schemes = try? ConfigurationSection(document: document, path: path, name: []).strings("schemes")
        return (schemes ?? []).filter(isScheme).map { $0.lowercased() }
    }

    private static func check(_ program: String, key: String, path: String) -> ManifestProblem? {
        guard access(program, X_OK) == 0, FileStatus(program)?.isRegularFile == true else {
            return .notExecutable(path: path, key: key, program: program)
        }
        return foreign(program) ?? replaceable(program)
    }

    /// Parses a manifest from `text`. Returns nil if an essential part is missing, and all errors.
    package static func parse(_ text: String, folder: String) -> (
        manifest: ExtensionManifest?, problems: [ConfigurationError]
    ) {
        let path = folder + "/extension.toml"
        let document: TOMLDocument
        do throws(ConfigurationError) {
            document = try TOMLDocument(text, path: path)
        } catch {
            return (nil, [error])
        }
        let root = ConfigurationSection(document: document, path: path, name: [])
        var faults = FaultCollector()
        let manifest = Self.manifest(root, folder: folder, &faults)
        return (manifest, faults.all.map { .fault($0) })
    }

    private static func manifest(_ root: ConfigurationSection, folder: String, _ faults: inout FaultCollector)
        -> ExtensionManifest?
    {
        let known = [
            "name", "version", "description", "exec", "mode", "video", "audio", "tracks", "container", "clip-duration",
            "schemes", "network", "profile", "keyframe-interval",
            "setup", "setup-exec",
        ]
        for fault in root.faults(allowing: known) { faults.add(fault) }
        let name = faults.collect { () throws(ConfigurationFault) in try Self.name(root) }
        let program = faults.collect { () throws(ConfigurationFault) in try required("exec", in: root) }
        let mode = faults.collect { () throws(ConfigurationFault) in try Self.mode(root) }
        var manifest = ExtensionManifest(
            name: name ?? "", folder: folder, executable: absolute(program ?? "", in: folder), mode: mode ?? .samples)
        manifest.description =
            faults.collect { () throws(ConfigurationFault) in try root.string("description") ?? "" } ?? ""
        manifest.version = faults.collect { () throws(ConfigurationFault) in try root.string("version") } ?? nil
        if let video = faults.choice("video", of: ExtensionManifest.Video.self, in: root) { manifest.video = video }
        if let audio = faults.choice("audio", of: ExtensionManifest.Audio.self, in: root) { manifest.audio = audio }
        if let container = faults.choice("container", of: ExtensionManifest.Container.self, in: root) {
            manifest.container = container
        }
        let tracks = faults.collect { () throws(ConfigurationFault) in
            try root.strings("tracks", oneOf: ["screen", "app", "mic", "mixed"])
        }
        manifest.tracks = (tracks ?? nil) ?? manifest.tracks
        let duration = faults.collect { () throws(ConfigurationFault) in
            try root.number("clip-duration", in: 0.1...3600)
        }
        manifest.clipDuration = (duration ?? nil) ?? manifest.clipDuration
        manifest.questions = faults.collect { () throws(ConfigurationFault) in try questions(root) } ?? []
        manifest.schemes =
            faults.collect { [manifest] () throws(ConfigurationFault) in try schemes(root, asking: manifest.questions) }
            ?? []
        manifest.profile = faults.choice("profile", of: VideoProfile.self, in: root)
        let interval = faults.collect { () throws(ConfigurationFault) in
            try root.number("keyframe-interval", in: 0.1...60)
        }
        manifest.keyframeInterval = interval ?? nil
        let network = faults.collect { () throws(ConfigurationFault) in
            try root.strings("network", oneOf: ["proxy", "bind", "ip-version"])
        }
        manifest.network = (network ?? nil) ?? []
        let setup = faults.collect { () throws(ConfigurationFault) in try root.string("setup-exec") }
        manifest.setupExecutable = (setup ?? nil).map { absolute($0, in: folder) }
        faults.collect { [manifest] () throws(ConfigurationFault) in try checkSense(of: manifest, root) }
        return name == nil || program == nil || mode == nil ? nil : manifest
    }

    /// The errors of a manifest, in the order in which they were found.
    private struct FaultCollector {
        private(set) var all: [ConfigurationFault] = []

        mutating func add(_ fault: ConfigurationFault) {
            all.append(fault)
        }

        /// Returns the choice of that key; nil if it is missing or invalid.
        mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
            _ key: String, of type: Choice.Type, in section: ConfigurationSection
        ) -> Choice? {
            collect { () throws(ConfigurationFault) -> Choice? in try section.choice(key) } ?? nil
        }

        /// Returns the result of `body`; if it throws, stores the error and returns nil.
        @discardableResult
        mutating func collect<Value>(_ body: () throws(ConfigurationFault) -> Value) -> Value? {
            do throws(ConfigurationFault) {
                return try body()
            } catch {
                all.append(error)
                return nil
            }
        }
    }

    /// Throws if the parts of a manifest contradict each other.
    private static func checkSense(of manifest: ExtensionManifest, _ root: ConfigurationSection)
        throws(ConfigurationFault)
    {
        if manifest.setupExecutable != nil && manifest.questions.isEmpty {
            throw root.fault("setup-exec", .noQuestions)
        }
        if !manifest.takesVideo && (manifest.mode == .clips || manifest.audioTracks.isEmpty) {
            throw root.fault("tracks", manifest.mode == .clips ? .clipsWithoutScreen : .nothingToSend)
        }
    }

    private static func name(_ root: ConfigurationSection) throws(ConfigurationFault) -> String {
        let name = try required("name", in: root)
        guard !name.isEmpty, name.utf8.allSatisfy({ isNameByte($0) }), !name.hasPrefix("-") else {
            throw root.fault("name", .notAName)
        }
        if BuiltInExtension.all.contains(where: { $0.name == name }) { throw root.fault("name", .nameIsBuiltIn(name)) }
        return name
    }

    private static func mode(_ root: ConfigurationSection) throws(ConfigurationFault) -> ExtensionManifest.Mode {
        let modes = ExtensionManifest.Mode.allCases.map(\.rawValue)
        guard let mode = ExtensionManifest.Mode(rawValue: try root.string("mode", oneOf: modes) ?? "") else {
            throw root.fault("mode", .missing(.oneOf(modes)))
        }
        return mode
    }

    private static func questions(_ root: ConfigurationSection) throws(ConfigurationFault) -> [ExtensionManifest
        .Question]
    {
        var questions: [ExtensionManifest.Question] = []
        for section in try root.sections("setup") {
            try section.allow([
                "key", "prompt", "secret", "required", "path", "in-watch-url", "pattern", "form",
            ])
            let key = try required("key", in: section)
            questions.append(
                .init(
                    key: key, prompt: try section.string("prompt") ?? key,
                    isSecret: try section.boolean("secret") ?? false,
                    isRequired: try section.boolean("required") ?? false, isPath: try section.boolean("path") ?? false,
                    isInWatchURL: try section.boolean("in-watch-url") ?? false, form: try form(section)))
        }
        return questions
    }

    private static func form(_ section: ConfigurationSection) throws(ConfigurationFault) -> AnswerForm? {
        guard let pattern = try section.string("pattern") else { return nil }
        let description = try required("form", in: section)
        guard let form = AnswerForm(pattern: pattern, description: description) else {
            throw section.fault("pattern", .notAPattern(pattern))
        }
        return form
    }

    private static func schemes(
        _ root: ConfigurationSection, asking questions: [ExtensionManifest.Question]
    ) throws(ConfigurationFault) -> [String] {
        guard let schemes = try root.strings("schemes") else { return [] }
        for scheme in schemes where !isScheme(scheme) {
            throw root.fault("schemes", .notAScheme(scheme))
        }
        guard questions.contains(where: { $0.key == "url" && !$0.isSecret }) else {
            throw root.fault("schemes", .schemesWithoutURL)
        }
        return schemes.map { $0.lowercased() }
    }

    private static func isScheme(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isNameByte) && !text.lowercased().hasPrefix("rtmp")
    }

    private static func required(_ key: String, in section: ConfigurationSection) throws(ConfigurationFault) -> String {
        guard let text = try section.string(key), !text.isEmpty else { throw section.fault(key, .missing(.text)) }
        return text
    }

    private static func absolute(_ program: String, in folder: String) -> String {
        if program.hasPrefix("/") { return program }
        return folder + "/" + (program.hasPrefix("./") ? String(program.dropFirst(2)) : program)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Another user who can rename one of the folders above `path`, an absolute path, can put an own one in its place.
    /// The same is true for the folders of each link on the way to the file.
    private static func replaceable(_ path: String) -> ManifestProblem? {
        if let problem = replaceableInside("/") { return problem }
        var rest = path.split(separator: "/").map(String.init)[...]
        var folder: [String] = []
        var linkCount = 0
        while let name = rest.popFirst() {
            if name == "." { continue }
            if name == ".." {
                _ = folder.popLast()
                continue
            }
            let path = "/" + (folder + [name]).joined(separator: "/")
            var status = stat()
            guard lstat(path, &status) == 0 else { return .notThere(path: path, code: errno) }
            if status.st_mode & S_IFMT == S_IFLNK {
                // The kernel follows as many (path_resolution(7)).
                linkCount += 1
                guard linkCount <= 40 else { return .notThere(path: path, code: ELOOP) }
                guard status.st_uid == getuid() || status.st_uid == 0 else { return .foreignOwner(path: path) }
                guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                    return .notThere(path: path, code: ENOENT)
                }
                if target.hasPrefix("/") { folder = [] }
                rest = target.split(separator: "/").map(String.init)[...] + rest
            } else {
                if !rest.isEmpty, let problem = replaceableInside(path) { return problem }
                folder.append(name)
            }
        }
        return nil
    }

    /// Whether another user can replace what is in a folder.
    private static func replaceableInside(_ path: String) -> ManifestProblem? {
        var status = stat()
        guard stat(path, &status) == 0 else { return .notThere(path: path, code: errno) }
        guard status.st_uid == getuid() || status.st_uid == 0 else { return .foreignOwner(path: path) }
        // In a folder like /tmp, nobody can rename what belongs to others (inode(7), S_ISVTX). The group of a folder is
        // mostly the user's own, or the administrators'.
        return status.st_mode & 0o002 != 0 && status.st_mode & S_ISVTX == 0 ? .writableByOthers(path: path) : nil
    }

    /// A file that another user can change would run with this user's permissions.
    private static func foreign(_ path: String) -> ManifestProblem? {
        var status = stat()
        guard stat(path, &status) == 0 else { return .notThere(path: path, code: errno) }
        guard status.st_uid == getuid() || status.st_uid == 0 else { return .foreignOwner(path: path) }
        return !WriteAccess.isOpenToOthers(status, at: path) ? nil : .writableByOthers(path: path)
    }
}
