import BroadcastExtension
import Glibc
import Processes

/// The pipes to an extension's process, and its termination. Use it on one thread. Each call also reads the extension's
/// pending output.
///
/// Every wait has a limit: a call throws if the extension accepts no data for `progress`, or if the task is cancelled.
final class ExtensionChannel {
    private static let readByteCount = 64 << 10

    private let manifest: ExtensionManifest
    private let launch: ExtensionLaunch
    private let link: ExtensionLink
    private let child: ChildProcess
    /// Nil after it is closed.
    private var input: FileDescriptor?
    private var output: FileDescriptor?
    private var errors: FileDescriptor?
    private var ended: FileDescriptor?
    private var replies: ReplyReader
    private var log: ExtensionLog
    private var isFinishing = false
    private var exitStatus: TerminationStatus?
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now
    private var wasReady = false

    /// Starts the extension's program.
    init(manifest: ExtensionManifest, launch: ExtensionLaunch, link: ExtensionLink) throws(UploadError) {
        self.manifest = manifest
        self.launch = launch
        self.link = link
        let cleaner = ReplyCleaner(manifest: manifest, setup: launch.setup)
        replies = ReplyReader(isLenient: manifest.mode == .stream, cleaner: cleaner, origin: launch.origin)
        log = ExtensionLog(name: manifest.name, cleaner: cleaner)
        do throws(SystemError) {
            child = try ChildProcess(
                path: manifest.executable, folder: manifest.folder, environment: launch.environment)
        } catch {
            throw .extension(name: manifest.name, .cannotStart(program: manifest.executable, code: error.code))
        }
        guard let streams = child.takeStreams() else { return }
        adopt(streams)
    }

    private func adopt(_ streams: consuming ChildProcess.Streams) {
        input = streams.input.take()
        output = streams.output.take()
        errors = streams.errors.take()
        ended = streams.ended.take()
    }

    deinit {
        child.signal(SIGKILL)
    }

    /// Waits for the extension's hello.
    func waitForHello() throws(UploadError) {
        let deadline = clock.now + launch.deadlines.hello
        while !replies.hasSaidHello {
            try checkCancellation()
            guard clock.now < deadline else { return try violate(.noHello(within: launch.deadlines.hello)) }
            try exchange(isWriting: false, milliseconds: 100)
        }
    }

    /// Reads the extension's pending output without waiting.
    func listen() throws(UploadError) {
        try exchange(isWriting: false, milliseconds: 0)
        guard replies.hasSaidHello, !wasReady else { return }
        wasReady = link.remarks.isReady
        guard wasReady || clock.now - start < launch.deadlines.ready else {
            throw problem(.notReady(within: launch.deadlines.ready))
        }
    }

    /// Writes a frame.
    func send(_ header: FrameHeader, payload: [UInt8]) throws(UploadError) {
        try listen()
        // For a long payload two system calls are faster than a copy.
        if payload.count < 1 << 15 {
            try write(header.bytes + payload)
        } else {
            try write(header.bytes)
            try write(payload)
        }
    }

    /// Writes a control frame.
    func send(_ event: ControlEvent) throws(UploadError) {
        let frame = Frame(control: event.json)
        try send(frame.header, payload: frame.payload)
    }

    /// Writes raw bytes.
    func write(_ bytes: [UInt8]) throws(UploadError) {
        var offset = 0
        var lastProgress = clock.now
        while offset < bytes.count {
            guard let descriptor = input?.raw else { return }
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset)
            }
            if count > 0 {
                offset += count
                link.byteCount.add(count, ordering: .relaxed)
                lastProgress = clock.now
                continue
            }
            let code = errno
            if count < 0 && code == EPIPE { try inputWasClosed() }
            if count < 0 && code != EPIPE && code != EAGAIN && code != EINTR { throw problem(.cannotWrite(code: code)) }
            try checkCancellation()
            guard clock.now - lastProgress < launch.deadlines.progress else {
                throw problem(.stalled(for: launch.deadlines.progress))
            }
            try exchange(isWriting: true, milliseconds: 100)
        }
    }

    /// Closes the extension's standard input and waits for the process to exit.
    func finish() throws(UploadError) {
        isFinishing = true
        input = nil
        let deadline = clock.now + launch.deadlines.exit
        while exitStatus == nil {
            if Task.isCancelled || clock.now >= deadline {
                terminate()
                throw problem(.didNotExit(within: launch.deadlines.exit))
            }
            try exchange(isWriting: false, milliseconds: 50)
        }
        if let exitStatus, exitStatus != .exited(0) {
            throw problem(.endedWithError(exitStatus, folder: manifest.folder))
        }
    }

    /// Ends the process: sends SIGTERM to its process group, then SIGKILL.
    func terminate() {
        input = nil
        child.signal(SIGTERM)
        let deadline = clock.now + launch.deadlines.termination
        while child.exitStatus == nil && clock.now < deadline { _ = ended?.waitUntilReadable(milliseconds: 20) }
        child.signal(SIGKILL)
        while child.exitStatus == nil && clock.now < deadline + .seconds(1) {
            _ = ended?.waitUntilReadable(milliseconds: 20)
        }
    }

    // MARK: Reading

    /// Waits until the extension has output, has ended or accepts data, and reads its output.
    private func exchange(isWriting: Bool, milliseconds: Int32) throws(UploadError) {
        var pollers = [
            pollfd(fd: output?.raw ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors?.raw ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ended?.raw ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isWriting ? input?.raw ?? -1 : -1, events: Int16(POLLOUT), revents: 0),
        ]
        guard poll(&pollers, nfds_t(pollers.count), milliseconds) > 0 else { return }
        if pollers[1].revents != 0 { _ = readErrors() }
        if pollers[0].revents != 0 { _ = try readOutput() }
        guard pollers[2].revents != 0 else { return }
        // The process has ended. Its last output determines which error is reported.
        while try readOutput() {}
        while readErrors() {}
        ended = nil
        guard let status = child.exitStatus else { return }
        exitStatus = status
        if !isFinishing { throw problem(.endedEarly(status, folder: manifest.folder)) }
    }

    /// Returns true if something was read.
    private func readOutput() throws(UploadError) -> Bool {
        guard let bytes = try? output?.read(upTo: Self.readByteCount) else { return false }
        if bytes.isEmpty { output = nil }
        for item in replies.append(bytes, at: clock.now) {
            switch item {
            case .reply(let reply): link.note(reply, isFinishing: isFinishing)
            case .text(let line): link.report(.extensionSaid(name: manifest.name, line: line))
            case .violation(let violation): try violate(violation)
            case .failure(let failure): throw problem(failure)
            }
        }
        return !bytes.isEmpty
    }

    /// Throws a violation of the protocol, unless the caller collects violations.
    private func violate(_ violation: ExtensionProblem) throws(UploadError) {
        guard let violations = launch.violations else { throw problem(violation) }
        violations(violation)
    }

    /// Returns true if something was read.
    private func readErrors() -> Bool {
        guard let bytes = try? errors?.read(upTo: Self.readByteCount) else { return false }
        if bytes.isEmpty { errors = nil }
        for notice in log.append(bytes, at: clock.now) { link.report(notice) }
        return !bytes.isEmpty
    }

    // MARK: End

    private func inputWasClosed() throws(UploadError) {
        input = nil
        // The extension is usually about to exit, and its exit status is more informative.
        let deadline = clock.now + .milliseconds(500)
        while exitStatus == nil && clock.now < deadline { try exchange(isWriting: false, milliseconds: 50) }
        if exitStatus == nil { throw problem(.closedInput) }
    }

    private func problem(_ problem: ExtensionProblem) -> UploadError {
        .extension(name: manifest.name, problem)
    }

    private func checkCancellation() throws(UploadError) {
        if Task.isCancelled { throw problem(.cancelled) }
    }
}
