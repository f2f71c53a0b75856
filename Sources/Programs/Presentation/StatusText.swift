import Control
import Media

/// The text of `broadcast status`.
package enum StatusText {
    /// `, display :0`; empty while the source opens.
    private static func display(_ source: SessionReport.Source) -> String {
        source.display.isEmpty ? "" : ", display \(source.display)"
    }

    /// Returns the lines about a session, without a newline at the end.
    package static func text(_ session: SessionReport) -> String {
        let clock = StatusLine.clock(MediaTime(seconds: session.elapsed))
        var lines = ["\(session.session): \(session.state), \(clock)\(display(session.source)), process \(session.pid)"]
        if let title = session.title { lines.append("  title: \(title)") }
        if let video = session.video {
            lines.append(
                "  video: \(video.width)x\(video.height) at \(video.fps) fps, \(video.bitrateKbps) kbit/s; "
                    + "\(video.captured) captured, \(video.encoded) encoded, \(video.repeated) repeated, \(video.dropped) dropped"
            )
            if let rate = video.encodedFps {
                lines.append(
                    "  the machine is too slow: the encoder uses its fastest preset for \(rate) frames a second")
            } else if video.fastestPreset == true {
                lines.append("  the machine is too slow: the encoder uses its fastest preset")
            }
        }
        for (name, source) in [("app", session.audio.app), ("mic", session.audio.mic)] {
            guard let source else { continue }
            let level = source.levelDb.map { "\($0) dB" } ?? "silent"
            var line = "  \(name): \(source.source ?? "no source"), \(level)" + (source.muted ? ", muted" : "")
            if let problem = source.problem { line += ". \(problem)" }
            lines.append(line)
        }
        if let hidden = session.hiddenWindows {
            lines.append(
                "  hidden: "
                    + hidden.map { HiddenWindowSentences.summary($0, of: session.source) }.joined(separator: ", "))
        }
        if let reason = session.endReason { lines.append("  \(reason)") }
        for destination in session.destinations {
            var line =
                "  \(destination.name) (\(destination.extension)): \(destination.state), \(StatusLine.size(destination.bytes))"
            if let place = destination.path ?? destination.url { line += ", \(place)" }
            if let url = destination.watchUrl { line += ", watch it at \(url)" }
            if let viewers = destination.viewers { line += ", \(viewers) watching" }
            if destination.dropped > 0 {
                line += ", \(destination.dropped) \(destination.dropped == 1 ? "frame" : "frames") dropped"
            }
            if let text = destination.status { line += ", \(text)" }
            if let seconds = destination.nextRetryS {
                line +=
                    ". Next try in \(Int(seconds.rounded(.up))) s, or now with \(RetryHint.command(session: session.session))"
            }
            // The reason comes last, since it may end in a command.
            if let error = destination.error { line += ". \(error.message)" }
            lines.append(line)
        }
        return lines.map(\.printable).joined(separator: "\n")
    }
}
