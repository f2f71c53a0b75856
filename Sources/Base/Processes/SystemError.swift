import Glibc

/// A failed system call.
package struct SystemError: Error, Sendable, Equatable {
    /// errno of the call.
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }

    /// The error of the call that just failed on this thread.
    package static var last: SystemError { SystemError(code: errno) }

    /// The system's description of the code (strerror(3)).
    package var reason: String { String(cString: strerror(code)) }
}
