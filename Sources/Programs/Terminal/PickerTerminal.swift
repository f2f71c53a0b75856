import CommandModels
import Concurrency
import Glibc
import Synchronization

/// Full-screen access to the terminal: the alternate screen on standard error, and single keys from standard input.
///
/// It restores the terminal at the end, whether by `close`, a signal or a suspension.
package final class PickerTerminal: Sendable {
    package enum Event: Sendable {
        /// Keys, and the number of the question that the picture showed when they were typed.
        case keys([PickerKey], question: Int)
        /// The size has changed, or the screen must be redrawn.
        case redraw
        /// The terminal is gone.
        case end
    }

    private struct State {
        var isOpen = false
        /// The number of the question that the picture shows; nil before the first picture. Keys from before it are no
        /// answer.
        var question: Int?
        /// The lines on the screen; nil if the content of the screen is unknown.
        var shown: [PickerRenderer.Line]?
    }

    private let before: termios
    private let signals: TerminalSignals
    private let state = Mutex(State())
    private let thread = Mutex<NamedThread?>(nil)

    /// Takes over the terminal and reads keys on a separate thread. Returns nil if standard input is not a terminal.
    /// `onEvent` is called on that thread.
    package init?(onEvent: @escaping @Sendable (Event) -> Void) {
        var attributes = termios()
        guard tcgetattr(STDIN_FILENO, &attributes) == 0, let signals = TerminalSignals() else { return nil }
        before = attributes
        self.signals = signals
        state.withLock { enter(&$0) }
        thread.withLock { $0 = NamedThread(name: "keys") { [self] in readKeys(onEvent) } }
    }

    /// Restores the terminal.
    package func close() async {
        signals.post(0)
        await thread.withLock { $0.take() }?.join()
        state.withLock { leave(&$0) }
        signals.restore()
    }

    /// The size in characters; a default if the terminal does not report it.
    package var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows these lines from the top. Writes only the lines that changed.
    ///
    /// - Parameter question: the number of the question that the lines ask. Keys that the user typed before a new
    ///   question was shown are discarded, or have the number of the question before it.
    package func draw(_ lines: [PickerRenderer.Line], question: Int = 0) {
        state.withLock { state in
            guard state.isOpen else { return }
            if state.question != question { TypedAhead.discard() }
            state.question = question
            var text = state.shown == nil ? "\u{1b}[2J" : ""
            for (index, line) in lines.enumerated()
            where state.shown.map({ index >= $0.count || $0[index] != line }) ?? true {
                // Erase first: after a full line the cursor is still on the last column and would erase it.
                text += "\u{1b}[\(index + 1);1H\u{1b}[2K" + Self.code(line.style) + line.text + "\u{1b}[0m"
            }
            if !text.isEmpty { Output.raw(text) }
            state.shown = lines
        }
    }

    private static func code(_ style: PickerRenderer.Line.Style) -> String {
        switch style {
        case .plain: ""
        case .title: "\u{1b}[1m"
        case .selected: "\u{1b}[7m"
        case .faint: "\u{1b}[2m"
        }
    }

    // MARK: Terminal state

    private func enter(_ state: inout State) {
        var raw = before
        // Ctrl-C and Ctrl-Z remain signals, so that they reach every program of a pipeline.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        // Alternate screen, no cursor, no line wrap.
        Output.raw("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
        state.isOpen = true
        state.shown = nil
    }

    private func leave(_ state: inout State) {
        guard state.isOpen else { return }
        Output.raw("\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        var attributes = before
        tcsetattr(STDIN_FILENO, TCSADRAIN, &attributes)
        state.isOpen = false
    }

    // MARK: Keys and signals

    private func readKeys(_ onEvent: (Event) -> Void) {
        var decoder = KeyDecoder()
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            var descriptors = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // The rest of an escape sequence follows at once; no byte follows a single Esc.
            let ready = poll(&descriptors, 2, decoder.isPending ? 50 : -1)
            if ready < 0 && errno == EINTR { continue }
            if ready == 0 { tell(decoder.flush(), state.withLock { $0.question }, onEvent) }
            if descriptors[1].revents != 0, let number = signals.take() {
                if number == 0 { return }
                heed(number)
                onEvent(.redraw)
            }
            if descriptors[0].revents != 0 {
                // A picture that discards what was typed is drawn before this or after it.
                let (count, question) = state.withLock { state -> (Int?, Int?) in
                    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                    // It was discarded.
                    guard poll(&request, 1, 0) > 0 else { return (nil, state.question) }
                    return (read(STDIN_FILENO, &bytes, bytes.count), state.question)
                }
                guard let count else { continue }
                if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
                if count <= 0 {
                    onEvent(.end)
                    return
                }
                tell(decoder.decode(bytes.prefix(count)), question, onEvent)
            }
        }
    }

    private func tell(_ keys: [PickerKey], _ question: Int?, _ onEvent: (Event) -> Void) {
        if let question { onEvent(.keys(keys, question: question)) }
    }

    private func heed(_ number: Int32) {
        state.withLock { state in
            switch number {
            case SIGWINCH: state.shown = nil
            case SIGCONT:
                leave(&state)
                enter(&state)
            case SIGTSTP:
                leave(&state)
                signals.raiseDefault(number)
                enter(&state)
            default:
                leave(&state)
                signals.raiseDefault(number)
            }
        }
    }
}
