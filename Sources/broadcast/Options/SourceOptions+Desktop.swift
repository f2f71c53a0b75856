import Capture
import Glibc
import Presentation
import Terminal
import X11Capture

extension SourceOptions {
    /// Throws in a Wayland session, unless the options allow X11 capture there.
    func refuseWayland(_ context: CommandContext) throws(CommandError) {
        guard context.isWaylandSession && !forceX11 && y4m == nil else { return }
        throw CommandError(
            .noInput,
            "This is a Wayland session: X11 capture shows only the programs that run under Xwayland, not the desktop. "
                + "Log in to an X11 session, or broadcast only those programs with --force-x11.")
    }

    /// Asks the user to click a window and returns its identifier. Call it before anything starts, so that Ctrl-C ends
    /// the command.
    func pickWindow() throws(CommandError) -> UInt {
        do throws(CaptureError) {
            return try Self.pickWindow(on: display, prompt: "Click the window to show.")
        } catch {
            throw CommandError(error)
        }
    }

    /// Asks the user to click a window on `display`.
    static func pickWindow(on display: String?, prompt: String) throws(CaptureError) -> UInt {
        Output.note("broadcast: \(prompt) Esc or another mouse button cancels.")
        // A process that Ctrl-Z stops would keep the pointer and the keyboard.
        let before = signal(SIGTSTP, SIG_IGN)
        defer { signal(SIGTSTP, before) }
        return try WindowPicker.pick(on: display)
    }
}
