import ArgumentParser
import Capture
import FoundationEssentials
import Glibc
import Media
import Session
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
    @OptionGroup(title: "Session") var session: SessionOptions

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
            source: source, video: video, audio: audio, session: session, configuration: context.configuration)
        if targets.contains(BuiltInExtension.clips.name) { configuration.clipBuffer = configuration.clipBuffer ?? MediaTime(milliseconds: 60_000) }
        let format = try containerFormat()
        if session.detach {
            if targets.contains(where: { $0 == "-" || $0 == "stdout" }) {
                throw CommandError(.usage, "A detached broadcast has no standard output. Leave out --detach, or choose a file.")
            }
            try DetachedLaunch(context: context, session: name).run()
            return
        }
        let readiness = readinessDescriptor.map(ReadinessPipe.init(descriptor:))
        do throws(CommandError) {
            let host = SessionHost(name: name, title: session.title, context: context, readiness: readiness)
            let configuration = configuration
            let targets = targets
            try await host.run(configuration) { preparation throws(CommandError) in
                let resolver = DestinationResolver(
                    configuration: context.configuration, paths: context.paths, credentials: context.credentials,
                    limits: { Self.warnings(about: $0, for: configuration) }, format: format, now: Date(),
                    notice: preparation.notice, isInterrupted: preparation.isStopWanted, catalog: context.catalog)
                let wanted = targets.isEmpty ? [resolver.standardTarget] : targets
                return try Self.plans(for: wanted, with: resolver)
            }
        } catch {
            readiness?.report(error)
            throw error
        }
    }

    /// What someone who sees no terminal would not hear of.
    private func notify(_ error: CommandError) {
        guard error.status == .notPermitted, readinessDescriptor == nil, isatty(STDIN_FILENO) == 0, !Output.isTerminal else { return }
        DesktopNotification.send(error.message)
    }

    /// The limits of a service that these settings break; the size may be the screen's.
    private static func warnings(about service: KnownService, for configuration: SessionConfiguration) -> [String] {
        var size = configuration.outputSize
        // Without a display the session itself will say so.
        if size == nil { size = try? X11Connection.describe(display: configuration.display).size }
        return service.warnings(for: configuration, size: size)
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
        for target in targets {
            if plans.contains(where: { $0.name == target }), resolver.hasOwnName(target) {
                throw CommandError(.usage, "The destination \(target) is given twice. Give it once.")
            }
            var plan = try resolver.resolve(target)
            let same = plans.count { $0.name == plan.name || $0.name.hasPrefix(plan.name + "-") }
            if plan.extensionName == "stdout" && plans.contains(where: { $0.extensionName == "stdout" }) {
                throw CommandError(.usage, "There is only one standard output. Give - once.")
            }
            if let path = plan.path, plans.contains(where: { $0.path.map(CanonicalPath.of) == CanonicalPath.of(path) }) {
                throw CommandError(.usage, "The file \(path) is given twice. Give it once.")
            }
            if same > 0 { plan.name += "-\(same + 1)" }
            plans.append(plan)
        }
        return plans
    }
}
