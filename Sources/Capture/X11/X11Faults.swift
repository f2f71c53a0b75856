import CX11
import Synchronization

/// What went wrong on X connections, as Xlib's process-wide handlers tell it.
///
/// By default Xlib ends the process on a protocol error and on a broken connection. These handlers only note it, and the
/// owner of the connection looks after each exchange (DESIGN section 9; XSetIOErrorExitHandler(3), libX11 1.7 and later).
enum X11Faults {
    private struct Faults {
        /// The last protocol error's code for each connection, by the address of its Display.
        var protocolErrors: [UInt: Int] = [:]
        var brokenConnections: Set<UInt> = []
    }

    private static let faults = Mutex(Faults())

    /// Routes the errors of `display` here.
    static func watch(_ display: OpaquePointer) {
        forget(display)
        _ = XSetErrorHandler { display, event in
            guard let display, let event else { return 0 }
            X11Faults.faults.withLock { $0.protocolErrors[UInt(bitPattern: display)] = Int(event.pointee.error_code) }
            return 0
        }
        _ = XSetIOErrorHandler { _ in 0 }
        XSetIOErrorExitHandler(
            display,
            { display, _ in
                guard let display else { return }
                _ = X11Faults.faults.withLock { $0.brokenConnections.insert(UInt(bitPattern: display)) }
            }, nil)
    }

    /// The code of a protocol error since the last call, if there was one.
    static func takeProtocolError(of display: OpaquePointer) -> Int? {
        faults.withLock { $0.protocolErrors.removeValue(forKey: UInt(bitPattern: display)) }
    }

    static func isBroken(_ display: OpaquePointer) -> Bool {
        faults.withLock { $0.brokenConnections.contains(UInt(bitPattern: display)) }
    }

    static func forget(_ display: OpaquePointer) {
        faults.withLock {
            $0.protocolErrors.removeValue(forKey: UInt(bitPattern: display))
            $0.brokenConnections.remove(UInt(bitPattern: display))
        }
    }
}
