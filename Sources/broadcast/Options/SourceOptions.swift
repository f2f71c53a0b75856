import ArgumentParser
import Presentation
import X11Capture

/// What is captured.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Option(
        name: .customLong("y4m"),
        help: ArgumentHelp("Pictures from a YUV4MPEG2 file or pipe instead of the screen; - is standard input.", valueName: "file"))
    var y4m: String?

    @Option(help: ArgumentHelp("One monitor, by the name that list-sources gives. Default: the whole screen.", valueName: "name"))
    var monitor: String?

    @Option(help: ArgumentHelp("A part of the screen: its size, and where its top left is.", valueName: "WxH+X+Y"))
    var region: String?

    @Option(
        help: ArgumentHelp("One window, whatever lies over it: its number, the one in front, or the one that you click.", valueName: "id|active|pick")
    )
    var window: String?

    @Flag(help: "Show the monitor with the focused window, whichever that is. With --monitor: that one first.")
    var followFocus = false

    @Flag(name: .customLong("force-x11"), help: "Capture through X11 in a Wayland session too: it sees only the programs under Xwayland.")
    var forceX11 = false

    /// What is selected; nil where the user is to click it.
    func selection() throws(CommandError) -> ScreenSelection? {
        let given = [("--y4m", y4m), ("--monitor", monitor), ("--region", region), ("--window", window)].filter { $0.1 != nil }.map(\.0)
        if given.count > 1 { throw CommandError(.usage, "\(given[0]) and \(given[1]) exclude each other. Give one of them.") }
        if followFocus, let other = given.first, other != "--monitor" {
            throw CommandError(.usage, "--follow-focus and \(other) exclude each other. Leave out one of them.")
        }
        if followFocus { return .focusedMonitor(startingAt: monitor) }
        if let monitor { return .monitor(monitor) }
        if let region { return .region(try OptionValue.region(region)) }
        switch window {
        case nil: return .wholeScreen
        case "pick": return nil
        case "active": return .activeWindow
        case .some(let text): return .window(try OptionValue.window(text))
        }
    }
}
