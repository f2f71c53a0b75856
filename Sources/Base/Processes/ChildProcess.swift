import CLinux
import Concurrency
import Glibc
import Synchronization

/// A long-lived program with three pipes, in a process group that ends with it. Extensions run in it.
///
/// One thread starts it and waits for it. The kernel kills the program when that thread ends, so the thread exists as
/// long as the program.
package final class ChildProcess: Sendable {
    /// This process's ends of the pipes, non-blocking.
    package struct Streams: ~Copyable, Sendable {
        /// Writes to the program's standard input.
        package var input: FileDescriptor?
        /// Reads from its standard output.
        package var output: FileDescriptor?
        /// Reads from its standard error.
        package var errors: FileDescriptor?
        /// Reaches its end when the program has ended and `exitStatus` is set.
        package var ended: FileDescriptor?
    }

    package let processIdentifier: pid_t
    private let streams: Mutex<Streams?>
    private let exit: Exit

    private final class Exit: Sendable {
        let status = Mutex<TerminationStatus?>(nil)
    }

    /// Nil while the program runs.
    package var exitStatus: TerminationStatus? { exit.status.withLock { $0 } }

    /// Starts `path` in `folder` with only `environment` as its environment.
    package init(path: String, folder: String, environment: [String: String]) throws(SystemError) {
        var input = try Pipe()
        var output = try Pipe()
        var errors = try Pipe()
        var ended = try Pipe()
        let exit = Exit()
        let started = Monitor<Result<pid_t, SystemError>?>(nil)
        let theirs = Program.Descriptors(input: input.reading, output: output.writing, errors: errors.writing)
        // The waiting thread closes it to report that the program has ended.
        guard let lifeline = ended.takeWriting()?.release() else { throw SystemError(code: EBADF) }
        var program = Program(path, arguments: [path], environment: environment, folder: folder)
        program.endsWithThread = true
        program.writesCoreFile = false
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let hasThread = NamedThread.detach(name: name) { [program] in
            let result = Self.start(program, theirs)
            started.update { $0 = result }
            if case .success(let pid) = result {
                let status = clinux_wait_for_group(pid)
                exit.status.withLock { $0 = TerminationStatus(waitStatus: status) }
            }
            close(lifeline)
        }
        guard hasThread else {
            close(lifeline)
            throw SystemError(code: EAGAIN)
        }
        guard let start = started.wait(for: { $0 }) else { throw SystemError(code: EAGAIN) }
        processIdentifier = try start.get()
        // Raw pictures need a large pipe: use the maximum for an unprivileged user. 1031 is F_SETPIPE_SZ, a macro that
        // Swift does not import.
        _ = fcntl(input.writing, 1031, Int32(1 << 20))
        let ours = Streams(
            input: input.takeWriting(), output: output.takeReading(), errors: errors.takeReading(),
            ended: ended.takeReading())
        ours.input?.setNonBlocking()
        ours.output?.setNonBlocking()
        ours.errors?.setNonBlocking()
        ours.ended?.setNonBlocking()
        streams = Mutex(ours)
        self.exit = exit
    }

    /// Transfers this process's ends of the pipes to the caller. Later calls return nil.
    package func takeStreams() -> Streams? {
        streams.withLock { $0.take() }
    }

    /// Sends a signal to the program and all processes that it started, if it still runs.
    package func signal(_ number: Int32) {
        exit.status.withLock { status in
            if status == nil { kill(-processIdentifier, number) }
        }
    }

    /// A program file that was just written may still be open in a process that was forked meanwhile (ETXTBSY), so
    /// retry for 200 ms.
    private static func start(_ program: Program, _ descriptors: Program.Descriptors) -> Result<pid_t, SystemError> {
        var result = Result { () throws(SystemError) in try program.start(descriptors) }
        for _ in 0..<10 {
            guard case .failure(let error) = result, error.code == ETXTBSY else { break }
            usleep(20_000)
            result = Result { () throws(SystemError) in try program.start(descriptors) }
        }
        return result
    }
}
