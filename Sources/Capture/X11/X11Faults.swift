import CX11
import Synchronization

/// The errors on X connections, as reported by Xlib's process-wide handlers.
///
/// By default, Xlib exits the process after a protocol error or a broken connection. These handlers only record the
/// error, and the owner of the connection checks it after each request (docs/architecture.md;
/// XSetIOErrorExitHandler(3), libX11 1.7 and later).
enum X11Faults {
    private struct Faults {
        /// The code of the last protocol error of each connection, by the address of its Display.
        var protocolErrors: [UInt: Int] = [:]
        var brokenConnections: Set<UInt> = []
    }

    private static let faults = Mutex(Faults())

    /// Starts to record the errors of `display`.
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

    /// Returns and clears the code of the last protocol error since the previous call, or nil if there was none.
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
