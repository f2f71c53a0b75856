import ArgumentParser
import Media
import Presentation
import UserConfiguration
import X11Capture

/// The options that select the source.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Option(
        name: .customLong("y4m"),
        help: ArgumentHelp(
            "Read pictures from a YUV4MPEG2 file or pipe instead of the screen; - is standard input.",
            valueName: "file"))
    var y4m: String?

    @Option(
        help: ArgumentHelp(
            "Capture one monitor of an X display, by its name in list-sources. Default: the whole screen.",
            valueName: "name"))
    var monitor: String?

    @Option(help: ArgumentHelp("Capture a part of the screen: its size and top-left corner.", valueName: "WxH+X+Y"))
    var region: String?

    @Option(
        help: ArgumentHelp(
            "Capture one window, even if others cover it: by number, by class:NAME or title:*TEXT*, the active one, or the one "
                + "that you click.",
            valueName: "id|rule|active|pick"))
    var window: String?

    @Option(
        help: ArgumentHelp(
            "With --window class:NAME or title:*TEXT*: how long viewers see a slate after the window was closed, until a window matches "
                + "again, before the broadcast ends. Default: 0, which ends it at once.", valueName: "time"))
    var windowTimeout: String?

    @Flag(help: "Follow the monitor that has the focused window. With --monitor: start with that one.")
    var followFocus = false

    @Option(
        help: ArgumentHelp(
            "How to capture: the desktop's portal, or X11, which shows only the programs under Xwayland in a Wayland session. "
                + "Default: the portal in a Wayland session.", valueName: "x11|portal"))
    var source: String?

    @Flag(help: "Show the dialog of a Wayland desktop although a choice is remembered.")
    var ask = false

    @Flag(
        help:
            "Show no dialog of a Wayland desktop: fail if no monitor is remembered. For scripts that run while no user is there."
    )
    var noDialog = false

    @Option(
        help: ArgumentHelp(
            "How long viewers see a slate while the shared monitor of a Wayland desktop is unplugged or off, before the broadcast ends. "
                + "0 ends it at once. Default: 5m.", valueName: "time"))
    var monitorTimeout: String?

    /// The source that replaces the desktop, and its option; nil if the desktop is captured. All that decides between
    /// the two asks here.
    var replacement: (option: String, source: SessionSettings.Source)? {
        y4m.map { ("--y4m", .y4m(path: $0)) }
    }

    /// True if `--window` has a rule that the next window of the same application can match.
    private var isWindowByRule: Bool {
        let kind = window?.prefix { $0 != ":" }.lowercased()
        return kind != window && ["class", "title"].contains(kind)
    }

    /// `--window-timeout`; nil if it was not given.
    func windowReturn() throws(CommandError) -> MediaTime? {
        try windowTimeout.map { text throws(CommandError) in try OptionValue.timeout(text, name: "--window-timeout") }
    }

    /// The selected part of the screen; nil if the user must click a window (--window pick).
    func selection() throws(CommandError) -> ScreenSelection? {
        let ofScreen = [("--monitor", monitor), ("--region", region), ("--window", window)]
        let given = [replacement?.option].compactMap(\.self) + ofScreen.filter { $0.1 != nil }.map(\.0)
        if given.count > 1 {
            throw CommandError(.usage, "\(given[0]) and \(given[1]) exclude each other. Give one of them.")
        }
        if followFocus, let other = given.first, other != "--monitor" {
            throw CommandError(.usage, "--follow-focus and \(other) exclude each other. Leave out one of them.")
        }
        if windowTimeout != nil, !isWindowByRule {
            throw CommandError(
                .usage,
                "--window-timeout waits for a window that matches a rule again: add --window class:NAME or title:*TEXT*, or omit it."
            )
        }
        if followFocus { return .focusedMonitor(startingAt: monitor) }
        if let monitor { return .monitor(monitor) }
        if let region { return .region(try OptionValue.region(region)) }
        switch window {
        case nil: return .wholeScreen
        case "pick": return nil
        case "active": return .activeWindow
        case .some(let text) where text.contains(":"): return .matchingWindow(try OptionValue.windowRule(text))
        case .some(let text): return .window(try OptionValue.window(text))
        }
    }
}
