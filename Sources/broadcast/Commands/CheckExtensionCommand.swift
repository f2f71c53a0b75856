import ArgumentParser
import Encode
import Glibc
import Host
import Media
import Presentation
import Terminal
import Upload
import UserConfiguration

/// `broadcast check-extension`
struct CheckExtensionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-extension", abstract: "Send a test broadcast to an extension and report protocol errors.",
        discussion: """
            Starts the extension in the folder as a broadcast does, and sends it a few seconds of picture and sound \
            with a pause, an annotation, some dropped pictures and a finish. Nothing on the screen is captured. The \
            command shows what the extension writes to standard error, and continues after an error if possible, to \
            report every one. The exit status is 0 if the extension follows the protocol that broadcast-extension(7) \
            describes.
            """)

    @Argument(help: ArgumentHelp("The folder that contains extension.toml.", valueName: "folder"))
    var folder: String

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Answer a setup question of the extension. Repeatable. Do not use a real secret: other users can read a "
                + "command line.",
            valueName: "key=value"))
    var set: [String] = []

    func run() async throws {
        let context = try CommandContext()
        let path = try absoluteFolder()
        let (examined, problems) = ManifestFile.examine(folder: path)
        if let last = problems.last {
            for problem in problems.dropLast() { Output.note(CommandError(problem).message) }
            throw CommandError(last)
        }
        guard let manifest = examined else { return }
        if let problem = manifest.problem {
            throw CommandError(.nothing, problem.sentence(extension: manifest.name, destination: manifest.name))
        }
        let setup = try answers(for: manifest)
        let found = FaultList()
        var launch = ExtensionLaunch(
            environment: context.paths.extensionEnvironment, setup: setup, clipFolder: context.paths.stateFolder + "/clips")
        launch.violations = { found.add($0.sentence(extension: manifest.name, destination: manifest.name, isEnded: false)) }
        let seconds = manifest.mode == .clips ? min(Int(manifest.clipDuration.rounded(.up)) * 2 + 2, 120) : 6
        let broadcast: CannedBroadcast
        do throws(EncodeError) {
            broadcast = try CannedBroadcast(
                seconds: seconds, isRaw: manifest.takesRawVideo, hasVideo: manifest.takesVideo, hasSound: !manifest.audioTracks.isEmpty,
                hasRawSound: manifest.takesRawAudio)
        } catch {
            throw CommandError(.software, error.sentence)
        }
        let handler = DestinationPlan.program(name: manifest.name, manifest: manifest, launch: launch).makeHandler()
        await Self.play(broadcast, elements: broadcast.elements[...], to: handler, found, manifest.name)
        // A broadcast may be stopped before its first picture. The protocol does not define what a stream's program
        // does with an empty stream, so only clip and packet extensions are tested.
        let short = DestinationPlan.program(name: manifest.name, manifest: manifest, launch: launch).makeHandler()
        if found.isEmpty && manifest.mode != .stream { await Self.play(broadcast, elements: [], to: short, found, manifest.name) }
        let sentences = found.sentences
        if let last = sentences.last {
            for sentence in sentences.dropLast() { Output.note(sentence) }
            throw CommandError(.nothing, last)
        }
        try Output.answer(
            "\(manifest.name) follows the protocol: \(broadcast.elements.count) samples and calls "
                + "(pause, resume, annotate, a gap) and a finish, "
                + "\(StatusLine.size(handler.byteCount)) on its standard input; then a broadcast without a picture."
                + (handler.remarks.watchURL.map { " It can be watched at \($0)." } ?? ""))
    }

    /// Sends these elements and a finish to the handler, and records each error in `found`.
    private static func play(
        _ broadcast: CannedBroadcast, elements: ArraySlice<PacketQueue.Element>, to handler: any SampleHandler, _ found: FaultList, _ name: String
    ) async {
        handler.attach(HandlerContext(report: { Output.note(HostNotice.session(.destination(name: name, $0)).sentence) }))
        do throws(UploadError) {
            try await play(broadcast, elements: elements, to: handler)
        } catch {
            let sentence = error.sentence(destination: name)
            found.add(elements.isEmpty ? "If a broadcast ends before its first picture: \(sentence)" : sentence)
        }
    }

    private static func play(
        _ broadcast: CannedBroadcast, elements: ArraySlice<PacketQueue.Element>, to handler: any SampleHandler
    ) async throws(UploadError) {
        do throws(UploadError) {
            try await handler.started(broadcast.stream)
            for element in elements {
                switch element {
                case .packet(let packet): try await handler.process(packet)
                case .paused: try await handler.paused()
                case .resumed: try await handler.resumed()
                case .annotated(let information): try await handler.annotated(information)
                }
            }
        } catch {
            try? await handler.finished(deadline: .zero)
            throw error
        }
        try await handler.finished(deadline: .seconds(6))
    }

    private func absoluteFolder() throws(CommandError) -> String {
        guard let resolved = realpath(folder, nil) else {
            throw CommandError(.noInput, "There is no folder \(folder). Name the folder that contains extension.toml.")
        }
        defer { free(resolved) }
        let path = String(cString: resolved)
        guard FileStatus(path)?.isFolder == true, FileStatus(path + "/extension.toml") != nil else {
            throw CommandError(.noInput, "There is no extension.toml in \(path). Name the folder that contains it.")
        }
        return path
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
