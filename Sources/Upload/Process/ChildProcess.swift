import CLinux
import Glibc
import Synchronization
import Threads

/// How a process ended.
package enum ExitReport: Sendable, Equatable, CustomStringConvertible {
    case exited(Int32)
    case killed(signal: Int32)

    /// From what wait(2) gives.
    init(waitStatus status: Int32) {
        self = status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: status & 0x7f)
    }

    package var description: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .killed(let signal): "signal \(signal), \(String(cString: strsignal(signal)))"
        }
    }
}

/// A program with three pipes, in a process group of its own that ends with it.
///
/// One thread starts it and waits for it: the kernel kills the program when that thread ends, so it must last as long.
final class ChildProcess: Sendable {
    /// Why a program cannot be started: errno.
    struct Failure: Error {
        let code: Int32
        var reason: String { String(cString: strerror(code)) }
    }

    /// Our ends, non-blocking: to its standard input; from its standard output and error; and one that is closed when it has ended.
    struct Pipes {
        var input: Int32
        var output: Int32
        var errors: Int32
        var ended: Int32
    }

    let processIdentifier: pid_t
    let pipes: Pipes
    private let exit: Exit

    private final class Exit: Sendable {
        let report = Mutex<ExitReport?>(nil)
    }

    /// How it ended; nil while it runs.
    var exitReport: ExitReport? { exit.report.withLock { $0 } }

    /// Starts `path` in `folder` with nothing but `environment`.
    init(path: String, folder: String, environment: [String: String]) throws(Failure) {
        var made: [Int32] = []
        func makePipe() throws(Failure) -> (reading: Int32, writing: Int32) {
            var ends: [Int32] = [-1, -1]
            guard clinux_pipe(&ends) == 0 else { throw Failure(code: errno) }
            // The program's descriptors are set one by one: none of ours may be among the first three.
            for index in 0..<2 {
                let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, 3)
                close(ends[index])
                guard moved >= 0 else { throw Failure(code: errno) }
                ends[index] = moved
            }
            made += ends
            return (ends[0], ends[1])
        }
        let input: (reading: Int32, writing: Int32)
        let output: (reading: Int32, writing: Int32)
        let errors: (reading: Int32, writing: Int32)
        let ended: (reading: Int32, writing: Int32)
        do throws(Failure) {
            input = try makePipe()
            output = try makePipe()
            errors = try makePipe()
            ended = try makePipe()
        } catch {
            for descriptor in made { close(descriptor) }
            throw error
        }
        let ours = [input.writing, output.reading, errors.reading, ended.reading]
        for descriptor in ours { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        // Raw pictures come through here: as large as an ordinary user's pipe may be. F_SETPIPE_SZ is a macro that Swift does not import.
        _ = fcntl(input.writing, 1031, Int32(1 << 20))
        let exit = Exit()
        let started = Monitor<Result<pid_t, Failure>?>(nil)
        let theirs = (input.reading, output.writing, errors.writing)
        let lifeline = ended.writing
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let hasThread = NamedThread.detach(name: name) {
            var result = Self.spawn(path: path, folder: folder, environment: environment, descriptors: theirs)
            // A program that was written a moment ago may still be open in a child that someone forked meanwhile.
            for _ in 0..<10 {
                guard case .failure(let error) = result, error.code == ETXTBSY else { break }
                usleep(20_000)
                result = Self.spawn(path: path, folder: folder, environment: environment, descriptors: theirs)
            }
            started.update { $0 = result }
            if case .success(let pid) = result {
                let status = clinux_wait_for_group(pid)
                exit.report.withLock { $0 = ExitReport(waitStatus: status) }
            }
            close(lifeline)
        }
        guard hasThread else {
            for descriptor in made { close(descriptor) }
            throw Failure(code: EAGAIN)
        }
        let start = started.wait { $0 }
        for descriptor in [theirs.0, theirs.1, theirs.2] { close(descriptor) }
        switch start {
        case .success(let pid)?:
            processIdentifier = pid
            pipes = Pipes(input: ours[0], output: ours[1], errors: ours[2], ended: ours[3])
            self.exit = exit
        case .failure(let error)?:
            for descriptor in ours { close(descriptor) }
            throw error
        case nil:
            for descriptor in ours { close(descriptor) }
            throw Failure(code: EAGAIN)
        }
    }

    /// Sends a signal to the program and all that it has started, if it still runs.
    func signal(_ number: Int32) {
        exit.report.withLock { report in
            if report == nil { kill(-processIdentifier, number) }
        }
    }

    private static func spawn(
        path: String, folder: String, environment: [String: String], descriptors: (Int32, Int32, Int32)
    ) -> Result<pid_t, Failure> {
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        let pid = path.withCString { path in
            folder.withCString { folder in
                arguments.withUnsafeMutableBufferPointer { arguments in
                    variables.withUnsafeMutableBufferPointer { variables -> pid_t in
                        guard let arguments = arguments.baseAddress, let variables = variables.baseAddress else { return -1 }
                        var program = clinux_program(
                            path: path, folder: folder, arguments: arguments, environment: variables, descriptors: descriptors)
                        return clinux_spawn(&program)
                    }
                }
            }
        }
        return pid > 0 ? .success(pid) : .failure(Failure(code: errno))
    }
}
