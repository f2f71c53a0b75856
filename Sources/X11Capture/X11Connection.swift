import CX11
import Capture
import Media

/// A connection to an X server, with the extensions that capture uses. Owned by the capture thread.
package final class X11Connection {
    let display: OpaquePointer
    let root: Window
    /// As the user would name it.
    package let name: String
    /// The first event code of each extension (X11 extensions number their events at run time).
    let damageEventBase: Int32
    let fixesEventBase: Int32
    let randrEventBase: Int32
    /// True where the server tells of monitors (RandR 1.5).
    let hasMonitors: Bool
    var events = EventSelection()

    /// Opens the display `name`, or the one that `DISPLAY` named where it is nil.
    package init(name: String?) throws(CaptureError) {
        let shown = name ?? String(cString: XDisplayName(nil))
        guard !shown.isEmpty, let display = XOpenDisplay(shown) else { throw .cannotOpenDisplay(shown) }
        X11Faults.watch(display)
        self.display = display
        self.name = shown
        root = XDefaultRootWindow(display)

        var error: Int32 = 0
        var damage: Int32 = 0
        var fixes: Int32 = 0
        var randr: Int32 = 0
        let hasDamage = XDamageQueryExtension(display, &damage, &error) != 0
        let hasFixes = XFixesQueryExtension(display, &fixes, &error) != 0
        let hasRandr = XRRQueryExtension(display, &randr, &error) != 0
        damageEventBase = damage
        fixesEventBase = fixes
        randrEventBase = randr
        // A server that was met before its extensions were negotiated answers their requests with errors.
        var major: Int32 = 5
        var minor: Int32 = 0
        if hasFixes { XFixesQueryVersion(display, &major, &minor) }
        (major, minor) = (1, 1)
        if hasDamage { XDamageQueryVersion(display, &major, &minor) }
        hasMonitors = hasRandr && XRRQueryVersion(display, &major, &minor) != 0 && (major, minor) >= (1, 5)
        guard hasDamage else { throw .missingExtension("DAMAGE") }
        guard hasFixes else { throw .missingExtension("XFIXES") }
        guard hasRandr else { throw .missingExtension("RANDR") }
    }

    /// The name and size of a display, without capturing it.
    package static func describe(display name: String?) throws(CaptureError) -> (name: String, size: PixelSize) {
        let connection = try X11Connection(name: name)
        return (connection.name, try connection.rootSize())
    }

    deinit {
        // Closing a connection that broke would wait for a server that is not there.
        if !X11Faults.isBroken(display) { XCloseDisplay(display) }
        X11Faults.forget(display)
    }

    /// Throws where the connection broke or the server refused a request since the last check.
    func check() throws(CaptureError) {
        if X11Faults.isBroken(display) { throw .displayServerGone(name) }
        if let code = X11Faults.takeProtocolError(of: display) { throw .grabRefused(code: code) }
    }

    /// Throws only where the connection broke; a protocol error is forgotten.
    func checkConnection() throws(CaptureError) {
        _ = X11Faults.takeProtocolError(of: display)
        if X11Faults.isBroken(display) { throw .displayServerGone(name) }
    }

    /// The size of the whole screen, asked from the server.
    package func rootSize() throws(CaptureError) -> PixelSize {
        var attributes = XWindowAttributes()
        guard XGetWindowAttributes(display, root, &attributes) != 0 else {
            try check()
            throw .displayServerGone(name)
        }
        return PixelSize(width: Int(attributes.width), height: Int(attributes.height))
    }
}
