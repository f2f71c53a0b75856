import CLinux
import Concurrency
import Glibc

/// A short-lived program: it is started, its output is collected, and it has ended by a deadline.
package enum Command {
    /// What the program shares with this process.
    package enum Surroundings: Sendable {
        /// Standard input is these bytes, standard error is discarded.
        case isolated(input: [UInt8])
        /// Standard input and error, and the terminal's foreground: the program may ask questions, and Ctrl-C goes to it.
        case terminal
        /// The same, but standard input is these bytes: a program that lets the user choose from a list.
        case menu(input: [UInt8])
    }

    /// How the program ended.
    package enum End: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
        /// It was killed at its deadline.
        case timedOut
        /// It was killed because its output is no longer wanted.
        case interrupted
    }

    package struct Result: Sendable {
        package var end: End
        /// Standard output, at most `maximumOutput` bytes of it.
        package var output: [UInt8]
    }

    /// How long a program may take.
    package struct Deadline: Sendable {
        /// From the start to the first byte of output, or to the end.
        package var firstOutput: Duration
        /// From the first byte of output to the end.
        package var end: Duration

        package init(firstOutput: Duration, end: Duration) {
            self.firstOutput = firstOutput
            self.end = end
        }

        /// One limit for both.
        package init(_ limit: Duration) {
            self.init(firstOutput: limit, end: limit)
        }
    }

    /// Bytes of output that are kept; the rest is read and discarded.
    package static let maximumOutput = 256 << 10

    /// Runs `program` to its end. Blocks the calling thread. At the end nothing of its process group is left.
    ///
    /// - Parameter isInterrupted: polled at least every 50 ms; true kills the program.
    /// - Throws: if the program cannot be started.
    package static func run(
        _ program: Program, _ surroundings: Surroundings = .isolated(input: []), deadline: Deadline, isInterrupted: () -> Bool = { false }
    ) throws(SystemError) -> Result {
        var program = program
        // The thread waits below, so the program cannot outlive this process.
        program.endsWithThread = true
        var output = try Pipe()
        let pid: pid_t
        switch surroundings {
        case .terminal:
            program.group = .foreground
            pid = try program.start(.init(input: STDIN_FILENO, output: output.writing, errors: STDERR_FILENO))
        case .isolated(let bytes):
            var input = try Pipe()
            pid = try program.start(.init(input: input.reading, output: output.writing))
            input.closeReading()
            feed(bytes, to: input.takeWriting())
        case .menu(let bytes):
            var input = try Pipe()
            program.group = .foreground
            pid = try program.start(.init(input: input.reading, output: output.writing, errors: STDERR_FILENO))
            input.closeReading()
            feed(bytes, to: input.takeWriting())
        }
        output.closeWriting()
        let result = wait(for: pid, reading: output.reading, deadline: deadline, isInterrupted: isInterrupted)
        if program.group == .foreground { clinux_take_foreground(pid) }
        return result
    }

    /// Starts a program in a session of its own, with /dev/null as its streams, and does not wait for it. A thread reaps it.
    ///
    /// - Throws: if the program cannot be started, for example ENOENT.
    package static func launch(_ arguments: [String]) throws(SystemError) {
        var program = Program(arguments.first ?? "", arguments: arguments)
        program.group = .session
        let pid = try program.start(.init())
        // Only the program itself is reaped: what it started, such as a viewer, goes on.
        _ = NamedThread.detach(name: "reap") {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        }
    }

    /// Writes the input of a program. What a pipe does not hold at once is written by a thread, which ends when the program stops reading.
    private static func feed(_ bytes: [UInt8], to end: consuming FileDescriptor?) {
        guard let descriptor = end.take()?.release() else { return }
        let write = { @Sendable in
            try? FileDescriptor.writeAll(bytes, to: descriptor)
            close(descriptor)
        }
        // pipe(7): a pipe holds 64 KiB at least.
        if bytes.count <= 65_536 || !NamedThread.detach(name: "input", write) { write() }
    }

    private static func wait(for pid: pid_t, reading descriptor: Int32, deadline: Deadline, isInterrupted: () -> Bool) -> Result {
        let output = FileDescriptor(borrowing: descriptor)
        var bytes: [UInt8] = []
        var limit = ContinuousClock.now + deadline.firstOutput
        var isOpen = true
        while true {
            var status: Int32 = 0
            if clinux_poll_group(pid, &status) {
                // What it wrote is in the pipe. Something outside its process group may hold the pipe open, and is not waited for.
                while isOpen, bytes.count < maximumOutput, output.waitUntilReadable(milliseconds: 0) {
                    guard let chunk = try? output.read(upTo: 4096), !chunk.isEmpty else { break }
                    bytes += chunk.prefix(maximumOutput - bytes.count)
                }
                switch TerminationStatus(waitStatus: status) {
                case .exited(let code): return Result(end: .exited(code), output: bytes)
                case .killed(let signal): return Result(end: .killed(signal: signal), output: bytes)
                }
            }
            let isUnwanted = isInterrupted()
            guard !isUnwanted, ContinuousClock.now < limit else {
                kill(-pid, SIGKILL)
                _ = clinux_wait_for_group(pid)
                return Result(end: isUnwanted ? .interrupted : .timedOut, output: bytes)
            }
            guard isOpen else {
                usleep(2000)
                continue
            }
            guard output.waitUntilReadable(milliseconds: 50) else { continue }
            guard let chunk = try? output.read(upTo: 4096), !chunk.isEmpty else {
                isOpen = false
                continue
            }
            if bytes.isEmpty { limit = ContinuousClock.now + deadline.end }
            bytes += chunk.prefix(maximumOutput - bytes.count)
        }
    }
}
