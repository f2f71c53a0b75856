import ArgumentParser
import Capture
import FoundationEssentials
import Glibc
import Media
import Session
import Threads
import Upload

/// `broadcast start`
struct StartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a broadcast.",
        discussion: """
            --to takes a configured destination, an extension, an rtmp:// address, a file (.mp4 .flv .ts .h264 .y4m) or - for \
            standard output; it may be given several times, and everything is encoded once. Without it the preferred destination \
            of the config is taken, else a file in ~/Videos or the current folder. Ctrl-C stops cleanly. \
            In the config, the path of a file destination is a folder unless it ends like a file: it is made where it is missing, and \
            holds a file named after the date. A relative path starts at your home folder, wherever the command is given.
            """)

    @Option(name: .customLong("to"), parsing: .singleValue, help: ArgumentHelp("Where to send it; may be repeated.", valueName: "destination"))
    var targets: [String] = []

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Privacy") var privacy: PrivacyOptions
    @OptionGroup(title: "Session") var session: SessionOptions

    @Flag(help: "Show what viewers will see, and go live after Enter; at once where there is no terminal to ask on.")
    var preview = false

    /// Where a detached session says whether it is live: a descriptor that the parent reads.
    @Option(help: .hidden) var readinessDescriptor: Int32?

    func run() async throws {
        let context = try CommandContext()
        do {
            try await run(context)
        } catch let error as CommandError {
            if context.hasSessionBus { notify(error) }
            throw error
        }
    }

    private func run(_ context: CommandContext) async throws {
        let name = try OptionValue.session(session.session)
        var configuration = try SessionConfiguration(
            source: source, video: video, audio: audio, privacy: privacy, session: session, configuration: context.configuration)
        if targets.contains(BuiltInExtension.clips.name) { configuration.clipBuffer = configuration.clipBuffer ?? MediaTime(milliseconds: 60_000) }
        let format = try containerFormat()
        if source.y4m == "-" || audio.wav == "-" {
            if session.detach { throw CommandError(.usage, "A detached broadcast has no standard input. Leave out --detach, or use a named pipe.") }
            if isatty(STDIN_FILENO) != 0 { throw CommandError(.usage, "Standard input is a terminal. Pipe pictures or sound into broadcast.") }
        }
        try source.refuseWayland(context)
        let picksWindow = try source.selection() == nil
        if preview && source.y4m == "-" { throw CommandError(.usage, "--preview would take the first pictures of standard input. Leave it out.") }
        if preview && session.detach && picksWindow {
            throw CommandError(.usage, "--preview and --detach need a window by its number. See broadcast list-sources.")
        }
        if session.detach {
            if preview { try await showPreview(of: configuration, context) }
            if targets.contains(where: { $0 == "-" || $0 == "stdout" }) {
                throw CommandError(.usage, "A detached broadcast has no standard output. Leave out --detach, or choose a file.")
            }
            try DetachedLaunch(context: context, session: name).run()
            return
        }
        if picksWindow { try source.pickWindow(for: &configuration) }
        // Whoever starts a detached session has seen it already.
        if preview && readinessDescriptor == nil { try await showPreview(of: configuration, context) }
        let readiness = readinessDescriptor.map(ReadinessPipe.init(descriptor:))
        do throws(CommandError) {
            let entries = DesktopEntries(environment: ProcessInfo.processInfo.environment)
            configuration.applicationName = { entries.name(forWindowClass: $0) }
            // Read beside everything else: the capture thread is not to wait for it.
            _ = NamedThread(name: "desktop entries") { _ = entries.name(forWindowClass: "") }
            let separatesAudio = audio.audioTracks == .separate
            let configuration = configuration
            let targets = targets
            let host = SessionHost(name: name, title: session.title, context: context, readiness: readiness) {
                target, folder, preparation throws(CommandError) in
                // What the config says now, not what it said at the start.
                var resolver = DestinationResolver(
                    try CommandContext(), session: configuration, format: nil, separatesAudio: separatesAudio, preparation: preparation)
                if let folder { resolver.folder = folder }
                return try resolver.resolve(target)
            }
            try await host.run(configuration) { preparation throws(CommandError) in
                let resolver = DestinationResolver(
                    context, session: configuration, format: format, separatesAudio: separatesAudio, preparation: preparation)
                let wanted = targets.isEmpty ? [resolver.standardTarget] : targets
                return try Self.plans(for: wanted, with: resolver)
            }
        } catch {
            readiness?.report(error)
            throw error
        }
    }

    /// Shows what viewers will see, and asks whether it may go live where there is someone to ask.
    private func showPreview(of configuration: SessionConfiguration, _ context: CommandContext) async throws(CommandError) {
        let path = try await PreviewPicture.take(configuration).show(context)
        guard isatty(STDIN_FILENO) != 0 else { return }
        defer { if let path { unlink(path) } }
        Output.raw("This is what viewers will see. Enter goes live, Ctrl-C does not. ")
        guard readLine() != nil else { throw CommandError(.nothing, "Nothing was started.") }
    }

    /// What someone who sees no terminal would not hear of.
    private func notify(_ error: CommandError) {
        guard error.status == .notPermitted, readinessDescriptor == nil, isatty(STDIN_FILENO) == 0, !Output.isTerminal else { return }
        DesktopNotification.send(error.message)
    }

    private func containerFormat() throws(CommandError) -> ContainerFormat? {
        guard let text = session.format else { return nil }
        guard let format = ContainerFormat(rawValue: text) else {
            throw CommandError(.usage, "There is no format \"\(text)\". Use one of \(ContainerFormat.list).")
        }
        return format
    }

    private static func plans(
        for targets: [String], with resolver: DestinationResolver
    ) throws(CommandError) -> [DestinationPlan] {
        var plans: [DestinationPlan] = []
        // Names of their own stay as they are, wherever they are given.
        var taken = Set(targets.filter { resolver.hasOwnName($0) })
        for (index, target) in targets.enumerated() {
            let isNamed = resolver.hasOwnName(target)
            if isNamed, targets[..<index].contains(target) {
                throw CommandError(.usage, "The destination \(target) is given twice. Give it once.")
            }
            var plan = try resolver.resolve(target)
            if plan.extensionName == "stdout" && plans.contains(where: { $0.extensionName == "stdout" }) {
                throw CommandError(.usage, "There is only one standard output. Give - once.")
            }
            if let path = plan.path, plans.contains(where: { $0.path.map(CanonicalPath.of) == CanonicalPath.of(path) }) {
                throw CommandError(.usage, "The file \(path) is given twice. Give it once.")
            }
            if !isNamed {
                if taken.contains(plan.name) { plan.name = freeName(like: plan.name, taken: taken, resolver) }
                taken.insert(plan.name)
            }
            plans.append(plan)
        }
        return plans
    }

    /// The name with the first number behind it that makes it one that nothing else has.
    private static func freeName(like name: String, taken: Set<String>, _ resolver: DestinationResolver) -> String {
        var number = 2
        while taken.contains("\(name)-\(number)") || resolver.hasOwnName("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}
