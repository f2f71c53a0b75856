import Foundation

/// Xorg with the dummy driver: a real server whose modes, monitors and rotation change as with real hardware (RandR
/// 1.5).
///
/// `DUMMY0` is plugged in and on; `DUMMY1` to `DUMMY15` can be turned on beside it.
package struct XorgDummy: Sendable {
    /// The process.
    package let peer: Peer
    /// Its display's name, `:7`.
    package let display: String
    private let peers: Peers

    /// Starts one at 1920x1080 on a display number of its own choice, and waits until it answers.
    nonisolated(nonsending) package static func start(in peers: Peers, depth: Int = 24) async throws -> XorgDummy {
        let folder = try peers.makeFolder("xorg")
        try configuration(depth: depth).write(toFile: folder + "/xorg.conf", atomically: false, encoding: .utf8)
        let peer = try peers.start(
            "xorg",
            [
                "Xorg", "-displayfd", "1", "-config", folder + "/xorg.conf", "-logfile", folder + "/log", "-noreset",
                "-nolisten", "tcp",
                "-novtswitch",
            ], folder: folder)
        try await peer.wait(for: "a display number") { peer.standardOutput.hasSuffix("\n") }
        return XorgDummy(peer: peer, display: ":" + peer.standardOutput.prefix { $0.isNumber }, peers: peers)
    }

    /// Runs `xrandr` on it (`["--output", "DUMMY0", "--mode", "720x1280"]`). Modes: 1920x1080, 1280x720, 720x1280.
    @discardableResult
    nonisolated(nonsending) package func xrandr(_ arguments: [String]) async throws -> String {
        try await peers.run("xrandr", ["xrandr"] + arguments, environment: ["DISPLAY": display])
    }

    /// Turns on a further monitor, `DUMMY1` and so on, in one of the modes, with its top left at (`x`, `y`).
    nonisolated(nonsending) package func plugIn(_ output: String, mode: String, x: Int, y: Int = 0) async throws {
        // It has the mode already where it was on before.
        _ = try? await xrandr(["--addmode", output, mode])
        try await xrandr(["--output", output, "--mode", mode, "--pos", "\(x)x\(y)"])
    }

    private static func configuration(depth: Int) -> String {
        """
        Section "ServerFlags"
            Option "AutoAddDevices" "false"
            Option "AutoEnableDevices" "false"
            Option "DontVTSwitch" "true"
            Option "BlankTime" "0"
        EndSection
        Section "Device"
            Identifier "dummy"
            Driver "dummy"
            VideoRam 65536
        EndSection
        Section "Monitor"
            Identifier "monitor"
            HorizSync 5.0-1000.0
            VertRefresh 5.0-200.0
            Modeline "1920x1080" 173.00 1920 2048 2248 2576 1080 1083 1088 1120
            Modeline "1280x720" 74.50 1280 1344 1472 1664 720 723 728 748
            Modeline "720x1280" 77.00 720 768 840 960 1280 1283 1293 1323
        EndSection
        Section "Screen"
            Identifier "screen"
            Device "dummy"
            Monitor "monitor"
            DefaultDepth \(depth)
            SubSection "Display"
                Depth \(depth)
                Modes "1920x1080" "1280x720" "720x1280"
                Virtual 3840 2160
            EndSubSection
        EndSection
        """
    }
}
