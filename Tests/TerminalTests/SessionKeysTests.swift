import Concurrency
import Glibc
import Terminal
import Testing

/// The keys of a running session. Each test is a process of its own, with a terminal.
struct SessionKeysTests {
    private final class Pressed: Sendable {
        private let keys = Monitor<[SessionKey]>([])

        func add(_ key: SessionKey) { keys.update { $0.append(key) } }

        /// Types a key until it arrives: it is lost together with a text that it follows at once.
        func type(_ key: String, on screen: PseudoTerminal) -> Bool {
            let before = keys.withLock { $0.count }
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
                screen.type(key)
                let isThere = keys.wait(until: SessionClock.deadline(after: .milliseconds(200))) {
                    $0.count > before ? true : nil
                }
                if isThere == true { return true }
            }
            return false
        }

        /// The keys, each of them once if it arrived repeatedly.
        var different: [SessionKey] {
            keys.withLock { keys in keys.enumerated().filter { $0 == 0 || keys[$0 - 1] != $1 }.map(\.element) }
        }
    }

    @Test func `Single keys arrive, other text and what was typed before do not, and the end restores the terminal`()
        async
    {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            screen.takeControl()
            screen.type("q\n")
            let pressed = Pressed()
            let keys = try #require(SessionKeys { pressed.add($0) })
            #expect(screen.wait(forOrdinary: false))
            for key in ["p", "m", "c"] { #expect(pressed.type(key, on: screen)) }
            // A pasted word, a cursor key, and a key without a meaning.
            for text in ["equip", "\u{1b}[A", "x"] {
                screen.type(text)
                #expect(pressed.type("c", on: screen))
            }
            #expect(pressed.type("q", on: screen))
            #expect(pressed.different == [.pause, .microphone, .clip, .stop])
            await keys.close()
            #expect(screen.isOrdinary)
        }
    }

    @Test func `In the background nothing is read, and the terminal stays as it is`() async {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            screen.takeControl()
            // Another program in the foreground.
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
            var other: pid_t = 0
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
            try #require(posix_spawnp(&other, "sleep", nil, &attributes, &arguments, environ) == 0)
            defer { kill(other, SIGKILL) }
            screen.setForeground(other)
            #expect(!SessionKeys.isPossible)
            let pressed = Pressed()
            let keys = try #require(SessionKeys { pressed.add($0) })
            kill(getpid(), SIGCONT)
            screen.type("q\n")
            #expect(screen.isOrdinary)
            screen.setForeground(getpgrp())
            #expect(screen.wait(forOrdinary: false))
            #expect(pressed.type("p", on: screen) && pressed.different == [.pause])
            await keys.close()
            #expect(screen.isOrdinary)
        }
    }

    @Test func `A second Ctrl-C ends the process at once, with the terminal as it was`() async {
        await #expect(processExitsWith: .exitCode(128 + SIGINT)) {
            let screen = PseudoTerminal()
            screen.takeControl()
            atexit { _exit(1) }
            let pressed = Pressed()
            let keys = try #require(SessionKeys { pressed.add($0) })
            let signals = StopSignals { _ in
                screen.type("\u{3}")
            }
            #expect(screen.wait(forOrdinary: false))
            screen.type("\u{3}")
            #expect(screen.wait(forOrdinary: true))
            pause()
            withExtendedLifetime((keys, signals)) {}
        }
    }
}
