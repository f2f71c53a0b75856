import ArgumentParser
import Control
import Glibc
import Host
import Media
import Presentation
import Terminal

/// `broadcast status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show the running sessions.")

    @Option(
        help: ArgumentHelp(
            "One session; the exit status is 1 if it does not run. Default: all.", valueName: "name"))
    var session: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    @Flag(help: "Repeat once per second until no session runs.")
    var watch = false

    func run() async throws {
        let paths = CommandContext.paths
        let wanted = try session.map { text throws(CommandError) in try OptionValue.session(text) }
        var isFirst = true
        while true {
            let running = RunningSession.all(paths).filter { wanted == nil || $0.name == wanted }
            let answers = await RunningSession.ask("status", running)
            let sessions = answers.compactMap { try? $0.get()?.session }
            if let wanted, isFirst, sessions.isEmpty, !answers.contains(where: { $0.failure != nil }) {
                throw CommandError.noSession(wanted, running: await RunningSession.names(paths))
            }
            // On a terminal, each report replaces the one before. In a pipe, the reports follow each other.
            if watch && !json && isatty(STDOUT_FILENO) != 0 { try Output.answer("\u{1b}[H\u{1b}[J", newline: false) }
            let silent = zip(running, answers).compactMap { session, answer in answer.failure.map { CommandError($0, session: session.name) } }
            try show(sessions, isFirst: isFirst, isAll: silent.isEmpty)
            for error in silent.dropLast(watch ? 0 : 1) { Output.note("broadcast: " + error.message) }
            guard watch else {
                if let last = silent.last { throw last }
                return
            }
            guard !(sessions.isEmpty && silent.isEmpty) else { return }
            isFirst = false
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// - Parameter isAll: true if every session answered.
    private func show(_ sessions: [SessionReport], isFirst: Bool, isAll: Bool) throws(CommandError) {
        if json {
            try Output.answer(ControlJSON.encode(StatusReport(sessions: sessions), pretty: !watch))
        } else if sessions.isEmpty {
            if isFirst && isAll { try Output.answer("Nothing is being broadcast.") }
        } else {
            for session in sessions { try Output.answer(Self.text(session)) }
        }
    }

    static func text(_ session: SessionReport) -> String {
        let clock = StatusLine.clock(MediaTime(seconds: session.elapsed))
        var lines = ["\(session.session): \(session.state), \(clock), display \(session.source.display), process \(session.pid)"]
        if let video = session.video {
            lines.append(
                "  video: \(video.width)x\(video.height) at \(video.fps) fps, \(video.bitrateKbps) kbit/s; "
                    + "\(video.captured) captured, \(video.encoded) encoded, \(video.repeated) repeated, \(video.dropped) dropped")
            if let rate = video.encodedFps {
                lines.append("  the machine is too slow: the encoder uses its fastest preset for \(rate) frames a second")
            } else if video.fastestPreset == true {
                lines.append("  the machine is too slow: the encoder uses its fastest preset")
            }
        }
        for (name, source) in [("app", session.audio.app), ("mic", session.audio.mic)] {
            guard let source else { continue }
            let level = source.levelDb.map { "\($0) dB" } ?? "silent"
            lines.append("  \(name): \(source.source ?? "no source"), \(level)" + (source.muted ? ", muted" : ""))
        }
        if let hidden = session.hiddenWindows {
            lines.append("  hidden: " + hidden.map(HiddenWindowSentences.summary).joined(separator: ", "))
        }
        for destination in session.destinations {
            var line = "  \(destination.name) (\(destination.extension)): \(destination.state), \(StatusLine.size(destination.bytes))"
            if let place = destination.path ?? destination.url { line += ", \(place)" }
            if let url = destination.watchUrl { line += ", watch it at \(url)" }
            if destination.dropped > 0 { line += ", \(destination.dropped) frames dropped" }
            if let text = destination.status { line += ", \(text)" }
            if let seconds = destination.nextRetryS { line += ". Next try in \(Int(seconds.rounded(.up))) s, or now with broadcast retry" }
            // The reason comes last, since it may end in a command.
            if let error = destination.error { line += ". \(error.message)" }
            lines.append(line)
        }
        return lines.map(\.printable).joined(separator: "\n")
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
