import Presentation

/// A subject of `broadcast help` that is no subcommand.
package enum HelpTopic: String, CaseIterable {
    case configuration
    case environment
    case rules
    case statuses

    /// What it is about, in a line.
    package var summary: String {
        switch self {
        case .configuration: "The configuration file, and how to change it."
        case .environment: "The variables that the program reads."
        case .rules: "How to name the windows to hide or to capture."
        case .statuses: "What an exit status means."
        }
    }

    /// The topic that these arguments ask for; nil if they ask for something else.
    package init?(arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help", let topic = HelpTopic(rawValue: arguments[1]) else {
            return nil
        }
        self = topic
    }

    /// The text.
    ///
    /// - Parameter configurationFile: the path of the user's configuration.
    package func text(configurationFile: String) -> String {
        switch self {
        case .configuration:
            """
            The configuration is one file:
            \(configurationFile)

              broadcast config edit                    open it in your editor, and check it
              broadcast config sample                  print a commented example
              broadcast config check                   name file, line and key of each fault
              broadcast config get video.bitrate       print a value
              broadcast config set video.bitrate 4000  change a value; comments stay

            [video], [audio], [privacy], [network]   defaults of the options of start
            [destinations.NAME]                      a destination for --to NAME
            [profile.NAME]                           other defaults, for --profile NAME

            An option overrides the configuration. Secrets are never in it: sign in with
            broadcast setup NAME. All keys: man 5 broadcast.toml
            """
        case .environment:
            Self.table(Self.variables) + "\n\nMore about each: man broadcast"
        case .rules:
            """
            A rule selects windows, for --hide, broadcast hide, --window and [privacy]:

              class:KeePassXC    the class or the instance of the window, in any case
              title:*Signal*     the whole title; * is any text, ? one character
              pid:4711           the windows of a process
              id:0x3a00007       one window

            broadcast list-sources prints the classes and titles of the open windows. A
            window that a rule hides is covered with its dialogs and menus, and stays
            hidden while it is not known where it is. Rules hide windows of X11 desktops;
            on Wayland, viewers get a slate instead of the whole monitor.
            """
        case .statuses:
            Self.table(ExitStatus.meanings.map { ("\($0.status.rawValue)", $0.meaning) })
                + "\n\nWith several destinations, the status is that of the first failure."
        }
    }

    /// The variables that the program reads.
    package static let variables: [(names: String, meaning: String)] = [
        ("DISPLAY, XAUTHORITY", "The X display to capture, and the access to it."),
        (
            "WAYLAND_DISPLAY, XDG_SESSION_TYPE",
            "Show that the session is a Wayland session, in which the desktop's portal is used."
        ),
        ("PULSE_SERVER", "The sound server."),
        ("DBUS_SESSION_BUS_ADDRESS", "The session bus: portal, keyring, notifications, screen lock."),
        ("BROADCAST_SESSION", "The session of commands without --session, except status."),
        ("BROADCAST_EXTENSION_PATH", "More folders with extensions, separated by colons."),
        ("BROADCAST_PROXY_PASSWORD", "The password of the proxy."),
        ("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME", "Replace ~/.config, ~/.local/share and ~/.local/state."),
        ("XDG_RUNTIME_DIR", "The folder of the control sockets."),
        ("XDG_DATA_DIRS", "The folders of the desktop files that give applications their names."),
        ("TERM, KITTY_WINDOW_ID, TERM_PROGRAM", "Show whether the terminal can draw pictures."),
        ("NO_COLOR", "Without colours in the status line."),
        ("VISUAL, EDITOR", "The editor of broadcast config edit."),
        ("NOTIFY_SOCKET, WATCHDOG_USEC", "Set by systemd for its units, which are told when a broadcast is live."),
        (
            "XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID",
            "Show that a menu of the desktop started the program, so that a user can answer a dialog."
        ),
    ]

    private static func table(_ rows: [(String, String)]) -> String {
        let column = 7
        return rows.map { name, meaning in
            let text = ParagraphText.wrapped(String(repeating: " ", count: column) + meaning, indentation: column)
            let left = "  " + name
            guard left.count < column else { return left + "\n" + text }
            return left + text.dropFirst(left.count)
        }.joined(separator: "\n")
    }
}
