/// How a process ended.
package enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
    /// It ended by itself with this status, 0...255.
    case exited(Int32)
    /// This signal killed it.
    case signalled(Int32)

    /// From what wait(2) gives.
    init(waitStatus status: Int32) {
        self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }

    package var description: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .signalled(let signal): "killed by signal \(signal)"
        }
    }
}
