import Glibc

/// A program in the manner of dmenu: it reads one entry a line, and prints the one that was chosen.
struct MenuProgram {
    /// For sh(1).
    let command: String

    /// What was chosen, without the newline; nil where it ended with another status than 0, or printed nothing.
    func choose(from entries: [String]) throws(CommandError) -> String? {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw failure(errno) }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pid: pid_t
        do throws(CommandError) {
            pid = try spawn(input: input[0], output: output[1])
        } catch {
            for end in input + output { close(end) }
            throw error
        }
        close(input[0])
        close(output[1])
        // A menu may end without having read all: that is no error.
        write(entries.map { DisplayWidth.printable($0) + "\n" }.joined(), to: input[1])
        close(input[1])
        let answer = read(output[0])
        close(output[0])
        guard wait(for: pid) == 0 else { return nil }
        let line = answer.prefix { $0 != 0x0a && $0 != 0x0d }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    private func spawn(input: Int32, output: Int32) throws(CommandError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores SIGPIPE, and its threads block most signals; others expect neither.
        var standard = sigset_t()
        sigemptyset(&standard)
        posix_spawnattr_setsigmask(&attributes, &standard)
        sigaddset(&standard, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &standard)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let arguments = ["sh", "-c", command]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &pointers, environ)
        guard code == 0 else { throw failure(code) }
        return pid
    }

    private func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// All that it prints, as far as it can be the name of anything.
    private func read(_ descriptor: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return answer }
            if answer.count < 65536 { answer += bytes.prefix(count) }
        }
    }

    private func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status
    }

    private func failure(_ code: Int32) -> CommandError {
        CommandError(.software, "The menu program cannot be started: \(String(cString: strerror(code))). Try it in a shell.")
    }
}
