import CX11
import Capture
import Media

/// What an X server offers to a capture, for `broadcast doctor`.
package struct DisplayAbilities: Sendable, Equatable {
    /// The name of the display as the user writes it.
    package var display: String
    package var size: PixelSize
    package var monitorCount: Int
    /// Bits of a pixel.
    package var depth: Int
    /// The extensions that a capture uses if they are there, and that the server lacks. MIT-SHM and Composite are in
    /// values of their own.
    package var missingExtensions: [String]
    /// False if the server cannot attach shared memory (MIT-SHM): pictures then come through the socket.
    package var hasSharedMemory: Bool
    /// Composite, which hidden and covered windows need.
    package var hasComposite: Bool
    /// True if a compositing manager runs (EWMH, `_NET_WM_CM_Sn`).
    package var isComposited: Bool

    /// Asks the display `name`; if `name` is nil, the display in `DISPLAY`. Blocks for at most five seconds for a
    /// server that does not answer.
    ///
    /// Throws what a capture throws: no display, or an extension that it requires is missing.
    package init(display name: String?) throws(CaptureError) {
        let connection = try X11Connection(name: name)
        let layout = try ScreenLayout(connection)
        display = connection.name
        size = layout.size
        _ = try PixelLayout(rootOf: connection)
        monitorCount = layout.monitors.count
        depth = Int(XDefaultDepth(connection.display, XDefaultScreen(connection.display)))
        var opcode: Int32 = 0
        hasSharedMemory = ImageGrabber.canShareMemory(connection)
        var event: Int32 = 0
        var error: Int32 = 0
        missingExtensions = ["XInputExtension", "MIT-SCREEN-SAVER"].filter {
            XQueryExtension(connection.display, $0, &opcode, &event, &error) == 0
        }
        hasComposite = XCompositeQueryExtension(connection.display, &event, &error) != 0
        let manager = XInternAtom(connection.display, "_NET_WM_CM_S\(XDefaultScreen(connection.display))", 0)
        isComposited = XGetSelectionOwner(connection.display, manager) != 0
        try connection.checkConnection()
    }
}
