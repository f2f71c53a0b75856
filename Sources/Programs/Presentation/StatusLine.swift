import Media
import Session

/// The line that shows the state of a session on a terminal.
package enum StatusLine {
    package static func text(_ snapshot: SessionSnapshot) -> String {
        let mark = snapshot.state == .live ? "● live" : "○ \(snapshot.state.rawValue)"
        var parts = [mark, Self.clock(snapshot.elapsed)]
        if let video = snapshot.video {
            parts.append("\(video.size) \(video.writtenFrameRate) fps \(video.bitrate) kbit/s")
            if video.dropped > 0 { parts.append("\(video.dropped) dropped") }
            if video.reduction.frameDivisor > 1 {
                parts.append("too slow: \(video.frameRate / video.reduction.frameDivisor) fps")
            } else if video.reduction.usesFastestPreset {
                parts.append("too slow: fastest preset")
            }
        }
        for (name, source) in [("app", snapshot.app), ("mic", snapshot.mic)] {
            // A pause records no sound.
            guard let source, snapshot.state != .paused else { continue }
            parts.append(source.level.map { "\(name) \(Int($0.rounded())) dB" } ?? "\(name) silent")
        }
        for destination in snapshot.destinations {
            var text =
                "\(destination.name) \(destination.state == .live ? Self.size(destination.byteCount) : destination.state.rawValue)"
            if let viewers = destination.viewers { text += ", \(viewers) watching" }
            if let rest = destination.nextRetry { text += " in \(Int(rest.seconds.rounded(.up))) s" }
            if destination.dropped > 0 { text += " (\(destination.dropped) dropped)" }
            parts.append(text)
        }
        return parts.joined(separator: "  ").printable
    }

    /// What single keys do, for the end of the line: as many as have room there, the most important ones first.
    ///
    /// - Parameters:
    ///   - savesClips: the session keeps clips.
    ///   - columns: the room.
    package static func keys(for snapshot: SessionSnapshot, savesClips: Bool, columns: Int) -> String? {
        let pause = "p \(snapshot.state == .paused ? "resume" : "pause")"
        let choices = [
            [pause, "m mic", "c clip", "q stop"], [pause, "m mic", "q stop"], [pause, "q stop"], ["q stop"],
        ]
        return choices.dropFirst(savesClips ? 0 : 1).map { $0.joined(separator: "  ") }.first { $0.count <= columns }
    }

    /// The same as a sentence, for the start.
    package static func keySentence(savesClips: Bool) -> String {
        savesClips
            ? "Press q or Ctrl-C to stop, p to pause, m for the microphone, c to save a clip."
            : "Press q or Ctrl-C to stop, p to pause, m for the microphone."
    }

    /// The line about a start that takes long: it names the destinations that are not ready, or the source.
    ///
    /// - Parameter isAsking: the desktop shows a dialog in which the user chooses the source.
    package static func waiting(for snapshot: SessionSnapshot, isAsking: Bool = false) -> String {
        let names = snapshot.destinations.filter { $0.state == .connecting || $0.state == .reconnecting }.map(\.name)
        let what =
            snapshot.source == nil
            ? (isAsking ? "your choice in the dialog of the desktop" : "the source of the pictures")
            : names.isEmpty ? "the first picture" : "\(names.joined(separator: ", ")) to accept the broadcast"
        return "Waiting for \(what). Press Ctrl-C to cancel the start."
    }

    /// `01:02:03`, or `02:03` below one hour.
    package static func clock(_ time: MediaTime) -> String {
        let seconds = Int(time.seconds)
        let pad = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
        let rest = "\(pad(seconds / 60 % 60)):\(pad(seconds % 60))"
        return seconds >= 3600 ? "\(pad(seconds / 3600)):\(rest)" : rest
    }

    /// `12.3 MB`.
    package static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) B"
        case ..<1_000_000: "\(bytes / 1000) kB"
        case ..<1_000_000_000: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        default: "\(bytes / 1_000_000_000).\(bytes / 100_000_000 % 10) GB"
        }
    }
}
