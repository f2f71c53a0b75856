import ArgumentParser
import Encode
import FoundationEssentials
import Glibc
import Host
import Presentation
import Terminal
import Upload
import UserConfiguration

/// `broadcast check-extension`
struct CheckExtensionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-extension", abstract: "Send a test broadcast to an extension and report protocol errors.",
        discussion: """
            Starts the extension as a broadcast does, and sends it a few seconds of picture and sound \
            with a pause, an annotation, some dropped pictures and a finish. Nothing on the screen is captured. The \
            command shows what the extension writes to standard error, and continues after an error if possible, to \
            report every one. The exit status is 0 if the extension follows the protocol that broadcast-extension(7) \
            describes.
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder that contains extension.toml, or the name of an installed extension.", valueName: "folder|name")
    )
    var folder: String

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Answer a setup question of the extension. Repeatable. Do not use a real secret: other users can read a "
                + "command line.",
            valueName: "key=value"))
    var set: [String] = []

    func run() async throws {
        let user = UserEnvironment()
        let path = try absoluteFolder(user.catalog)
        let (examined, problems) = ManifestFile.examine(folder: path)
        if let last = problems.last {
            for problem in problems.dropLast() { Output.note(CommandError(problem).message) }
            throw CommandError(last)
        }
        guard let manifest = examined else { return }
        if let problem = manifest.problem {
            throw CommandError(.nothing, problem.sentence(extension: manifest.name, destination: manifest.name))
        }
        let setup = manifest.withAbsolutePaths(
            try answers(for: manifest), folder: FileManager.default.currentDirectoryPath, home: user.paths.home)
        let launch = ExtensionLaunch(
            environment: user.paths.extensionEnvironment, setup: setup, clipFolder: user.paths.clipFolder)
        let outcome: ExtensionTrial.Outcome
        do throws(EncodeError) {
            outcome = try await ExtensionTrial(manifest: manifest, launch: launch).run { notice in
                Output.note(HostNotice.session(.destination(name: manifest.name, notice)).sentence)
            }
        } catch {
            throw CommandError(.software, error.sentence)
        }
        let sentences = outcome.sentences(extension: manifest.name)
        if let last = sentences.last {
            for sentence in sentences.dropLast() { Output.note(sentence) }
            throw CommandError(.nothing, last)
        }
        try Output.answer(outcome.sentence(extension: manifest.name))
    }

    /// Returns the absolute path of the folder that `text` names; nil if there is no such folder with a manifest. A
    /// folder has priority over an installed extension.
    static func folder(_ text: String, _ catalog: ExtensionCatalog) -> String? {
        if let path = absolute(text), FileStatus(path)?.isFolder == true, FileStatus(path + "/extension.toml") != nil {
            return path
        }
        return catalog.folder(of: text)
    }

    private static func absolute(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func absoluteFolder(_ catalog: ExtensionCatalog) throws(CommandError) -> String {
        if let path = Self.folder(folder, catalog) { return path }
        if let path = Self.absolute(folder) {
            throw CommandError(.noInput, "There is no extension.toml in \(path). Name the folder that contains it.")
        }
        guard !BuiltInExtension.names.contains(folder) else {
            throw CommandError(
                .noInput, "The extension \(folder) is part of this program, so there is nothing to check.")
        }
        throw CommandError(
            .noInput,
            "There is no folder \(folder), and no extension of that name. Name the folder that contains extension.toml, "
                + "or see broadcast list-extensions.")
    }

    private func answers(for manifest: ExtensionManifest) throws(CommandError) -> [String: String] {
        var setup: [String: String] = [:]
        for text in set {
            guard let equals = text.firstIndex(of: "=") else {
                throw CommandError(.usage, "\"\(text)\" is not an answer. Write --set KEY=VALUE.")
            }
            let key = String(text[..<equals])
            guard manifest.questions.contains(where: { $0.key == key }) else {
                throw CommandError(.usage, "The extension \(manifest.name) does not ask for \(key). Omit it.")
            }
            setup[key] = String(text[text.index(after: equals)...])
        }
        let missing = manifest.questions.filter { $0.isRequired && setup[$0.key] == nil }
        guard missing.isEmpty else {
            let names = missing.map { "\($0.key) (\($0.prompt))" }.joined(separator: ", ")
            let options = missing.map { "--set \($0.key)=VALUE" }.joined(separator: " ")
            throw CommandError(.usage, "The extension \(manifest.name) needs \(names). Add \(options).")
        }
        return setup
    }
}
