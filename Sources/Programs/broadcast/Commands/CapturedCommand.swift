import ArgumentParser
import Capture
import Desktop
import Presentation
import Terminal
import X11Capture

/// `broadcast captured`: ReplayKit's `isCaptured` for scripts.
struct CapturedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captured", abstract: "Report whether a display is being broadcast.",
        discussion: """
            Prints captured and exits with status 0 while a session captures the display, also while it is paused. \
            Otherwise it prints "not captured" and exits with status 1. --wait and --wait-end exit with status 0 when \
            the display is in that state, immediately if it is already.

              while broadcast captured --wait; do playerctl pause; broadcast captured --wait-end; done

            An X11 program can watch the owner of the selection _BROADCAST_CAPTURE_S0 (see Examples/is-captured). \
            Other programs can watch the property Captured of org.broadcast.Broadcast on the session bus.
            """)

    @Option(help: ArgumentHelp("The X display. Default: the desktop of this session.", valueName: "name"))
    var display: String?

    @Flag(help: "Wait until the display is being broadcast.")
    var wait = false

    @Flag(help: "Wait until the display is no longer being broadcast.")
    var waitEnd = false

    func validate() throws {
        if wait && waitEnd { throw ValidationError("--wait and --wait-end exclude each other. Give one of them.") }
    }

    func run() throws {
        let user = UserEnvironment()
        let isCaptured =
            if display == nil && user.isWaylandSession { try isDesktopCaptured(user) } else { try isDisplayCaptured() }
        try Output.answer(isCaptured ? "captured" : "not captured")
        if !isCaptured && !waitEnd { throw CommandError.quiet(.nothing) }
    }

    /// An X display has a selection, which its sessions own.
    private func isDisplayCaptured() throws(CommandError) -> Bool {
        do throws(CaptureError) {
            let watch = try CaptureWatch(display: display)
            if wait || waitEnd { try watch.wait(untilCaptured: wait) }
            return if wait || waitEnd { wait } else { try watch.isCaptured() }
        } catch .displayServerGone where waitEnd {
            // No session captures a display that does not exist.
            return false
        } catch {
            throw CommandError(error)
        }
    }

    /// A Wayland desktop has only the session bus.
    private func isDesktopCaptured(_ user: UserEnvironment) throws(CommandError) -> Bool {
        guard let address = user.sessionBusAddress, let watch = CaptureIndicatorWatch(address: address) else {
            throw CommandError.captureUnknown
        }
        guard wait || waitEnd else { return watch.isCaptured }
        // No session captures a desktop that has ended.
        guard watch.wait(untilCaptured: wait) || waitEnd else { throw CommandError.captureUnknown }
        return wait
    }
}
