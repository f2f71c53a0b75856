import Control
import Host
import Media
import Session

/// A line about the result of a destination: its name, the duration and size of its media, what it reported at its end,
/// and its file or address.
package enum ResultLine {
    /// For `broadcast stop`.
    package static func text(_ destination: DestinationReport) -> String {
        text(
            name: destination.name, path: destination.path, url: destination.url,
            duration: destination.duration.map { MediaTime(seconds: $0) },
            bytes: destination.bytes, dropped: destination.dropped, status: destination.status,
            failure: destination.error?.message)
    }

    /// For the terminal and the log of the session.
    package static func text(_ destination: DestinationSnapshot) -> String {
        text(
            name: destination.name, path: destination.path, url: destination.url, duration: destination.duration,
            bytes: destination.byteCount,
            dropped: destination.dropped, status: destination.statusText,
            failure: destination.error?.sentence(destination: destination.name, isRetried: destination.isRetried))
    }

    /// A session that was stopped before it had a destination.
    package static func endedEarly(_ session: String) -> String {
        "Session \"\(session)\" has ended before it was live.".printable
    }

    /// A session that left its entry behind.
    package static func abandoned(_ session: String) -> String {
        """
        The session "\(session)" ended without cleaning up: it was killed, or it crashed. To see what it did, run: \
        broadcast logs --session \(session)
        """.printable
    }

    /// A session in the background that ended by itself.
    package static func ended(_ session: String, at time: String, _ reason: String) -> String {
        "The session \"\(session)\" ended at \(time): \(reason)".printable
    }

    /// A result is over, so its duration is rounded; a running clock shows full seconds.
    private static func clock(_ duration: MediaTime) -> String {
        StatusLine.clock(MediaTime(seconds: duration.seconds.rounded()))
    }

    private static func text(
        name: String, path: String?, url: String?, duration: MediaTime?, bytes: Int, dropped: Int, status: String?,
        failure: String?
    ) -> String {
        if let failure {
            // What viewers got before the failure.
            let before = duration.map { " after \(clock($0)), \(StatusLine.size(bytes))" } ?? ""
            return "\(name): failed\(before). \(failure)".printable
        }
        let place = (path ?? url).map { " (\($0))" } ?? ""
        // A named pipe without a reader, for example.
        if path != nil && bytes == 0 { return "\(name): nothing was written\(place)".printable }
        guard let duration else { return "\(name): never went live\(place)".printable }
        let frames = dropped == 0 ? "" : ", \(dropped) \(dropped == 1 ? "frame" : "frames") dropped"
        let remark = status.map { ", \($0.withoutPeriod)" } ?? ""
        return "\(name): \(clock(duration)), \(StatusLine.size(bytes))\(frames)\(remark)\(place)".printable
    }
}

extension HostOutcome {
    /// The result of each destination, a line each.
    package var resultLines: [String] { snapshot.destinations.map(ResultLine.text) }
}
