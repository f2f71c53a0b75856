import FoundationEssentials
import Glibc
import Upload

/// Reads an extension's `extension.toml`. What is wrong in it is told with file, line and key.
enum ManifestFile {
    /// The manifest in `folder`, an absolute path. Throws the first thing that is wrong.
    static func load(folder: String) throws(CommandError) -> ExtensionManifest {
        let (manifest, faults) = examine(folder: folder)
        if let fault = faults.first { throw fault }
        guard let manifest else { throw CommandError(.config, "\(folder)/extension.toml says nothing. Write a manifest.") }
        return manifest
    }

    /// The manifest in `folder`, as far as there is one, and all that is wrong with it.
    static func examine(folder: String) -> (manifest: ExtensionManifest?, faults: [CommandError]) {
        let path = folder + "/extension.toml"
        var faults = ManifestFaults()
        faults.collect { () throws(CommandError) in try refuseForeign(folder) }
        faults.collect { () throws(CommandError) in try refuseForeign(path) }
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self) else {
            return (
                nil, faults.all + [CommandError(.config, "Cannot read \(path) as UTF-8 text. Check that it is there, and its permissions.")]
            )
        }
        let manifest = parse(text, folder: folder, faults: &faults)
        if let manifest {
            faults.collect { () throws(CommandError) in try check(manifest.executable, key: "exec", path: path) }
            if let program = manifest.setupExecutable {
                faults.collect { () throws(CommandError) in try check(program, key: "setup-exec", path: path) }
            }
        }
        return (manifest, faults.all)
    }

    private static func check(_ program: String, key: String, path: String) throws(CommandError) {
        guard access(program, X_OK) == 0, FileStatus(program)?.isRegularFile == true else {
            throw CommandError(
                .config, "\(path): \(key): \(program) is no program that you may run. Correct the path, or make it executable.")
        }
        try refuseForeign(program)
    }

    /// The manifest that `text` gives; nil where what is needed most is missing.
    static func parse(_ text: String, folder: String, faults: inout ManifestFaults) -> ExtensionManifest? {
        let path = folder + "/extension.toml"
        let document: TOMLDocument
        do throws(TOMLDocument.SyntaxError) {
            document = try TOMLDocument(text)
        } catch {
            let message = error.message.split(whereSeparator: \.isNewline).first.map(String.init) ?? error.message
            faults.add(CommandError(.config, "\(path):\(error.line): \(message). Correct that line."))
            return nil
        }
        let root = ConfigurationSection(document: document, path: path, name: [])
        let known = [
            "name", "version", "description", "exec", "mode", "video", "audio", "tracks", "container", "clip-duration", "schemes", "setup",
            "setup-exec",
        ]
        for fault in root.faults(allowing: known) { faults.add(fault) }
        let name = faults.collect { () throws(CommandError) in try Self.name(root) }
        let program = faults.collect { () throws(CommandError) in try required("exec", in: root) }
        let mode = faults.collect { () throws(CommandError) in try Self.mode(root) }
        var manifest = ExtensionManifest(
            name: name ?? "", folder: folder, executable: absolute(program ?? "", in: folder), mode: mode ?? .samples)
        manifest.description = faults.collectIfThere { () throws(CommandError) in try root.string("description") } ?? ""
        manifest.version = faults.collectIfThere { () throws(CommandError) in try root.string("version") }
        manifest.video = faults.collectIfThere { () throws(CommandError) in try choice("video", in: root) } ?? manifest.video
        manifest.audio = faults.collectIfThere { () throws(CommandError) in try choice("audio", in: root) } ?? manifest.audio
        manifest.container = faults.collectIfThere { () throws(CommandError) in try choice("container", in: root) } ?? manifest.container
        manifest.tracks =
            faults.collectIfThere { () throws(CommandError) in try root.strings("tracks", oneOf: ["screen", "app", "mic", "mixed"]) }
            ?? manifest.tracks
        manifest.clipDuration =
            faults.collectIfThere { () throws(CommandError) in try root.number("clip-duration", in: 0.1...3600) } ?? manifest.clipDuration
        manifest.questions = faults.collect { () throws(CommandError) in try questions(root) } ?? []
        manifest.schemes = faults.collect { [questions = manifest.questions] () throws(CommandError) in try schemes(root, asking: questions) } ?? []
        manifest.setupExecutable = faults.collectIfThere { () throws(CommandError) in try root.string("setup-exec") }.map { absolute($0, in: folder) }
        faults.collect { () throws(CommandError) in try checkSense(of: manifest, root) }
        return name == nil || program == nil || mode == nil ? nil : manifest
    }

    /// What is well-formed, but makes no extension.
    private static func checkSense(of manifest: ExtensionManifest, _ root: ConfigurationSection) throws(CommandError) {
        if manifest.setupExecutable != nil && manifest.questions.isEmpty {
            throw root.error("setup-exec", "the keys that it answers must be declared: add [[setup]] tables")
        }
        if !manifest.takesVideo && (manifest.mode == .clips || manifest.audioTracks.isEmpty) {
            throw root.error(
                "tracks", manifest.mode == .clips ? "clips need the screen track" : "this extension would get neither picture nor sound")
        }
    }

    private static func name(_ root: ConfigurationSection) throws(CommandError) -> String {
        let name = try required("name", in: root)
        guard !name.isEmpty, name.utf8.allSatisfy({ isNameByte($0) }), !name.hasPrefix("-") else {
            throw root.error("name", "this must be letters, digits, - and _")
        }
        if BuiltInExtension.all.contains(where: { $0.name == name }) { throw root.error("name", "\"\(name)\" is built in; choose another name") }
        return name
    }

    private static func mode(_ root: ConfigurationSection) throws(CommandError) -> ExtensionManifest.Mode {
        let modes = ExtensionManifest.Mode.allCases.map(\.rawValue)
        guard let mode = ExtensionManifest.Mode(rawValue: try root.string("mode", oneOf: modes) ?? "") else {
            throw root.error("mode", "this is needed: one of \(modes.joined(separator: ", "))")
        }
        return mode
    }

    private static func questions(_ root: ConfigurationSection) throws(CommandError) -> [ExtensionManifest.Question] {
        var questions: [ExtensionManifest.Question] = []
        for section in try root.sections("setup") {
            try section.allow(["key", "prompt", "secret", "required"])
            let key = try required("key", in: section)
            questions.append(
                .init(
                    key: key, prompt: try section.string("prompt") ?? key, isSecret: try section.boolean("secret") ?? false,
                    isRequired: try section.boolean("required") ?? false))
        }
        return questions
    }

    private static func schemes(
        _ root: ConfigurationSection, asking questions: [ExtensionManifest.Question]
    ) throws(CommandError) -> [String] {
        guard let schemes = try root.strings("schemes") else { return [] }
        for scheme in schemes where scheme.isEmpty || !scheme.utf8.allSatisfy(isNameByte) || scheme.lowercased().hasPrefix("rtmp") {
            throw root.error("schemes", "\"\(scheme)\" is no scheme that an extension can have")
        }
        guard questions.contains(where: { $0.key == "url" && !$0.isSecret }) else {
            throw root.error("schemes", "the address is the answer to the question url, which is not asked")
        }
        return schemes.map { $0.lowercased() }
    }

    private static func required(_ key: String, in section: ConfigurationSection) throws(CommandError) -> String {
        guard let text = try section.string(key), !text.isEmpty else { throw section.error(key, "this is needed, a text in quotes") }
        return text
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, in section: ConfigurationSection
    ) throws(CommandError) -> Choice? {
        try section.string(key, oneOf: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    private static func absolute(_ program: String, in folder: String) -> String {
        if program.hasPrefix("/") { return program }
        return folder + "/" + (program.hasPrefix("./") ? String(program.dropFirst(2)) : program)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// What someone else may change would run with our rights: it is refused.
    private static func refuseForeign(_ path: String) throws(CommandError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandError(.config, "Cannot read \(path): \(String(cString: strerror(errno))). Check that it is there.")
        }
        guard status.st_uid == getuid() || status.st_uid == 0 else {
            throw CommandError(.config, "\(path) belongs to another user, who could change what it does. Make a copy of your own.")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw CommandError(.config, "Others than its owner may write \(path). Take that away: chmod go-w '\(path)'.")
        }
    }
}
