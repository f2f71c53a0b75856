import CommandModels
import Concurrency
import Glibc
import Terminal
import Testing

/// The full-screen terminal of the picker. Each test is a process of its own.
struct PickerTerminalTests {
    /// The events of a terminal.
    private final class Events: Sendable {
        private let state = Monitor((keys: [PickerKey](), redraws: 0, isEnded: false, question: 0))

        func add(_ event: PickerTerminal.Event) {
            state.update { state in
                switch event {
                case .keys(let keys, let question):
                    state.keys += keys
                    state.question = question
                case .redraw: state.redraws += 1
                case .end: state.isEnded = true
                }
            }
        }

        /// Waits for these keys. Returns the keys that came instead.
        func wait(for keys: [PickerKey]) -> [PickerKey] {
            wait { $0.keys.count >= keys.count }
            return state.withLock { $0.keys }
        }

        /// The question that was shown when the latest keys were typed.
        var question: Int { state.withLock { $0.question } }

        func waitForRedraws(_ count: Int) -> Bool { wait { $0.redraws >= count } }
        func waitForEnd() -> Bool { wait { $0.isEnded } }

        @discardableResult
        private func wait(_ condition: ((keys: [PickerKey], redraws: Int, isEnded: Bool, question: Int)) -> Bool)
            -> Bool
        {
            state.wait(until: SessionClock.deadline(after: .seconds(60))) { condition($0) ? true : nil } ?? false
        }
    }

    private static let model = PickerModel(items: [
        .init(name: "archive", service: "file"), .init(name: "talks", service: "file"),
        .init(name: "twitch", service: "rtmp"),
    ])

    @Test func `Keys arrive one by one, and the end restores the terminal`() async {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            let events = Events()
            let terminal = try #require(PickerTerminal { events.add($0) })
            #expect(screen.wait(for: "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l") && !screen.isOrdinary)
            terminal.draw([])
            screen.type("\u{1b}[A")
            #expect(events.wait(for: [.up]) == [.up])
            screen.type("q\r\t\u{7f}é")
            let keys: [PickerKey] = [.up, .character("q"), .enter, .tab, .backspace, .character("é")]
            #expect(events.wait(for: keys) == keys)
            // No byte follows, so this is the key and not the start of a sequence.
            screen.type("\u{1b}")
            #expect(events.wait(for: keys + [.escape]) == keys + [.escape])
            await terminal.close()
            #expect(screen.wait(for: "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l") && screen.isOrdinary)
        }
    }

    @Test func `Keys that were pressed before the first picture are no answer`() async {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            let events = Events()
            screen.typeBefore("\r\r")
            let terminal = try #require(PickerTerminal { events.add($0) })
            screen.type("\r")
            let lines = PickerRenderer(width: 80, height: 24).lines(Self.model)
            terminal.draw(lines)
            #expect(screen.wait(for: "\u{1b}[24;1H"))
            screen.type("q")
            #expect(events.wait(for: [.character("q")]) == [.character("q")])
            await terminal.close()
        }
    }

    @Test func `Keys that were pressed before a question was shown are no answer to it`() async {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            let events = Events()
            let terminal = try #require(PickerTerminal { events.add($0) })
            let lines = PickerRenderer(width: 80, height: 24).lines(Self.model)
            terminal.draw(lines)
            screen.type("\ry")
            #expect(events.wait(for: [.enter, .character("y")]) == [.enter, .character("y")] && events.question == 0)
            terminal.draw(lines, question: 1)
            screen.type("n")
            #expect(
                events.wait(for: [.enter, .character("y"), .character("n")]).last == .character("n")
                    && events.question == 1)
            // The same question once more discards nothing.
            terminal.draw(lines, question: 1)
            screen.type("q")
            #expect(
                events.wait(for: [.enter, .character("y"), .character("n"), .character("q")]).last == .character("q")
                    && events.question == 1)
            await terminal.close()
        }
    }

    @Test func `Only lines that changed are drawn, and all of them after a change of the size`() async {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal(columns: 100, rows: 30)
            let events = Events()
            let terminal = try #require(PickerTerminal { events.add($0) })
            #expect(terminal.size == (100, 30) && Output.width == 100 && Output.isTerminal)
            var model = Self.model
            let renderer = PickerRenderer(width: 100, height: 30)
            let first = renderer.lines(model)
            terminal.draw(first)
            let last = "\u{1b}[30;1H\u{1b}[2K"
            #expect(screen.wait(for: last))
            #expect(screen.text.contains("\u{1b}[2J\u{1b}[1;1H") && screen.text.contains("\u{1b}[7m"))
            _ = model.press(.down)
            let second = renderer.lines(model)
            let before = screen.text
            terminal.draw(second)
            terminal.draw(second)
            await terminal.close()
            #expect(screen.wait(for: "\u{1b}[?1049l"))
            let drawn = screen.text.dropFirst(before.count)
            let changed = zip(first, second).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
            #expect(!changed.isEmpty && changed.count < 30)
            for row in first.indices {
                #expect(drawn.contains("\u{1b}[\(row + 1);1H") == changed.contains(row), "row \(row)")
            }
            #expect(!drawn.contains("\u{1b}[2J"))
            // A closed terminal is left to the shell.
            let closed = screen.text
            terminal.draw(first)
            #expect(screen.text == closed)
        }
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            let events = Events()
            let terminal = try #require(PickerTerminal { events.add($0) })
            let lines = PickerRenderer(width: 80, height: 24).lines(Self.model)
            terminal.draw(lines)
            kill(getpid(), SIGWINCH)
            #expect(events.waitForRedraws(1))
            terminal.draw(lines)
            await terminal.close()
            #expect(screen.wait(for: "\u{1b}[?1049l"))
            #expect(screen.text.ranges(of: "\u{1b}[2J").count == 2)
        }
    }

    @Test func `A process that continues after a stop takes the terminal again`() async {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            let events = Events()
            let terminal = try #require(PickerTerminal { events.add($0) })
            kill(getpid(), SIGCONT)
            #expect(events.waitForRedraws(1) && !screen.isOrdinary)
            await terminal.close()
            #expect(
                screen.wait(
                    for: "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l\u{1b}[?1049h"))
        }
    }

    @Test func `A signal ends the process after the terminal is restored`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            _ = PseudoTerminal()
            let terminal = try #require(PickerTerminal { _ in })
            kill(getpid(), SIGTERM)
            _ = Monitor(()).wait { _ in nil as Void? }
            await terminal.close()
        }
    }

    @Test func `The end of the input is an event, and without a terminal there is no picker`() async {
        await #expect(processExitsWith: .success) {
            _ = PseudoTerminal()
            let events = Events()
            let terminal = try #require(PickerTerminal { events.add($0) })
            let null = open("/dev/null", O_RDONLY)
            dup2(null, STDIN_FILENO)
            // The thread waits for the descriptor that was there before.
            kill(getpid(), SIGWINCH)
            #expect(events.waitForEnd())
            await terminal.close()
            #expect(PickerTerminal { _ in } == nil)
        }
    }

    // MARK: Signals

    @Test func `Signals are bytes in a pipe, and the earlier actions return`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGWINCH, SIG_IGN)
            let signals = try #require(TerminalSignals())
            #expect(signals.take() == nil)
            // Ignored before, as under nohup(1).
            kill(getpid(), SIGWINCH)
            kill(getpid(), SIGQUIT)
            var request = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&request, 1, 60_000) == 1)
            #expect(signals.take() == SIGQUIT && signals.take() == nil)
            signals.post(0)
            #expect(signals.take() == 0)
            signals.restore()
            var action = sigaction()
            sigaction(SIGQUIT, nil, &action)
            #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0)
        }
        await #expect(processExitsWith: .signal(SIGHUP)) {
            let signals = try #require(TerminalSignals())
            signals.raiseDefault(SIGHUP)
        }
    }
}
