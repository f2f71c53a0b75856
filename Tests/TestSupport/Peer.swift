import Foundation
import Synchronization

/// A child process of a test, with its own folder for its files and its output.
/// Start it through `Peers`, which ends it when the test ends, in whatever way.
package final class Peer: Sendable {
    /// What error messages call it.
    package let name: String
    /// Its working folder, an absolute path.
    package let folder: String
    /// Its pid. setpriv has become the program itself, so signals go straight to it.
    package let processIdentifier: pid_t

    private struct State {
        var status: ExitStatus?
        /// The signals that were sent to it.
        var sent: Set<Int32> = []
        /// Our end of its standard input, -1 if there is none.
        var input: Int32 = -1
        /// Our end of its standard output, -1 if there is none.
        var output: Int32 = -1
    }
    private let state: Mutex<State>

    /// The names of the programs in its command, without their folders: itself, or what a shell or another program runs
    /// for it.
    let programs: Set<String>

    init(
        name: String, command: [String], environment: [String: String], folder: String, input: PeerInput,
        output: PeerOutput
    ) throws(PeerError) {
        var theirs = try Self.openInput(input)
        defer { theirs.forEach { close($0) } }
        var ours = State()
        if case .pipe = input { ours.input = theirs.removeLast() }
        switch output {
        case .file: theirs.append(try Self.open(folder + "/stdout", O_WRONLY | O_CREAT | O_APPEND))
        case .pipe:
            let ends = try Self.pipe()
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            // Raw pictures come through here: as large as an ordinary user's pipe may be. F_SETPIPE_SZ is a macro that
            // Swift does not import.
            _ = fcntl(ends[0], 1031, Int32(1 << 20))
            ours.output = ends[0]
            theirs.append(ends[1])
        }
        theirs.append(try Self.open(folder + "/stderr", O_WRONLY | O_CREAT | O_APPEND))
        processIdentifier = try ProcessSpawner.spawn(
            command, environment: environment, folder: folder, descriptors: theirs)
        self.name = name
        programs = Set(command.map { URL(fileURLWithPath: $0).lastPathComponent })
        self.folder = folder
        state = Mutex(ours)
    }

    deinit {
        if status == nil {
            kill(processIdentifier, SIGKILL)
            waitpid(processIdentifier, nil, 0)
        }
        state.withLock { state in [state.input, state.output].filter { $0 >= 0 }.forEach { close($0) } }
    }

    /// How it ended; nil while it runs.
    package var status: ExitStatus? {
        state.withLock { state in
            if state.status == nil {
                var status: Int32 = 0
                if waitpid(processIdentifier, &status, WNOHANG) == processIdentifier {
                    state.status = ExitStatus(waitStatus: status)
                }
            }
            return state.status
        }
    }

    /// All that it has printed on standard output so far (empty if that is a pipe).
    package var standardOutput: String { text(of: "stdout") }

    /// All that it has printed on standard error so far.
    package var standardError: String { text(of: "stderr") }

    /// Sends it a signal, if it still runs.
    package func signal(_ number: Int32) {
        guard status == nil else { return }
        expectSignal(number)
        kill(processIdentifier, number)
    }

    /// Notes that this signal may end the process, because the test has it sent by other means than `signal`.
    package func expectSignal(_ number: Int32) {
        state.withLock { _ = $0.sent.insert(number) }
    }

    /// The signal that ended it and that the test did not send, or nil. A shell passes on a crash of its command as 128
    /// and the signal.
    var unexpectedSignal: Int32? {
        let crashes: Set = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
        switch status {
        case .signalled(let number): return state.withLock { $0.sent.contains(number) } ? nil : number
        case .exited(let code): return crashes.contains(code - 128) ? code - 128 : nil
        case nil: return nil
        }
    }

    /// Waits until a condition holds. Throws if the deadline passes, or if the process ends while the condition does
    /// not hold.
    nonisolated(nonsending) package func wait(
        for what: String, deadline: Duration = .seconds(30), condition: () async throws -> Bool
    ) async throws {
        do {
            try await waitUntil(what, deadline: deadline) {
                let ended = status
                if try await condition() { return true }
                if let ended { throw PeerError.ended(name, status: ended, errors: tail(standardError)) }
                return false
            }
        } catch PeerError.deadline(let what, _) {
            throw PeerError.deadline(
                "\(name): \(what)", context: "It ran on for \(deadline); its errors: \(tail(standardError))")
        }
    }

    /// Waits until it has ended by itself, and gives how.
    @discardableResult
    nonisolated(nonsending) package func waitForExit(deadline: Duration = .seconds(30)) async throws -> ExitStatus {
        try await wait(for: "its end", deadline: deadline) { status != nil }
        guard let status else { throw PeerError.answer("\(name) has no status") }
        return status
    }

    /// SIGTERM, and SIGKILL if it has not ended within the grace time. Gives how it ended.
    @discardableResult
    nonisolated(nonsending) package func terminate(grace: Duration = .seconds(10)) async throws -> ExitStatus {
        signal(SIGTERM)
        do {
            return try await waitForExit(deadline: grace)
        } catch PeerError.deadline {
            return try await killNow()
        }
    }

    /// Sends it a signal again and again until it has ended: one that comes too soon after another does not count.
    nonisolated(nonsending) package func signalUntilExit(_ number: Int32, deadline: Duration = .seconds(30))
        async throws
    {
        try await wait(for: "its end", deadline: deadline) {
            signal(number)
            return status != nil
        }
    }

    /// SIGKILL, and waits for the end.
    @discardableResult
    nonisolated(nonsending) package func killNow() async throws -> ExitStatus {
        signal(SIGKILL)
        return try await waitForExit()
    }

    /// The descriptors of its pipes, for `Peer+Pipes.swift`.
    var descriptors: (input: Int32, output: Int32) { state.withLock { ($0.input, $0.output) } }

    /// Closes its standard input: it reads the end.
    package func closeInput() {
        state.withLock { state in
            if state.input >= 0 { close(state.input) }
            state.input = -1
        }
    }

    private func text(of file: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data(), as: UTF8.self)
    }

    private func tail(_ text: String) -> String { String(text.suffix(2000)) }

    private static func openInput(_ input: PeerInput) throws(PeerError) -> [Int32] {
        switch input {
        case .nothing: [try open("/dev/null", O_RDONLY)]
        case .file(let path): [try open(path, O_RDONLY)]
        case .pipe: try pipe()
        }
    }

    private static func open(_ path: String, _ flags: Int32) throws(PeerError) -> Int32 {
        let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open \(path)", errno: errno) }
        return descriptor
    }

    /// Both ends, the reading one first. Made on the thread that starts children, so that none is started before they
    /// are marked not to be inherited.
    private static func pipe() throws(PeerError) -> [Int32] {
        let result = Mutex<[Int32]>([])
        SpawnThread.run {
            var ends: [Int32] = [-1, -1]
            guard Foundation.pipe(&ends) == 0 else { return }
            ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
            result.withLock { $0 = ends }
        }
        let ends = result.withLock { $0 }
        guard ends.count == 2 else { throw .system(call: "pipe", errno: EMFILE) }
        return ends
    }
}
