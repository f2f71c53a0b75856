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

    /// The socket of the compositor in the session that the environment describes. Returns nil if there is none.
    package static func waylandSocket(environment: [String: String]) -> String? {
        let name = environment["WAYLAND_DISPLAY"].flatMap { $0.isEmpty ? nil : $0 } ?? "wayland-0"
        guard !name.hasPrefix("/") else { return name }
        return environment["XDG_RUNTIME_DIR"].map { "\($0)/\(name)" }.flatMap { FileStatus($0) == nil ? nil : $0 }
    }

    /// The socket of PipeWire in the session that the environment describes (pipewire.conf(5), PIPEWIRE_RUNTIME_DIR and
    /// PIPEWIRE_REMOTE). Returns nil if it is not known: the display has no socket beside it, as in a container that
    /// only has the session bus, or the remote is not a plain name.
    package static func pipeWireSocket(environment: [String: String]) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let remote = value("PIPEWIRE_REMOTE") ?? "pipewire-0"
        guard let folder = value("XDG_RUNTIME_DIR"),
            FileStatus("\(folder)/\(display(environment["WAYLAND_DISPLAY"] ?? ""))") != nil,
            !remote.contains(where: { ",[{ ".contains($0) })
        else { return nil }
        return remote.hasPrefix("/") ? remote : "\(value("PIPEWIRE_RUNTIME_DIR") ?? folder)/\(remote)"
    }
}

extension Paths {
    /// The file that remembers what the user chose to share.
    package var rememberedChoices: RememberedChoices { RememberedChoices(path: stateFolder + "/shared-monitors.json") }
}
