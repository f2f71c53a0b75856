import Concurrency
import Foundation
import Glibc
import Terminal
import Testing

/// The keys of a running session. Each test is a process of its own, with a terminal.
struct SessionKeysTests {
    private final class Pressed: Sendable {
        private let keys = Monitor<[SessionKey?]>([])

        func add(_ key: SessionKey?) { keys.update { $0.append(key) } }

        /// Types a key until it arrives: it is lost together with a text that it follows at once.
        func type(_ key: String, on screen: PseudoTerminal) -> Bool {
            let before = keys.withLock { $0.count }
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
                screen.type(key)
                let isThere = keys.wait(until: SessionClock.deadline(after: .milliseconds(200))) {
                    $0.dropFirst(before).contains { $0 != nil } ? true : nil
                }
                if isThere == true { return true }
            }
            return false
        }

        /// Waits for something without a meaning, after `count` of them.
        func waitForText(after count: Int) -> Bool {
            keys.wait(until: SessionClock.deadline(after: .seconds(60))) {
                $0.count { $0 == nil } > count ? true : nil
            } ?? false
        }

        /// How often something without a meaning arrived.
        var textCount: Int { keys.withLock { $0.count { $0 == nil } } }

        /// The keys, each of them once if it arrived repeatedly.
        var different: [SessionKey] {
            let keys = keys.withLock { $0.compactMap(\.self) }
            return keys.enumerated().filter { $0 == 0 || keys[$0 - 1] != $1 }.map(\.element)
        }
    }

    @Test func `Single keys arrive, other text and what was typed before do not, and the end restores the terminal`()
        async
    {
        await #expect(processExitsWith: .success) {
            let screen = PseudoTerminal()
            screen.takeControl()
            screen.type("q")
            let pressed = Pressed()
            let keys = try #require(SessionKeys { key, _ in pressed.add(key) })
            #expect(screen.wait(forOrdinary: false))
            for key in ["pp", "m", "c"] { #expect(pressed.type(key, on: screen)) }
            // A pasted word, a cursor key, and a key without a meaning.
            for text in ["equip", "\u{1b}[A", "x"] {
                let count = pressed.textCount
                screen.type(text)
                #expect(pressed.waitForText(after: count))
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
            let keys = try #require(SessionKeys { key, _ in pressed.add(key) })
            screen.type("q")
            let waits = ThreadWaits(of: "keys")
            kill(getpid(), SIGCONT)
            #expect(waits.waitForMore())
            #expect(screen.isOrdinary)
            screen.setForeground(getpgrp())
            #expect(screen.wait(forOrdinary: false))
            #expect(pressed.type("p", on: screen) && pressed.different == [.pause])
            await keys.close()
            #expect(screen.isOrdinary)
        }
    }
}

/// How often a thread of this process has waited.
private struct ThreadWaits {
    private let name: String
    private let count: Int

    init(of name: String) {
        self.name = name
        count = Self.count(of: name)
    }

    /// Returns true when it has waited again, and false if it does not in time.
    func waitForMore() -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while Self.count(of: name) <= count {
            guard ContinuousClock.now < end else { return false }
            usleep(5000)
        }
        return true
    }

    private static func count(of name: String) -> Int {
        let tasks = "/proc/self/task"
        for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
            guard let status = try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8),
                status.hasPrefix("Name:\t\(name)\n"),
                let match = status.firstMatch(of: /\nvoluntary_ctxt_switches:\s+(\d+)/)
            else { continue }
            return Int(match.1) ?? 0
        }
        return 0
    }
}
