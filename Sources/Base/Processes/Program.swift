import CLinux
import Glibc

/// How a process ended.
package enum TerminationStatus: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)

    /// - Parameter status: in the format of wait(2).
    package init(waitStatus status: Int32) {
        self = status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: status & 0x7f)
    }
}

/// A program to start. All processes of this package are started with this type.
///
/// The new process inherits only the descriptors in `Descriptors`. Its signals are unblocked and have their default
/// actions. It leads a new process group, so that it can be ended together with all processes that it started.
package struct Program: Sendable {
    /// The process group and terminal of the new process.
    package enum Group: Sendable {
        case own
        /// The foreground group of the terminal if this process is in the foreground. Ctrl-C then reaches only the new
        /// program.
        case foreground
        /// A new session without a terminal. The program continues when the terminal of this process is closed.
        case session
    }

    /// The descriptors that become 0 to 3 in the program. They stay open in this process. Nil stands for /dev/null; for
    /// `fourth` it means that there is no descriptor 3.
    package struct Descriptors: Sendable {
        package var input: Int32?
        package var output: Int32?
        package var errors: Int32?
        package var fourth: Int32?

        package init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil, fourth: Int32? = nil) {
            self.input = input
            self.output = output
            self.errors = errors
            self.fourth = fourth
        }
    }

    /// A path, or a name to find in PATH.
    package var path: String
    /// The arguments, starting with the program's own name.
    package var arguments: [String]
    /// The complete environment; nil for the environment of this process.
    package var environment: [String: String]?
    /// The working folder; nil for the one of this process.
    package var folder: String?
    package var group = Group.own
    /// If true, the kernel kills the program when the thread that started it ends.
    package var endsWithThread = false
    /// False to write no core file after a crash.
    package var writesCoreFile = true

    package init(_ path: String, arguments: [String], environment: [String: String]? = nil, folder: String? = nil) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
    }

    /// Starts the program and returns its process identifier. The caller reaps it.
    ///
    /// - Throws: the error of the system, also if the program cannot be executed, for example ENOENT or EACCES.
    package func start(_ descriptors: Descriptors) throws(SystemError) -> pid_t {
        var arguments: [UnsafeMutablePointer<CChar>?] = self.arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            (environment ?? [:]).sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let path = strdup(path)
        let folder = folder.flatMap { strdup($0) }
        defer {
            for pointer in arguments + variables { free(pointer) }
            free(path)
            free(folder)
        }
        guard let path else { throw SystemError(code: ENOMEM) }
        let pid = arguments.withUnsafeMutableBufferPointer { arguments in
            variables.withUnsafeMutableBufferPointer { variables -> pid_t in
                guard let list = arguments.baseAddress else { return -1 }
                var program = clinux_program(
                    path: UnsafePointer(path), arguments: UnsafePointer(list),
                    environment: environment == nil ? nil : variables.baseAddress.map { UnsafePointer($0) },
                    folder: folder.map { UnsafePointer($0) },
                    descriptors: (
                        descriptors.input ?? -1, descriptors.output ?? -1, descriptors.errors ?? -1,
                        descriptors.fourth ?? -1
                    ),
                    group: group.code, dies_with_thread: endsWithThread, has_no_core: !writesCoreFile)
                return clinux_spawn(&program)
            }
        }
        guard pid > 0 else { throw .last }
        return pid
    }

    /// Waits until a started program ends, reaps it, and ends what is left of its process group. After `limit`, the
    /// program is killed.
    package static func end(_ pid: pid_t, within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        var status: Int32 = 0
        while !clinux_poll_group(pid, &status) {
            if .now >= deadline { kill(-pid, SIGKILL) }
            usleep(5_000)
        }
    }
}

extension Program.Group {
    fileprivate var code: clinux_group {
        switch self {
        case .own: CLINUX_GROUP_OWN
        case .foreground: CLINUX_GROUP_FOREGROUND
        case .session: CLINUX_GROUP_SESSION
        }
    }
}
