import ArgumentParser
import Capture
import FoundationEssentials
import Media
import Session
import Upload

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// `broadcast start`
struct StartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a broadcast.",
        discussion: """
            --to takes a configured destination, an extension, an rtmp:// address, a file (.mp4 .flv .ts .h264 .y4m) or - for \
            standard output; it may be given several times, and everything is encoded once. Without it the preferred destination \
            of the config is taken, else a file in ~/Videos or the current folder. Ctrl-C stops cleanly.
            """)

    @Option(name: .customLong("to"), parsing: .singleValue, help: ArgumentHelp("Where to send it; may be repeated.", valueName: "destination"))
    var targets: [String] = []

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Privacy") var privacy: PrivacyOptions
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
            source: source, video: video, audio: audio, privacy: privacy, session: session, configuration: context.configuration)
        if targets.contains(BuiltInExtension.clips.name) { configuration.clipBuffer = configuration.clipBuffer ?? MediaTime(milliseconds: 60_000) }
        let format = try containerFormat()
        if context.isWaylandSession && !source.forceX11 {
            throw CommandError(
                .noInput,
                "This is a Wayland session: X11 capture sees the programs that run under Xwayland, and nothing of the others or of the desktop. "
                    + "Log in to an X11 session, or broadcast what it sees with --force-x11.")
        }
        if session.detach {
            if targets.contains(where: { $0 == "-" || $0 == "stdout" }) {
                throw CommandError(.usage, "A detached broadcast has no standard output. Leave out --detach, or choose a file.")
            }
            try DetachedLaunch(context: context, session: name).run()
            return
        }
        if try source.selection() == nil { try pickWindow(for: &configuration) }
        let readiness = readinessDescriptor.map(ReadinessPipe.init(descriptor:))
        do throws(CommandError) {
            let host = SessionHost(name: name, title: session.title, context: context, readiness: readiness)
            try await host.run(configuration) { notice throws(CommandError) in
                let resolver = DestinationResolver(
                    configuration: context.configuration, paths: context.paths, credentials: context.credentials,
                    limits: { Self.warnings(about: $0, for: configuration) }, format: format, now: Date(), notice: notice,
                    catalog: context.catalog)
                let wanted = targets.isEmpty ? [resolver.standardTarget] : targets
                return try Self.plans(for: wanted, with: resolver)
            }
        } catch {
            readiness?.report(error)
            throw error
        }
    }

    /// Asks for a click before anything starts, so that Ctrl-C simply ends it.
    private func pickWindow(for configuration: inout SessionConfiguration) throws(CommandError) {
        guard case .screen(var request) = configuration.picture else { return }
        Output.note("broadcast: Click the window that is to be shown. Esc or another mouse button cancels.")
        do throws(CaptureError) {
            request.selection = .window(try WindowPicker.pick(on: source.display))
        } catch {
            throw CommandError(error)
        }
        configuration.picture = .screen(request)
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
        if size == nil, case .screen(let request) = configuration.picture { size = try? request.currentSize() }
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
            var plan = try resolver.resolve(target)
            let same = plans.count { $0.name == plan.name || $0.name.hasPrefix(plan.name + "-") }
            if plan.extensionName == "stdout" && plans.contains(where: { $0.extensionName == "stdout" }) {
                throw CommandError(.usage, "There is only one standard output. Give - once.")
            }
            if let path = plan.path, plans.contains(where: { $0.path == path }) {
                throw CommandError(.usage, "The file \(path) is given twice. Give it once.")
            }
            if same > 0 { plan.name += "-\(same + 1)" }
            plans.append(plan)
        }
        return plans
    }
}
