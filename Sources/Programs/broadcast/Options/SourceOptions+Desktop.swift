import Capture
import Glibc
import PortalCapture
import Presentation
import Terminal
import X11Capture

extension SourceOptions {
    /// How a desktop is captured (`--source`).
    private enum System: String, CaseIterable {
        case x11
        case portal
    }

    /// True if the desktop is captured through its portal: in a Wayland session, unless `--source` says otherwise.
    func usesPortal(_ context: CommandContext) throws(CommandError) -> Bool {
        let wanted: System? = try OptionValue.choice(source, name: "--source")
        if let option = replacement?.option {
            if wanted != nil || ask {
                throw CommandError(.usage, "\(option) replaces the screen: omit --source and --ask.")
            }
            return false
        }
        let usesPortal = wanted.map { $0 == .portal } ?? context.isWaylandSession
        if ask && !usesPortal {
            throw CommandError(
                .usage, "--ask has an effect only on a Wayland desktop, or with --source portal. Omit it.")
        }
        return usesPortal
    }

    /// What the portal is asked for. Throws if the options ask for what a Wayland desktop does not allow.
    ///
    /// - Parameters:
    ///   - isAttended: a user is there to answer the desktop's dialog.
    ///   - previews: a preview is shown first.
    func portalRequest(_ context: CommandContext, isAttended: Bool, previews: Bool = false) throws(CommandError)
        -> PortalRequest
    {
        if previews && window != nil {
            throw CommandError(
                .usage,
                "On Wayland the preview and the broadcast each ask for a window, and these can differ. Omit --preview or --window."
            )
        }
        if ask && noDialog { throw CommandError(.usage, "--ask and --no-dialog exclude each other. Omit one of them.") }
        if display != nil {
            throw CommandError(.usage, "--display names an X display. To capture that one, add --source x11.")
        }
        if monitor != nil {
            throw CommandError(
                .usage,
                "On Wayland a program cannot name a monitor: omit --monitor, and choose it in the dialog of the desktop."
            )
        }
        if followFocus {
            throw CommandError(
                .usage,
                "On Wayland a program cannot follow the focused window: omit --follow-focus, and choose a monitor in the dialog."
            )
        }
        if let window, window != "pick" {
            throw CommandError(
                .usage,
                "On Wayland a program cannot name a window: use --window pick, and choose it in the dialog of the desktop."
            )
        }
        var request = context.sessionEnvironment.portalRequest(window == nil ? .monitor : .window)
        request.region = try region.map { text throws(CommandError) in try OptionValue.region(text) }
        request.asks = ask
        request.isAttended = isAttended
        if let monitorTimeout {
            request.monitorTimeout = try OptionValue.timeout(monitorTimeout, name: "--monitor-timeout")
        }
        return request
    }

    /// True if a user may be there to answer a dialog. A key binding and a menu start programs without a terminal, so
    /// only `--no-dialog` and the start of a systemd unit say that no user is there.
    func isAttended(_ context: CommandContext) -> Bool {
        ask || !(noDialog || context.isSystemdUnit)
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
        // A process that Ctrl-Z stops would keep the pointer and the keyboard.
        let before = signal(SIGTSTP, SIG_IGN)
        defer { signal(SIGTSTP, before) }
        return try WindowPicker.pick(on: display) {
            Output.note("broadcast: \(prompt) Esc or another mouse button cancels.")
        }
    }
}
