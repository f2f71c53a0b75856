import Capture
import Presentation
import X11Capture

extension SourceOptions {
    /// Throws where the desktop is one of which X11 sees little.
    func refuseWayland(_ context: CommandContext) throws(CommandError) {
        guard context.isWaylandSession && !forceX11 && y4m == nil else { return }
        throw CommandError(
            .noInput,
            "This is a Wayland session: X11 capture sees the programs that run under Xwayland, and nothing of the others or of the desktop. "
                + "Log in to an X11 session, or broadcast what it sees with --force-x11.")
    }

    /// Asks for a click before anything starts, so that Ctrl-C simply ends the command. Returns the window's identifier.
    func pickWindow() throws(CommandError) -> UInt {
        Output.note("broadcast: Click the window to show. Esc or another mouse button cancels.")
        do throws(CaptureError) {
            return try WindowPicker.pick(on: display)
        } catch {
            throw CommandError(error)
        }
    }
}
