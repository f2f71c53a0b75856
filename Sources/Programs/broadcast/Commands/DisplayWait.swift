import Capture
import Desktop
import Glibc
import Host
import Presentation
import Processes
import Terminal
import UserConfiguration
import X11Capture

/// The wait of `start --wait-for-display`: a program that starts at login, or at boot, may precede the desktop.
struct DisplayWait {
    /// What a desktop session gives to programs that it starts.
    private static let names = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE",
    ]
    private static let interval = Duration.seconds(1)

    /// The display that the user names; nil for that of the environment.
    let display: String?

    /// Returns once a compositor listens or an X server answers, with the environment of this process completed by that
    /// of systemd's user manager, which a desktop session gives its variables to.
    func run() async {
        var isTold = false
        while !isThere() {
            if !isTold {
                Output.note("Waiting for the display. Ctrl-C ends the wait.")
                UserEnvironment().serviceManager?.show("waiting for the display")
            }
            isTold = true
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func isThere() -> Bool {
        let user = UserEnvironment()
        if display == nil { Self.complete(from: user.sessionBusAddress) }
        let environment = UserEnvironment.variables
        if display == nil, environment["WAYLAND_DISPLAY"]?.isEmpty == false,
            let socket = WaylandSession.waylandSocket(environment: environment), UnixSocket.hasListener(at: socket)
        {
            return true
        }
        do throws(CaptureError) {
            _ = try DisplayAbilities(display: display)
            return true
        } catch .cannotOpenDisplay, .displayNotNamed, .displayDoesNotAnswer {
            return false
        } catch {
            // The start says what is missing.
            return true
        }
    }

    /// Sets the variables that this process lacks.
    private static func complete(from busAddress: String?) {
        let own = UserEnvironment.variables
        guard own["DISPLAY"] == nil || own["WAYLAND_DISPLAY"] == nil, let busAddress else { return }
        let others = UserManagerEnvironment.variables(busAddress: busAddress)
        for name in names where own[name] == nil {
            if let value = others[name] { setenv(name, value, 0) }
        }
    }
}
