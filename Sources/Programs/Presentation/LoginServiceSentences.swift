import Desktop
import Glibc

/// What users read about `broadcast service`.
package enum LoginServiceSentences {
    package static let none =
        "No broadcast starts with the login. To add one, run: broadcast service enable NAME (a destination, or replay)"
    package static let noMonitor =
        "No monitor of this Wayland desktop is remembered, and a login cannot ask. Share one by hand: broadcast start --ask"
    package static let fileHasNoFolder =
        "A recording with each login needs a destination in the configuration, for example [destinations.diary] with "
        + "extension = \"file\" and path = \"~/Videos\". Write it with broadcast config edit, and run: broadcast service enable diary"
    package static let addressHasNoName =
        "Only a destination with a name starts with the login, so that its key is stored. Write one into the configuration, for example "
        + "[destinations.studio] with extension = \"rtmp\" and url = \"rtmp://HOST/APP\", and run broadcast setup studio. "
        + "broadcast config edit opens the configuration."
    package static let noDesktopTarget =
        "systemd's graphical-session.target is not active, so it starts nothing with this desktop. docs/usage.md, "
        + "Wayland, has a unit that activates it."

    package static func nameIsMissing(_ action: String) -> String {
        "\(action) needs a name, as in: broadcast service \(action) mobcrush"
    }

    package static func enabled(_ name: String, _ way: LoginServices.Way, now: Bool) -> String {
        let what =
            name == LoginServices.replay
            ? "The clip buffer starts with each login" : "The desktop is shown at \(name) from each login on"
        switch (way, now) {
        case (.systemd, true): return "\(what), and now."
        case (.systemd, false): return "\(what). To start it now, run: broadcast service enable \(name) --now"
        case (.autostart, true): return "\(what), by an entry in the autostart folder, and now."
        case (.autostart, false):
            let target = name == LoginServices.replay ? "clips" : name
            return "\(what), by an entry in the autostart folder. "
                + "To start it now, run: broadcast start --detach --session \(name) --to \(target)"
        }
    }

    package static func stillRuns(_ name: String) -> String {
        "It goes on until then. To end it, run: broadcast stop --session \(name)"
    }

    package static func disabled(_ name: String) -> String { "\(name) does not start with the login any more." }

    package static func notEnabled(_ name: String) -> String {
        "\(name) does not start with the login, so there is nothing to disable. See: broadcast service status"
    }
}

/// One broadcast in `broadcast service status`.
package struct LoginServiceRow: Encodable {
    var name: String
    /// `systemd` or `autostart`.
    var startedBy: String
    var enabled: Bool
    /// systemd's word for the state. For an entry of the autostart folder, `active` or `inactive`.
    var state: String?
    var detail: String?

    package init(_ status: LoginServices.Status) {
        name = status.name
        startedBy = status.way.rawValue
        enabled = status.isEnabled
        state = status.activity
        detail = status.detail
    }

    /// The cells of a table.
    package var cells: [String] {
        [name, enabled ? "enabled" : "disabled", state ?? startedBy] + (detail.map { [$0] } ?? [])
    }
}

extension CommandError {
    package init(_ problem: LoginServices.Problem) {
        switch problem {
        case .unsuitableName(let name):
            self.init(
                .usage,
                "No service can be named \(name). Use the name of a configured destination: letters, digits, - _ and dots."
            )
        case .rejected(let text):
            self.init(
                .unavailable,
                "systemd rejected that: \(text.isEmpty ? "no reason" : text). To read its log, run: journalctl --user -e"
            )
        case .notStarted(let text):
            let reason = text.hasPrefix("broadcast: ") ? String(text.dropFirst(11)) : text
            self.init(.unavailable, "It starts with each login from now on, but could not be started now: \(reason)")
        case .noAnswer: self.init(.unavailable, "systemd's user manager does not answer. Try: systemctl --user status")
        case .cannotWrite(let path, let code):
            self.init(
                .cannotCreate,
                "Cannot write \(path): \(String(cString: strerror(code))). Check the folder's permissions.")
        }
    }
}
