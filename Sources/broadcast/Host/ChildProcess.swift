import Glibc

/// A short-lived child process: bytes in, bytes out, and an end by a deadline whatever it does.
struct ChildProcess {
    /// What it left.
    struct Result {
        /// Its exit status; nil where a signal ended it, or it was ended because of the deadline.
        var status: Int32?
        var output: [UInt8]
    }

    /// Starts `path` and waits until it has ended; nil where it cannot be started. Its standard error goes to /dev/null.
    ///
    /// - Parameters:
    ///   - arguments: with its own name as the first.
    ///   - deadline: seconds until the first output, then seconds until the end.
    static func run(_ path: String, _ arguments: [String], input: [UInt8] = [], deadline: (first: Double, rest: Double)) -> Result? {
        guard let (read: theirInput, write: ourInput) = makePipe() else { return nil }
        guard let (read: ourOutput, write: theirOutput) = makePipe() else {
            close(theirInput)
            close(ourInput)
            return nil
        }
        let pid = spawn(path, arguments, input: theirInput, output: theirOutput)
        close(theirInput)
        close(theirOutput)
        // Far less than a pipe holds: it does not block.
        if pid != nil { _ = input.withUnsafeBytes { write(ourInput, $0.baseAddress, min($0.count, 4096)) } }
        close(ourInput)
        defer { close(ourOutput) }
        guard let pid else { return nil }
        let (output, isComplete) = readAll(ourOutput, deadline: deadline)
        if !isComplete { kill(pid, SIGKILL) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return Result(status: isComplete && status & 0x7f == 0 ? status >> 8 & 0xff : nil, output: output)
    }

    /// Starts a program that is looked for in PATH, and leaves it to itself. False where it is not there.
    static func launch(_ arguments: [String]) -> Bool {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        return spawn(arguments.first ?? "", arguments, input: null, output: null) != nil
    }

    private static func spawn(_ path: String, _ arguments: [String], input: Int32, output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // glibc 2.34 and later have closefrom here, which Swift does not see; every descriptor of ours is close-on-exec instead.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var pid: pid_t = 0
        return posix_spawnp(&pid, path, &actions, &attributes, &pointers, environ) == 0 ? pid : nil
    }

    private static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Everything until the end, and whether the end came in time.
    private static func readAll(_ descriptor: Int32, deadline: (first: Double, rest: Double)) -> (output: [UInt8], isComplete: Bool) {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var end = ContinuousClock.now + .seconds(deadline.first)
        while true {
            let left = end - ContinuousClock.now
            guard left > .zero else { return (output, false) }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&poller, 1, Int32(left.components.seconds * 1000) + Int32(left.components.attoseconds / 1_000_000_000_000_000) + 1)
            if ready <= 0 { continue }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return (output, true) }
            if output.isEmpty { end = ContinuousClock.now + .seconds(deadline.rest) }
            output += buffer[..<count]
        }
    }
}
