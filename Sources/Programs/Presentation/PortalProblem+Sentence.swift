import Capture

/// Why a Wayland desktop shares nothing: the exit status, and the sentence that names what is missing and its package.
extension PortalProblem {
    var exitStatus: ExitStatus {
        switch self {
        case .cancelled: .nothing
        case .noSessionBus, .noPortal, .portalFails, .noGraphicalSession, .noBackend, .noAnswer, .noPipeWire,
            .noPipeWireServer, .pipeWireFailed,
            .noSessionManager, .refused, .lost, .picturesTakenAway,
            .pipeWireGone:
            .unavailable
        case .cannotShare, .otherChoice, .cannotHide: .noInput
        case .notRemembered: .notPermitted
        }
    }

    package var sentence: String {
        switch self {
        case .noSessionBus:
            "This Wayland desktop cannot be captured: no session bus answers. Run this inside the desktop session, where "
                + "DBUS_SESSION_BUS_ADDRESS is set."
        case .noPortal:
            "This Wayland desktop cannot be captured: the desktop portal does not run. Install the package xdg-desktop-portal and log in again."
        case .portalFails(let reason):
            "This Wayland desktop cannot be captured: the desktop portal cannot be started (\(reason)). "
                + "To read its log, run: journalctl --user -u xdg-desktop-portal"
        case .noGraphicalSession(let reason):
            "This Wayland desktop cannot be captured: the desktop portal cannot be started (\(reason)), because systemd's "
                + "graphical-session.target is not active. Compositors that are started by hand do not activate it; docs/usage.md, Wayland, "
                + "has a unit that does. Then run: systemctl --user start desktop-session.target"
        case .noBackend:
            "This Wayland desktop cannot be captured: the desktop portal has no screen cast backend. Install the one of your desktop "
                + "(xdg-desktop-portal-gnome, -kde, -wlr or -hyprland) and log in again."
        case .cannotShare(.window): "This desktop cannot share a single window. Omit --window, and share a monitor."
        case .cannotShare(.monitor): "This desktop cannot share a monitor. Share a window with --window pick."
        case .noAnswer: "The desktop portal does not answer in time. Log in again if that persists."
        case .noPipeWire:
            "This Wayland desktop cannot be captured: libpipewire is missing. Install the package libpipewire-0.3-0."
        case .noPipeWireServer:
            "This Wayland desktop cannot be captured: PipeWire does not run. Install the packages pipewire and wireplumber and log in again."
        case .pipeWireFailed(let reason):
            "PipeWire does not deliver the shared pictures: \(reason). Check that the packages pipewire and wireplumber are installed and run."
        case .noSessionManager:
            "PipeWire does not connect the shared pictures: its session manager does not run. Install the package wireplumber and log in again."
        case .cancelled:
            "Nothing was chosen in the dialog, so nothing was started. Start again, and choose what to share."
        case .refused(""): "The desktop refused to share the screen. \(Self.afterRefusal)"
        case .refused(let reason):
            "The desktop refused to share the screen: \(reason). \(Self.afterRefusal)"
        case .otherChoice: "The desktop shared something other than requested, so nothing is broadcast. Try again."
        case .notRemembered(.window):
            "A window is shared only after a choice in a dialog, and this start may show none (--no-dialog, or a systemd unit). "
                + "Omit --no-dialog, or share a monitor."
        case .notRemembered(.monitor):
            "The desktop shares no monitor without a dialog, and this start may show none (--no-dialog, or a systemd unit). "
                + "Start once by hand (broadcast start --ask), and let the desktop remember the choice."
        case .cannotHide:
            "There are rules that hide windows (--hide, or hide in the configuration), and a program cannot hide windows on Wayland, so the "
                + "monitor is not broadcast. Share a single window with --window pick, or remove the rules. Rules of the compositor itself "
                + "hide windows only in part: docs/usage.md, Private windows, says what still shows them."
        case .lost:
            "The compositor or its portal backend ended the sharing. What was recorded until then is complete. Start the broadcast again."
        case .picturesTakenAway:
            "The desktop took the memory of its pictures away, again and again. What was recorded until then is complete. "
                + "Start the broadcast again, and report it to the developers of the desktop."
        case .pipeWireGone: "PipeWire ended. What was recorded until then is complete. Start the broadcast again."
        }
    }

    private static let afterRefusal =
        "Unlock it, or log in again. To choose again, run: broadcast start --ask"
}
