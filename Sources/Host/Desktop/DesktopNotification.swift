import Processes

/// Shows a message on the desktop, for a user who started a broadcast from a menu or a key and sees no terminal.
package enum DesktopNotification {
    /// In milliseconds. Others stay as long as the desktop lets them.
    private static let urgentDuration = 10_000

    /// Passes the text to the first program that exists. It does not wait, and if there is none nothing happens.
    ///
    /// - Parameters:
    ///   - text: plain text. It can contain words of a server or an extension, and the body of a notification is markup
    ///     (Desktop Notifications Specification, "Markup"), so the three characters of markup are escaped.
    ///   - isUrgent: also shown while the desktop holds notifications back, as during a broadcast ("Urgency Levels",
    ///     critical).
    package static func send(_ text: String, isUrgent: Bool = false) {
        let text = escaped(text)
        let title = "Broadcast"
        // An urgent one stays for ever on some desktops.
        let duration = isUrgent ? Self.urgentDuration : -1
        let call = ["org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications"]
        let commands = [
            ["notify-send", "--app-name=broadcast", "--expire-time=\(duration)"]
                + (isUrgent ? ["--urgency=critical"] : []) + ["--", title, text],
            [
                "gdbus", "call", "--session", "--timeout=5", "--dest", call[0], "--object-path", call[1], "--method",
                call[2] + ".Notify",
                "broadcast", "0", "", title, text, "[]", isUrgent ? "{'urgency': <byte 2>}" : "{}", "--", "\(duration)",
            ],
            [
                "busctl", "--user", "--timeout=5", "--", "call", call[0], call[1], call[2], "Notify", "susssasa{sv}i",
                "broadcast", "0", "", title,
                text, "0",
            ] + (isUrgent ? ["1", "urgency", "y", "2"] : ["0"]) + ["\(duration)"],
        ]
        for command in commands where (try? Command.launch(command)) != nil { return }
    }

    package static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }
}
