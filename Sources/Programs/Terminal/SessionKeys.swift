import Concurrency
import Glibc
import Synchronization

/// The keys of a session that shows its status on a terminal.
package enum SessionKey: UInt8, Sendable {
    case pause = 0x70  // p
    case microphone = 0x6d  // m
    case clip = 0x63  // c
    case stop = 0x71  // q
}

/// Reads single keys from the terminal of a session, while the process is in the terminal's foreground.
///
/// Ctrl-C and Ctrl-Z remain signals. In the background the terminal belongs to another program: then nothing is read
/// from it, and its mode stays as it is.
package final class SessionKeys: Sendable {
    private let signals: TerminalSignals
    private let thread: NamedThread

    /// How soon keys are read again after a shell has put the process into the foreground without a signal, in
    /// milliseconds.
    private static let foregroundCheck: Int32 = 1000
    /// What follows a pasted text within this time belongs to it, because a text can arrive in parts. Milliseconds.
    private static let pasteQuiet: Int32 = 50

    /// Reads keys on a separate thread until `close`. What was typed before is discarded. Returns nil if standard input
    /// is not the terminal of this process.
    ///
    /// - Parameter onKey: called on that thread with each key, and true if it came several times at once, as a held key
    ///   does; with nil for a key that has no meaning, and for a text.
    package init?(onKey: @escaping @Sendable (SessionKey?, _ isRepeated: Bool) -> Void) {
        guard isatty(STDIN_FILENO) != 0, tcgetpgrp(STDIN_FILENO) >= 0,
            let signals = TerminalSignals([SIGTSTP, SIGCONT, SIGQUIT])
        else { return nil }
        self.signals = signals
        thread = NamedThread(name: "keys") { Self.read(signals, onKey) }
    }

    /// True if the status is shown in the terminal on standard input. A program that reads standard output may read
    /// keys from the same terminal, a video player for example.
    package static var isPossible: Bool {
        isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
    }

    /// True if the process is in the terminal's foreground, so that keys arrive.
    package static var isForeground: Bool { KeyMode.isForeground }

    /// Restores the terminal.
    package func close() async {
        signals.post(0)
        await thread.join()
        signals.restore()
    }

    private static func read(_ signals: TerminalSignals, _ onKey: (SessionKey?, Bool) -> Void) {
        // A read just after the process has left the foreground fails, and does not stop the process.
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        defer { KeyMode.leave() }
        var isOpen = true
        var isInText = false
        while true {
            let takesKeys = isOpen && KeyMode.enter()
            var descriptors = [
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: takesKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            let isQuiet =
                poll(&descriptors, 2, isInText ? pasteQuiet : takesKeys || !isOpen ? -1 : foregroundCheck) == 0
            if descriptors[0].revents != 0, let number = signals.take() {
                if number == 0 { return }
                KeyMode.leave()
                // The process is stopped here until it is continued, or ends.
                if number != SIGCONT { signals.raiseDefault(number) }
                continue
            }
            if isQuiet { isInText = false }
            guard descriptors[1].revents != 0, KeyMode.isForeground else { continue }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN && KeyMode.isForeground { isOpen = false }
            guard count > 0 else { continue }
            // Several different bytes are a pasted text, or a key that sends a sequence.
            if bytes[..<count].contains(where: { $0 != bytes[0] }) { isInText = true }
            onKey(isInText ? nil : SessionKey(rawValue: bytes[0]), count > 1)
        }
    }
}

/// Decides what keys ask for. A key that is held, or meant for another window, shows nothing that was hidden.
package struct KeyPresses {
    package enum Request: Equatable, Sendable {
        case stop
        case pause
        /// Pause, or resume if the session is paused.
        case pauseOrResume
        case turnMicrophoneOff
        /// Turn the microphone off. If it is off, ask the user to press the key again, and call `askedForMicrophone`.
        case turnMicrophoneOffOrAsk
        case switchMicrophone
        case clip
    }

    /// A key that is held is repeated sooner.
    private static let repetition = Duration.seconds(1)
    /// How long the user can confirm that the microphone is turned on.
    private static let confirmation = Duration.seconds(5)

    private var last: (key: SessionKey, time: ContinuousClock.Instant)?
    private var asked: ContinuousClock.Instant?

    package init() {}

    /// Returns what a key asks for; nil if nothing.
    ///
    /// - Parameters:
    ///   - key: nil for a key without a meaning.
    ///   - isRepeated: it came several times at once.
    ///   - time: when it came.
    package mutating func request(
        for key: SessionKey?, isRepeated: Bool = false, at time: ContinuousClock.Instant
    ) -> Request? {
        guard let key else {
            asked = nil
            return nil
        }
        let isRepeated =
            isRepeated || last.map { $0.key == key && $0.time.duration(to: time) < Self.repetition } ?? false
        last = (key, time)
        if key != .microphone { asked = nil }
        switch key {
        case .stop: return .stop
        case .pause: return isRepeated ? .pause : .pauseOrResume
        case .clip: return isRepeated ? nil : .clip
        case .microphone:
            if isRepeated { return .turnMicrophoneOff }
            defer { asked = nil }
            if let asked, asked.duration(to: time) < Self.confirmation { return .switchMicrophone }
            return .turnMicrophoneOffOrAsk
        }
    }

    /// Notes that the user was asked at `time` to confirm that the microphone is turned on.
    package mutating func askedForMicrophone(at time: ContinuousClock.Instant) {
        asked = time
    }
}
