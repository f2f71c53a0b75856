import Host
import Session
import UserConfiguration

/// A line about an event, for the terminal and the log.
package struct ConsoleLine {
    package var text: String
    /// True if something does not work as it should.
    package private(set) var isProblem = false

    /// Nil for events that have no line.
    package init?(_ event: HostEvent, session: String) {
        switch event {
        case .state(let state): text = "session \(session): \(state.rawValue)"
        case .destination(let destination):
            guard let line = Self.text(destination, session: session) else { return nil }
            text = line
            isProblem = destination.state == .reconnecting || destination.state == .failed
        case .notice(let notice):
            isProblem = !notice.isInformation
            text = (notice.isInformation ? "" : "Warning: ") + notice.sentence
        case .clip(let clip): text = "clip: \(clip.path)"
        case .comment(let comment, let name): text = "\(name): \(CommentLine.text(comment.text, from: comment.name))"
        case .exposed(let exposure): text = AddressSecret.cleaning(exposure.sentence)
        case .changed(let change): text = change.sentence
        case .started, .annotation, .statistics: return nil
        }
        text = text.printable
    }

    private static func text(_ destination: DestinationSnapshot, session: String) -> String? {
        switch destination.state {
        case .live where destination.previousState == .paused: return nil
        case .live:
            return "\(destination.name): live" + ((destination.url ?? destination.path).map { " (\($0))" } ?? "")
                + (destination.watchURL.map { ", watch it at \($0)" } ?? "")
                + (destination.statusText.map { " (\($0))" } ?? "")
        case .reconnecting:
            let reason =
                destination.error?.sentence(destination: destination.name, isRetried: true) ?? "The connection is lost."
            // The reason comes last, since it may end in a command.
            let next =
                destination.nextRetry.map {
                    "Next try in \(Int($0.seconds.rounded(.up))) s, or now with \(RetryHint.command(session: session)). "
                } ?? ""
            return "\(destination.name): \(next)\(reason)"
        case .failed:
            return destination.error.map {
                "\(destination.name): failed. \($0.sentence(destination: destination.name, isRetried: destination.isRetried))"
            }
        case .connecting, .paused, .finished: return nil
        }
    }
}

extension SessionChange {
    /// The line of the log.
    fileprivate var sentence: String {
        switch self {
        case .microphone(let isOn): "microphone: \(isOn ? "on" : "off")"
        case .hidden(let rule): "hidden: \(rule)"
        case .unhidden(let rule): "no longer hidden: \(rule)"
        case .annotated(let values):
            "annotated: " + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .removed(let destination): "\(destination): removed."
        }
    }
}

/// The command that ends the wait for the next try.
enum RetryHint {
    /// With its name, which is needed if several sessions run.
    static func command(session: String) -> String {
        "broadcast retry" + (session == SessionNaming.standard ? "" : " --session \(session)")
    }
}
