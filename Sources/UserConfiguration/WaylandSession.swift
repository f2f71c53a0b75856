import PortalCapture

/// The Wayland session that the program runs in.
package struct WaylandSession: Sendable, Equatable {
    /// The name of its display, such as `wayland-0`.
    package let display: String

    /// Returns nil if the session is not a Wayland session.
    ///
    /// - Parameter environment: of the process.
    package init?(environment: [String: String]) {
        let name = environment["WAYLAND_DISPLAY"] ?? ""
        guard !name.isEmpty || environment["XDG_SESSION_TYPE"] == "wayland" else { return nil }
        display = Self.display(name)
    }

    /// The display that the environment names, in any session.
    package static func display(_ name: String) -> String {
        // The variable can hold a path (wl_display_connect(3)).
        name.split(separator: "/").last.map(String.init) ?? "wayland-0"
    }
}

extension Paths {
    /// The file that remembers what the user chose to share.
    package var rememberedChoices: RememberedChoices { RememberedChoices(path: stateFolder + "/shared-monitors.json") }
}
