import CX11
import Glibc
import Synchronization

/// The errors of X connections, as reported to Xlib's process-wide handlers.
///
/// By default Xlib ends the process on a protocol error and on a broken connection. These handlers only record the
/// error, and the owner of the connection checks it after each exchange (XSetIOErrorExitHandler(3), libX11 1.7 and
/// later).
enum X11Faults {
    private struct Faults {
        /// The last protocol error of each connection, by the address of its Display: its code, and the number of the
        /// request that caused it.
        var protocolErrors: [UInt: (code: Int, request: UInt)] = [:]
        var brokenConnections: Set<UInt> = []
        /// The displays of this module's connections. Errors of all others go to the handlers of the program.
        var ours: Set<UInt> = []
        /// The threads that open a display.
        var openingThreads: Set<UInt> = []
        var previousErrorHandler: XErrorHandler?
        var previousIOErrorHandler: XIOErrorHandler?
    }

    private static let faults = Mutex(Faults())

    /// Opens a display and routes its errors here. Call it on a thread of its own (`TimedOpening`): if the server ends
    /// between its first answer and the end of the opening, this call never returns. Otherwise Xlib would end the
    /// process, because its exit handler can be set only after the opening.
    static func open(_ name: String) -> OpaquePointer? {
        let thread = UInt(pthread_self())
        _ = faults.withLock { $0.openingThreads.insert(thread) }
        installHandlers()
        let display = XOpenDisplay(name)
        _ = faults.withLock { $0.openingThreads.remove(thread) }
        if let display { watch(display) }
        return display
    }

    /// Routes the errors of `display` here.
    static func watch(_ display: OpaquePointer) {
        forget(display)
        _ = faults.withLock { $0.ours.insert(UInt(bitPattern: display)) }
        installHandlers()
        XSetIOErrorExitHandler(
            display,
            { display, _ in
                guard let display else { return }
                _ = X11Faults.faults.withLock { $0.brokenConnections.insert(UInt(bitPattern: display)) }
            }, nil)
    }

    /// Installs these handlers before those of the program, which still receive the errors of the program's own
    /// displays. Called for each connection, so that it also keeps a handler that the program installed meanwhile.
    private static func installHandlers() {
        let onError: XErrorHandler = { display, event in
            guard let display, let event else { return 0 }
            let previous = X11Faults.faults.withLock { faults -> XErrorHandler? in
                guard faults.ours.contains(UInt(bitPattern: display)) else { return faults.previousErrorHandler }
                faults.protocolErrors[UInt(bitPattern: display)] = (Int(event.pointee.error_code), event.pointee.serial)
                return nil
            }
            return previous?(display, event) ?? 0
        }
        let onIOError: XIOErrorHandler = { display in
            guard let display else { return 0 }
            if X11Faults.isOpening { while true { pause() } }
            let previous = X11Faults.faults.withLock { faults in
                faults.ours.contains(UInt(bitPattern: display)) ? nil : faults.previousIOErrorHandler
            }
            return previous?(display) ?? 0
        }
        let older = XSetErrorHandler(onError)
        let olderIO = XSetIOErrorHandler(onIOError)
        faults.withLock { faults in
            if let older, unsafeBitCast(older, to: Int.self) != unsafeBitCast(onError, to: Int.self) {
                faults.previousErrorHandler = older
            }
            if let olderIO, unsafeBitCast(olderIO, to: Int.self) != unsafeBitCast(onIOError, to: Int.self) {
                faults.previousIOErrorHandler = olderIO
            }
        }
    }

    /// Returns the code of the last protocol error since the last call, if a request from number `first` on caused it
    /// (XNextRequest(3)). An error of an earlier request, whose result was optional, is discarded.
    static func takeProtocolError(of display: OpaquePointer, since first: UInt = 0) -> Int? {
        let error = faults.withLock { $0.protocolErrors.removeValue(forKey: UInt(bitPattern: display)) }
        return error.flatMap { $0.request >= first ? $0.code : nil }
    }

    /// True on a thread that opens a display.
    private static var isOpening: Bool { faults.withLock { $0.openingThreads.contains(UInt(pthread_self())) } }

    static func isBroken(_ display: OpaquePointer) -> Bool {
        faults.withLock { $0.brokenConnections.contains(UInt(bitPattern: display)) }
    }

    static func forget(_ display: OpaquePointer) {
        faults.withLock {
            $0.protocolErrors.removeValue(forKey: UInt(bitPattern: display))
            $0.brokenConnections.remove(UInt(bitPattern: display))
            $0.ours.remove(UInt(bitPattern: display))
        }
    }
}
