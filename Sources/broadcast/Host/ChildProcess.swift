import CLinux
import FoundationEssentials
import Glibc

/// A child process that is waited for: bytes out, and an end by a deadline whatever it does.
struct ChildProcess {
    /// What it has of this process.
    enum Surroundings {
        /// These bytes as its standard input, and /dev/null for its errors.
        case alone(input: [UInt8])
        /// Standard input and error: it may ask on the terminal.
        case shared
    }

    /// How it ended.
    enum End: Equatable {
        case exited(Int32)
        case killed(signal: Int32)
        /// It was ended because of the deadline.
        case tooLate
        /// It was ended because nobody wants its output any more.
        case interrupted
    }

    /// What it left.
    struct Result {
        var end: End
        var output: [UInt8]

        /// Its exit status; nil where it has none.
        var status: Int32? { if case .exited(let status) = end { status } else { nil } }
    }

    /// Bytes that are kept of the output; what comes after them is read and left out.
    private static let maximumOutput = 256 << 10

    /// Starts `path` and waits until it has ended; nil where it cannot be started. Blocks its thread.
    ///
    /// - Parameters:
    ///   - arguments: with its own name as the first.
    ///   - environment: nil for this process's own.
    ///   - folder: where it runs; nil for where this process does.
    ///   - deadline: seconds until the first output, then seconds until the end.
    ///   - isInterrupted: asked again and again; true ends the child.
    static func run(
        _ path: String, _ arguments: [String], _ surroundings: Surroundings = .alone(input: []), environment: [String: String]? = nil,
        folder: String? = nil, deadline: (first: Double, rest: Double), isInterrupted: () -> Bool = { false }
    ) -> Result? {
        guard let (read: ourOutput, write: theirOutput) = makePipe() else { return nil }
        defer { close(ourOutput) }
        var theirInput = STDIN_FILENO
        var ourInput: Int32 = -1
        if case .alone = surroundings {
            guard let pipe = makePipe() else {
                close(theirOutput)
                return nil
            }
            (theirInput, ourInput) = pipe
        }
        let errors = if case .alone = surroundings { open("/dev/null", O_WRONLY | O_CLOEXEC) } else { STDERR_FILENO }
        let pid = spawn(path, arguments, environment: environment, folder: folder, descriptors: [theirInput, theirOutput, errors])
        close(theirOutput)
        if case .alone(let input) = surroundings {
            close(theirInput)
            close(errors)
            // Far less than a pipe holds: it does not block.
            if pid != nil { _ = input.withUnsafeBytes { write(ourInput, $0.baseAddress, min($0.count, 4096)) } }
            close(ourInput)
        }
        guard let pid else { return nil }
        return wait(for: pid, reading: ourOutput, deadline: deadline, isInterrupted: isInterrupted)
    }

    /// Starts a program that is looked for in PATH, and leaves it to itself. False where it is not there.
    static func launch(_ arguments: [String]) -> Bool {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        return spawn(arguments.first ?? "", arguments, environment: nil, folder: nil, descriptors: [null, null, null]) != nil
    }

    /// No signal is blocked or ignored in the child, whatever the threads here do.
    private static func spawn(_ path: String, _ arguments: [String], environment: [String: String]?, folder: String?, descriptors: [Int32]) -> pid_t?
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() { posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number)) }
        if let folder { clinux_spawn_in_folder(&actions, folder) }
        // glibc 2.34 and later have closefrom here, which Swift does not see; every descriptor of ours is close-on-exec instead.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in pointers + variables { free(pointer) } }
        var pid: pid_t = 0
        let code =
            environment == nil
            ? posix_spawnp(&pid, path, &actions, &attributes, &pointers, environ)
            : posix_spawnp(&pid, path, &actions, &attributes, &pointers, &variables)
        return code == 0 ? pid : nil
    }

    private static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func wait(
        for pid: pid_t, reading descriptor: Int32, deadline: (first: Double, rest: Double), isInterrupted: () -> Bool
    ) -> Result {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var limit = ContinuousClock.now + .seconds(deadline.first)
        var isOpen = true
        while true {
            var status: Int32 = 0
            if !isOpen && waitpid(pid, &status, WNOHANG) == pid {
                let signal = status & 0x7f
                return Result(end: signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal), output: output)
            }
            let isUnwanted = isInterrupted()
            guard !isUnwanted, ContinuousClock.now < limit else {
                kill(pid)
                return Result(end: isUnwanted ? .interrupted : .tooLate, output: output)
            }
            var poller = pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, isOpen ? 50 : 2) > 0 else { continue }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                isOpen = false
                continue
            }
            if output.isEmpty { limit = ContinuousClock.now + .seconds(deadline.rest) }
            if output.count < maximumOutput { output += buffer[..<count] }
        }
    }

    /// Ends it and all that it has started: a shell may have started what it waits for.
    private static func kill(_ pid: pid_t) {
        for descendant in descendants(of: pid) { Glibc.kill(descendant, SIGKILL) }
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    }

    /// As /proc tells (proc(5), `children`).
    private static func descendants(of pid: pid_t) -> [pid_t] {
        let data = FileManager.default.contents(atPath: "/proc/\(pid)/task/\(pid)/children")
        let children = String(decoding: data ?? Data(), as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
        return children + children.flatMap(descendants)
    }
}
