import ArgumentParser
import Capture
import Presentation
import X11Capture

/// `broadcast captured`: ReplayKit's `isCaptured` for scripts.
struct CapturedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captured", abstract: "Tell whether a display is being broadcast.",
        discussion: """
            Prints captured and ends with status 0 while a session captures the display, also while it is paused; else it prints \
            "not captured" and ends with status 1. The two waits end with status 0 when what they wait for is so, at once where it is so already.

              while broadcast captured --wait; do playerctl pause; broadcast captured --wait-end; done

            A program with a window watches the owner of the selection _BROADCAST_CAPTURE_S0 itself (Examples/is-captured); one without \
            watches the property Captured of org.broadcast.Broadcast on the session bus.
            """)

    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Flag(help: "Wait until it is being broadcast.")
    var wait = false

    @Flag(help: "Wait until it is not being broadcast any more.")
    var waitEnd = false

    func validate() throws {
        if wait && waitEnd { throw ValidationError("--wait and --wait-end exclude each other. Give one of them.") }
    }

    func run() throws {
        let isCaptured: Bool
        do throws(CaptureError) {
            let watch = try CaptureWatch(display: display)
            if wait || waitEnd { try watch.wait(untilCaptured: wait) }
            isCaptured = if wait || waitEnd { wait } else { try watch.isCaptured() }
        } catch .displayServerGone where waitEnd {
            // Nobody captures a display that is not there.
            isCaptured = false
        } catch {
            throw CommandError(error)
        }
        try Output.answer(isCaptured ? "captured" : "not captured")
        if !isCaptured && !waitEnd { throw CommandError.quiet(.nothing) }
    }
}
