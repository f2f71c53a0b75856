import Capture
import CommandModels
import Control
import FoundationEssentials
import Host
import Presentation
import PulseCapture
import UserConfiguration
import X11Capture

extension CompletionValues {
    /// The sessions that run, with their state, and those that have a log.
    func sessions(withLogs: Bool) async -> [Completion.Candidate] {
        let paths = CommandContext.paths
        let sessions = RunningSession.all(paths)
        let running = zip(sessions, await RunningSession.ask(.status, sessions)).compactMap { session, answer in
            switch answer {
            case .success(nil), .failure(.foreign), .failure(.tooLong): return nil as Completion.Candidate?
            case .success(let reply?): return .init(value: session.name, summary: reply.session?.state ?? "starting")
            case .failure(.silent): return .init(value: session.name, summary: "not answering")
            }
        }
        guard withLogs else { return running }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: paths.stateFolder)) ?? []
        return running
            + files.filter { $0.hasSuffix(".log") }.sorted().map {
                .init(value: String($0.dropLast(4)), summary: "has ended")
            }
    }

    /// The destinations of the session that the line names.
    func sessionDestinations(where isWanted: (DestinationReport) -> Bool) async -> [Completion.Candidate] {
        (await session?.destinations ?? []).filter(isWanted).map {
            .init(
                value: $0.name,
                summary: [$0.state, $0.path ?? $0.url ?? ""].filter { !$0.isEmpty }.joined(separator: ", "))
        }
    }

    /// The rules of the session that the line names.
    func sessionRules() async -> [Completion.Candidate] {
        (await session?.hiddenWindows ?? []).map { rule in
            .init(value: rule.rule, summary: rule.windows.map { $0 == 1 ? "1 window" : "\($0) windows" } ?? "")
        }
    }

    /// The session that the line names; nil if it does not answer.
    private var session: SessionReport? {
        get async {
            guard let session = try? await SessionName.running(line.options["--session"]) else { return nil }
            guard case .success(let reply?)? = await RunningSession.ask(.status, [session]).first else { return nil }
            return reply.session
        }
    }

    /// The X servers of this machine.
    var displays: [Completion.Candidate] {
        let sockets = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp/.X11-unix")) ?? []
        return sockets.filter { $0.hasPrefix("X") }.compactMap { Int($0.dropFirst()) }.sorted().map {
            .init(value: ":\($0)")
        }
    }

    /// The network interfaces of this machine.
    var interfaces: [Completion.Candidate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? []
        return names.sorted().map { .init(value: $0) }
    }

    /// The monitors of the display that the line names.
    func monitors(_ value: (SourceReport.Monitor) -> String) -> [Completion.Candidate] {
        screen.monitors.map { monitor in
            .init(
                value: value(monitor),
                summary: "\(monitor.name), \(monitor.width)x\(monitor.height)" + (monitor.primary ? ", primary" : ""))
        }
    }

    /// The windows of the display that the line names: their numbers, and rules.
    var windows: [Completion.Candidate] {
        classes
            + screen.windows.map { window in
                .init(value: window.id, summary: window.title + (window.class.isEmpty ? "" : " (\(window.class))"))
            }
    }

    /// Rules for the windows of the display that the line names.
    var windowRules: [Completion.Candidate] {
        classes + [
            .init(value: "class:", summary: "windows of this class"),
            .init(value: "title:", summary: "windows with this title"),
        ]
    }

    private var classes: [Completion.Candidate] {
        screen.windows.filter { !$0.class.isEmpty }.map { .init(value: "class:" + $0.class, summary: $0.title) }
    }

    /// The monitors of PulseAudio's sinks, and the applications that play sound.
    var applicationSounds: [Completion.Candidate] {
        let sounds = sounds
        return sounds.applications.map { .init(value: $0.source, summary: $0.media) }
            + sources(of: sounds) { $0.monitor }
    }

    /// The microphones.
    var microphones: [Completion.Candidate] { sources(of: sounds) { !$0.monitor } }

    private func sources(of report: SourceReport, where isWanted: (SourceReport.Sound) -> Bool) -> [Completion
        .Candidate]
    {
        report.audio.filter(isWanted).map {
            .init(value: $0.name, summary: $0.description + ($0.default ? " (default)" : ""))
        }
    }

    private var sounds: SourceReport {
        SourceReport(screen: nil, remembered: [:], sounds: PulseSourceList.inventory(timeout: 500) ?? PulseInventory())
    }

    private var screen: SourceReport {
        let name = line.options["--display"]
        return SourceReport(screen: try? ScreenInventory(display: name), remembered: [:], sounds: PulseInventory())
    }
}
