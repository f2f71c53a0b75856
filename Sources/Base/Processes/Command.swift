import CLinux
import Concurrency
import Glibc

/// Runs a short-lived program: starts it, collects its output, and ends it at a deadline.
package enum Command {
    /// The streams that the program shares with this process.
    package enum Surroundings: Sendable {
        /// Standard input is these bytes, standard error is discarded.
        case isolated(input: [UInt8])
        /// The program shares standard input, standard error and the terminal's foreground: it may ask questions and
        /// receives Ctrl-C.
        case terminal
        /// The same, but standard input is these bytes, for a menu program.
        case menu(input: [UInt8])
    }

    /// The result of the program.
    package enum End: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
        /// It was killed at its deadline.
        case timedOut
        /// It was killed because its output is no longer needed.
        case interrupted
    }

    package struct Result: Sendable {
        package var end: End
        /// The program's standard output, at most `maximumOutput` bytes.
        package var output: [UInt8]
    }

    /// The time limits of a program.
    package struct Deadline: Sendable {
        /// The limit from the start to the first byte of output, or to the end.
        package var firstOutput: Duration
        /// The limit from the first byte of output to the end.
        package var end: Duration

        package init(firstOutput: Duration, end: Duration) {
            self.firstOutput = firstOutput
            self.end = end
        }

        /// The same limit for both.
        package init(_ limit: Duration) {
            self.init(firstOutput: limit, end: limit)
        }
    }

    /// The maximum number of output bytes. The rest is read and discarded.
    package static let maximumOutput = 256 << 10

    /// Runs `program` to its end. Blocks the calling thread. Afterwards no process of its process group remains.
    ///
    /// - Parameter isInterrupted: polled at least every 50 ms; if it returns true, the program is killed.
    /// - Throws: if the program cannot be started.
    package static func run(
        _ program: Program, _ surroundings: Surroundings = .isolated(input: []), deadline: Deadline,
        isInterrupted: () -> Bool = { false }
    ) throws(SystemError) -> Result {
        var program = program
        // The thread waits below, so the program cannot outlive this process.
        program.endsWithThread = true
        var output = try Pipe()
        let settings = TerminalSettings()
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
        if program.group == .foreground {
            clinux_take_foreground(pid)
            settings?.restore()
        }
        return result
    }

    /// The settings of the terminal on standard input. A program that is ended while it reads a passphrase leaves the
    /// terminal without echo.
    private struct TerminalSettings {
        private var settings = termios()

        /// Nil without a terminal.
        init?() {
            guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        }

        /// Restores the settings if this process is in the foreground of the terminal.
        func restore() {
            guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
            withUnsafePointer(to: settings) { _ = tcsetattr(STDIN_FILENO, TCSANOW, $0) }
        }
    }

    /// Starts a program in a new session, with /dev/null as its streams, and does not wait for it. A thread reaps it.
    ///
    /// - Throws: if the program cannot be started, for example ENOENT.
    @discardableResult
    package static func launch(_ arguments: [String]) throws(SystemError) -> LaunchedProgram {
        try LaunchedProgram(arguments)
    }

    /// Writes the input of a program. A thread writes what the pipe cannot buffer, and ends when the program stops
    /// reading.
    private static func feed(_ bytes: [UInt8], to end: consuming FileDescriptor?) {
        guard let descriptor = end.take()?.release() else { return }
        let write = { @Sendable in
            try? FileDescriptor.writeAll(bytes, to: descriptor)
            close(descriptor)
        }
        // A pipe buffers at least 64 KiB (pipe(7)).
        if bytes.count <= 65_536 || !NamedThread.detach(name: "input", write) { write() }
    }

    private static func wait(for pid: pid_t, reading descriptor: Int32, deadline: Deadline, isInterrupted: () -> Bool)
        -> Result
    {
        let output = FileDescriptor(borrowing: descriptor)
        var bytes: [UInt8] = []
        var limit = ContinuousClock.now + deadline.firstOutput
        var isOpen = true
        while true {
            var status: Int32 = 0
            if clinux_poll_group(pid, &status) {
                // The program's output is in the pipe. Do not wait for processes outside its group that keep the pipe
                // open.
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
