import CLinux
import CX11
import Capture
import Concurrency
import Glibc
import Media

/// A connection to an X server, with the extensions that capture requires. The capture thread owns it.
package final class X11Connection {
    package let display: OpaquePointer
    package let root: Window
    /// The name of the display as the user writes it.
    package let name: String
    /// The first event code of each extension. The server assigns these codes at run time.
    package let damageEventBase: Int32
    package let fixesEventBase: Int32
    package let randrEventBase: Int32
    /// True if the server supports monitors (RandR 1.5).
    package let hasMonitors: Bool
    var selection = EventSelection()

    /// The maximum time for the answer of a server to a new connection. XOpenDisplay waits for ever for a server that
    /// is stopped.
    private static let openingLimit = Duration.seconds(5)

    /// Opens the display `name`. If `name` is nil, opens the display in `DISPLAY`. Blocks for at most five seconds.
    package init(name: String?) throws(CaptureError) {
        let shown = name ?? String(cString: XDisplayName(nil))
        guard !shown.isEmpty else { throw .displayNotNamed(running: RunningDisplays.ofUser) }
        let display = try Self.open(shown)
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
        // The server answers requests of an extension with errors until the version is negotiated.
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

    private static func open(_ name: String) throws(CaptureError) -> OpaquePointer {
        let opened = TimedOpening.run(name: "open display", within: openingLimit) {
            X11Faults.open(name)
        } discard: { display in
            if let display { close(display) }
        }
        guard let opened else { throw .displayDoesNotAnswer(name) }
        guard let display = opened else { throw .cannotOpenDisplay(name) }
        return display
    }

    deinit {
        Self.close(display)
    }

    private static func close(_ display: OpaquePointer) {
        // Closing a broken connection would wait for a server that does not exist any more.
        if !X11Faults.isBroken(display) { XCloseDisplay(display) }
        X11Faults.forget(display)
    }

    /// True after the server has ended or closed the connection. No request may follow then.
    package var isBroken: Bool { X11Faults.isBroken(display) }

    /// Returns the code of the last protocol error since the last call, if a request from number `first` on caused it
    /// (XNextRequest(3)). An error of an earlier request, whose result was optional, is discarded.
    @discardableResult
    package func takeProtocolError(since first: UInt = 0) -> Int? {
        X11Faults.takeProtocolError(of: display, since: first)
    }

    /// Throws if the connection broke, or if the server refused a request from number `first` on (XNextRequest(3)).
    package func check(since first: UInt) throws(CaptureError) {
        if isBroken { throw .displayServerGone(name) }
        if let code = takeProtocolError(since: first) { throw .grabRefused(code: code) }
    }

    /// Throws if the connection broke. Ignores protocol errors.
    package func checkConnection() throws(CaptureError) {
        takeProtocolError()
        if isBroken { throw .displayServerGone(name) }
    }

    /// Blocks until the server has sent an event, or until `deadline`, or until `wake` is signalled, or until the
    /// connection breaks. Returns false at the deadline and for `wake`.
    ///
    /// - Parameter deadline: `CLOCK_MONOTONIC` in nanoseconds.
    package func waitForEvent(until deadline: Int64, or wake: WakeSignal) -> Bool {
        XFlush(display)
        while true {
            let rest = deadline - SessionClock.monotonic()
            guard rest > 0 else { return false }
            if XEventsQueued(display, Int32(QueuedAfterReading)) > 0 || isBroken { return true }
            if wake.isSignalled { return false }
            let events = clinux_poll_input(XConnectionNumber(display), wake.descriptor, rest)
            if Int32(events) & (POLLHUP | POLLERR) != 0 { return true }
        }
    }

    /// Requests the size of the whole screen from the server.
    package func rootSize() throws(CaptureError) -> PixelSize {
        var attributes = XWindowAttributes()
        guard XGetWindowAttributes(display, root, &attributes) != 0 else {
            throw .displayServerGone(name)
        }
        return PixelSize(width: Int(attributes.width), height: Int(attributes.height))
    }
}
