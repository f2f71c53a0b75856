import BroadcastExtension
import Glibc
import Media
import RTMP
import Synchronization

/// What an extension has said, for whoever asks from another thread.
final class ExtensionRemarks: Sendable {
    private struct State {
        var watchURL: String?
        var status: String?
        var isReady = true
        var backlog = MediaTime.zero
        var requestKeyframe: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let byteCount = Atomic(0)

    var watchURL: String? { state.withLock { $0.watchURL } }
    var status: String? { state.withLock { $0.status } }
    var isReady: Bool { state.withLock { $0.isReady } }
    var backlog: MediaTime { state.withLock { $0.backlog } }

    func attach(requestKeyframe: @escaping @Sendable () -> Void) {
        state.withLock { $0.requestKeyframe = requestKeyframe }
    }

    func note(_ reply: Reply) {
        let requestKeyframe = state.withLock { state in
            if let url = reply.watchURL { state.watchURL = url }
            if let status = reply.status { state.status = status }
            if let isReady = reply.ready { state.isReady = isReady }
            if let waiting = reply.queueMilliseconds { state.backlog = MediaTime(milliseconds: Int64(min(max(0, waiting), 3_600_000))) }
            return reply.request == "keyframe" ? state.requestKeyframe : nil
        }
        requestKeyframe?()
    }
}

/// The pipes to one extension's process, and its end. One thread uses it; each call hears what the extension has said meanwhile.
///
/// Nothing waits without a limit: what is written is taken within `progress`, or the call throws; a cancelled task gives up at once.
final class ExtensionChannel {
    private static let readByteCount = 64 << 10

    private let manifest: ExtensionManifest
    private let launch: ExtensionLaunch
    private let remarks: ExtensionRemarks
    private let child: ChildProcess
    /// -1 once it is closed.
    private var input: Int32
    private var output: Int32
    private var errors: Int32
    private var ended: Int32
    private var replies = ReplyLines()
    private var logLines = ReplyLines()
    private var isLogging = true
    private var hasSaidHello = false
    private var isFinishing = false
    private var exitReport: ExitReport?
    private var buffer = [UInt8](repeating: 0, count: readByteCount)
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now
    private var wasReady = false

    /// Starts the extension's program.
    init(manifest: ExtensionManifest, launch: ExtensionLaunch, remarks: ExtensionRemarks) throws(UploadError) {
        self.manifest = manifest
        self.launch = launch
        self.remarks = remarks
        do throws(ChildProcess.Failure) {
            child = try ChildProcess(path: manifest.executable, folder: manifest.folder, environment: launch.environment)
        } catch {
            throw .extensionUnusable(
                "The extension \(manifest.name) cannot be started: \(manifest.executable): \(error.reason). Check that it is executable, and its first line."
            )
        }
        input = child.pipes.input
        output = child.pipes.output
        errors = child.pipes.errors
        ended = child.pipes.ended
    }

    deinit {
        child.signal(SIGKILL)
        for descriptor in [input, output, errors, ended] where descriptor >= 0 { close(descriptor) }
    }

    /// Waits until the extension has said hello.
    func waitForHello() throws(UploadError) {
        let deadline = clock.now + launch.deadlines.hello
        while !hasSaidHello {
            try checkCancellation()
            guard clock.now < deadline else {
                return try fault(
                    "The extension \(manifest.name) did not say {\"hello\":1} within \(launch.deadlines.hello.components.seconds) s. \(Self.advice)")
            }
            _ = try exchange(isWriting: false, timeout: .milliseconds(100))
        }
    }

    /// Hears what was said, without waiting.
    func listen() throws(UploadError) {
        _ = try exchange(isWriting: false, timeout: .zero)
        guard hasSaidHello, !wasReady else { return }
        wasReady = remarks.isReady
        guard wasReady || clock.now - start < launch.deadlines.ready else {
            throw .unreachable(
                "The extension \(manifest.name) was not ready within \(launch.deadlines.ready.components.seconds) s and was ended. See its log.")
        }
    }

    /// Writes a frame.
    func send(_ header: FrameHeader, payload: [UInt8]) throws(UploadError) {
        try listen()
        // Two system calls rather than a copy, where the copy is long.
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

    /// Writes bytes as they are.
    func write(_ bytes: [UInt8]) throws(UploadError) {
        var offset = 0
        var lastProgress = clock.now
        while offset < bytes.count {
            guard input >= 0 else { return }
            let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
            if count > 0 {
                offset += count
                remarks.byteCount.add(count, ordering: .relaxed)
                lastProgress = clock.now
                continue
            }
            if count < 0 && errno == EPIPE { try inputWasClosed() }
            if count < 0 && errno != EAGAIN && errno != EINTR {
                throw .unreachable("The extension \(manifest.name) cannot be written to: \(String(cString: strerror(errno))). Start again.")
            }
            try checkCancellation()
            guard clock.now - lastProgress < launch.deadlines.progress else {
                throw .unreachable(
                    "The extension \(manifest.name) has read nothing for \(launch.deadlines.progress.components.seconds) s and was ended. See its log."
                )
            }
            _ = try exchange(isWriting: true, timeout: .milliseconds(100))
        }
    }

    /// Closes its standard input, and waits for its exit.
    func finish() throws(UploadError) {
        isFinishing = true
        closeInput()
        let deadline = clock.now + launch.deadlines.exit
        while exitReport == nil {
            if Task.isCancelled || clock.now >= deadline {
                terminate()
                throw .unreachable(
                    "The extension \(manifest.name) did not end within \(launch.deadlines.exit.components.seconds) s of the finish and was ended. See its log."
                )
            }
            _ = try exchange(isWriting: false, timeout: .milliseconds(50))
        }
        if let exitReport, exitReport != .exited(0) { throw endedError(exitReport) }
    }

    /// Ends it: SIGTERM to its process group, then SIGKILL.
    func terminate() {
        closeInput()
        child.signal(SIGTERM)
        let deadline = clock.now + launch.deadlines.termination
        while child.exitReport == nil && clock.now < deadline { waitForEnd(milliseconds: 20) }
        child.signal(SIGKILL)
        while child.exitReport == nil && clock.now < deadline + .seconds(1) { waitForEnd(milliseconds: 20) }
    }

    // MARK: Reading

    /// Waits until the extension has said something, has ended, or can be written to; hears it.
    private func exchange(isWriting: Bool, timeout: Duration) throws(UploadError) {
        var descriptors = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ended, events: Int16(POLLIN), revents: 0), pollfd(fd: isWriting ? input : -1, events: Int16(POLLOUT), revents: 0),
        ]
        let milliseconds = Int32(timeout.components.attoseconds / 1_000_000_000_000_000)
        guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return }
        if descriptors[1].revents != 0 { readErrors() }
        if descriptors[0].revents != 0 { try readOutput() }
        guard descriptors[2].revents != 0 else { return }
        // It has ended: what it said last counts most.
        var before = -1
        while output >= 0 && before != readCount {
            before = readCount
            try readOutput()
        }
        readErrors()
        close(ended)
        ended = -1
        guard let report = child.exitReport else { return }
        exitReport = report
        if !isFinishing { throw endedError(report) }
    }

    /// How often something was read.
    private var readCount = 0

    private func readOutput() throws(UploadError) {
        let count = read(output, &buffer, buffer.count)
        if count < 0 { return }
        guard count > 0 else {
            close(output)
            output = -1
            if let rest = replies.takeRest() { try hear(rest) }
            return
        }
        readCount += 1
        let lines: [[UInt8]]
        do throws(ReplyLines.Failure) {
            lines = try replies.append(buffer[..<count], at: clock.now)
        } catch {
            if manifest.mode == .stream {
                // Whatever a stream's program prints is only looked at; too much of it is not looked at any more.
                replies = ReplyLines()
                return
            }
            switch error {
            case .lineTooLong:
                try fault(
                    "The extension \(manifest.name) wrote a line of more than \(ReplyLines.maximumLineByteCount >> 10) KiB and was ended. \(Self.advice)"
                )
            case .flood: try fault("The extension \(manifest.name) floods its standard output and was ended. \(Self.advice)")
            }
            replies = ReplyLines()
            return
        }
        for line in lines { try hear(line) }
    }

    private func hear(_ line: [UInt8]) throws(UploadError) {
        guard let reply = Reply(line: line) else {
            if manifest.mode == .stream {
                log(line)
                return
            }
            return try fault("The extension \(manifest.name) wrote something on standard output that is no reply, and was ended. \(Self.advice)")
        }
        if let failure = reply.error {
            throw .extensionFailed(
                name: manifest.name, code: failure.code, message: cleaned(failure.message), retry: failure.retry == true ? .later : .never)
        }
        if let version = reply.hello {
            if version != 1 {
                try fault(
                    "The extension \(manifest.name) speaks version \(version) of the protocol, this program version 1. Use a version of it that fits."
                )
            }
            hasSaidHello = true
        }
        remarks.note(
            Reply(
                ready: reply.ready, queueMilliseconds: reply.queueMilliseconds, status: reply.status.map(cleaned),
                watchURL: reply.watchURL.map(cleaned), request: reply.request))
    }

    /// What is against the protocol ends the extension, unless someone collects it.
    private func fault(_ sentence: String) throws(UploadError) {
        guard let faults = launch.faults else { throw .protocolViolation(sentence) }
        faults(sentence)
    }

    private func readErrors() {
        guard errors >= 0 else { return }
        let count = read(errors, &buffer, buffer.count)
        if count < 0 { return }
        guard count > 0 else {
            close(errors)
            errors = -1
            if let rest = logLines.takeRest() { log(rest) }
            return
        }
        do throws(ReplyLines.Failure) {
            for line in try logLines.append(buffer[..<count], at: clock.now) { log(line) }
            isLogging = true
        } catch {
            // It is read on, so that the extension does not stand still, but a flood does not fill the disk.
            if isLogging { launch.log("\(manifest.name): (more than the log takes; left out)") }
            isLogging = false
            if error == .lineTooLong { logLines = ReplyLines() } else { _ = logLines.takeRest() }
        }
    }

    private func log(_ line: [UInt8]) {
        if isLogging { launch.log("\(manifest.name): \(cleaned(String(decoding: line, as: UTF8.self)))") }
    }

    // MARK: The end

    private func inputWasClosed() throws(UploadError) {
        closeInput()
        // Most often it is about to end: its exit status says more.
        let deadline = clock.now + .milliseconds(500)
        while exitReport == nil && clock.now < deadline { _ = try exchange(isWriting: false, timeout: .milliseconds(50)) }
        if exitReport == nil {
            throw .unreachable("The extension \(manifest.name) closed its standard input before the broadcast ended. See its log.")
        }
    }

    private func endedError(_ report: ExitReport) -> UploadError {
        .unreachable(
            "The extension \(manifest.name) ended \(isFinishing ? "with an error" : "before the broadcast did") (\(report)). See its log, or run it with broadcast check-extension \(manifest.folder)."
        )
    }

    private func checkCancellation() throws(UploadError) {
        if Task.isCancelled { throw .unreachable("The extension \(manifest.name) did not take the end of the broadcast in time.") }
    }

    private func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    private func waitForEnd(milliseconds: Int32) {
        var descriptor = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }

    private static let advice = "It must write one JSON object a line; see man 7 broadcast-extension."

    /// Without its secrets, which it may repeat, and without control characters, which could speak to the terminal, and cut to a length that people read.
    private func cleaned(_ text: String) -> String {
        let secrets = manifest.questions.filter(\.isSecret).compactMap { launch.setup[$0.key] }
        let text = secrets.isEmpty ? text : SecretRedactor(secrets: secrets).clean(text)
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }.prefix(500)))
    }
}
