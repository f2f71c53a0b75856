import Credentials
import Desktop
import Glibc
import Host
import Pipeline
import Presentation
import PulseCapture
import Session
import Terminal
import Upload
import UserConfiguration

/// What `start` checks and asks before the session exists.
extension StartCommand {
    /// The key for `--key-from-stdin`; nil without this option.
    func addressKey() throws(CommandError) -> HandedSecrets? {
        guard network.keyFromStdin else { return nil }
        let addresses = targets.filter { ["rtmp://", "rtmps://"].contains(where: $0.lowercased().hasPrefix) }
        guard addresses.count == 1 else {
            throw CommandError(.usage, "--key-from-stdin reads the key of one address: give one --to rtmp://HOST/APP.")
        }
        let key = try SecretInput.read(
            "Stream key", way: "use --key-from-stdin < FILE", consequence: "Nothing was started.")
        guard !key.isEmpty else {
            throw CommandError(.usage, "There is no stream key on standard input. Nothing was started.")
        }
        return HandedSecrets(addressKey: key)
    }

    /// Asks for the secrets of a detached session, while a terminal is there for the questions of a key command.
    func secrets(for request: SessionRequest, _ context: CommandContext) throws(CommandError) -> HandedSecrets {
        let recorder = SecretRecorder(request.secrets)
        var resolver = DestinationResolver(
            configuration: request.configuration, paths: context.paths, secrets: recorder, catalog: context.catalog,
            session: request.session)
        resolver.format = request.format
        resolver.readsAddressKey = request.readsAddressKey
        // The session resolves the destinations itself, with these secrets.
        _ = try presenting { [resolver] () throws(ConfigurationError) in try resolver.resolve(targets) }
        return recorder.recorded
    }

    /// Throws if PulseAudio answers and does not have a source that the user named.
    func refuseUnknownSound(_ configuration: MediaConfiguration) throws(CommandError) {
        guard SoundSourceCheck.isNeeded(configuration.audio), let inventory = PulseSourceList.inventory() else {
            return
        }
        if let error = SoundSourceCheck.error(configuration.audio, inventory) { throw error }
    }

    func refuseImpossible() throws(CommandError) {
        if network.keyFromStdin && (source.y4m == "-" || audio.wav == "-") {
            throw CommandError(
                .usage,
                "The key and pictures or sound cannot both come from standard input. Use a named pipe for the media.")
        }
        if source.y4m == "-" || audio.wav == "-" {
            if session.detach {
                throw CommandError(
                    .usage, "A detached broadcast has no standard input. Omit --detach, or use a named pipe.")
            }
            if isatty(STDIN_FILENO) != 0 {
                throw CommandError(.usage, "Standard input is a terminal. Pipe pictures or sound into broadcast.")
            }
        }
        if preview && source.y4m == "-" {
            throw CommandError(.usage, "--preview would consume the first pictures of standard input. Omit --preview.")
        }
    }

    /// A detached broadcast has no standard output, neither by `-` nor by a destination of the configuration.
    func refuseDetachedOutput(_ context: CommandContext) throws(CommandError) {
        let wanted = targets.isEmpty ? context.configuration.standardTargets : targets
        let isOutput = wanted.contains { target in
            DestinationResolver.isOutput(target)
                || (context.configuration.destination(named: target)?.kind ?? DestinationKind(name: target)) == .stdout
        }
        if isOutput {
            throw CommandError(.usage, "A detached broadcast has no standard output. Omit --detach, or choose a file.")
        }
    }

    /// Shows what viewers will see, and asks whether to go live if there is a terminal. Throws if the picture cannot be
    /// shown, or if the answer is not yes.
    func showPreview(of configuration: MediaConfiguration, _ context: CommandContext) async throws(CommandError) {
        if Output.isTerminal { Output.note(PreviewSentences.preparing) }
        let place = try await PreviewPicture.taken(configuration).show(context.terminal, paths: context.paths)
        let file: ViewedPicture? = if case .viewer(let file) = place { file } else { nil }
        guard isatty(STDIN_FILENO) != 0 else {
            file?.removeLater()
            return
        }
        TypedAhead.discard()
        Output.raw(PreviewSentences.question(file: file?.path, staysOpen: file?.isWithAnotherProgram ?? false))
        let isYes = PreviewSentences.isYes(readLine())
        // The viewer must not be on the screen that goes live.
        await file?.close()
        guard isYes else { throw .nothingStarted }
    }

    /// Shows a message on the desktop if the user sees no terminal: from a menu, a key binding, cron, or detached.
    func notify(_ message: String, _ context: CommandContext, _ launched: LaunchedSession?) {
        let hasTerminal = launched == nil && (isatty(STDIN_FILENO) != 0 || Output.isTerminal)
        guard context.hasSessionBus && !hasTerminal && !notice.notify else { return }
        DesktopNotification.send(message)
    }

    func containerFormat() throws(CommandError) -> ContainerFormat? {
        guard let text = session.format else { return nil }
        guard let format = ContainerFormat(rawValue: text) else {
            throw CommandError(
                .usage,
                "There is no format \"\(text)\". Use one of \(ContainerFormat.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        return format
    }
}
