import Concurrency
import Glibc
import Terminal
import TestSupport
import Testing

/// The signals that stop a broadcast. Each test is a process of its own.
struct StopSignalsTests {
    /// The number of the first signal, when it has arrived.
    private final class First: Sendable {
        private let state = Monitor<[Int32]>([])
        func add(_ number: Int32) { state.update { $0.append(number) } }
        func wait() -> [Int32] {
            state.wait(until: SessionClock.deadline(after: .seconds(60))) { $0.isEmpty ? nil : $0 } ?? []
        }
    }

    /// Blocks until a signal ends the process.
    private static func waitForever() {
        _ = Monitor(()).wait { _ in nil as Void? }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func `The first signal stops the broadcast`(number: Int32) async {
        await #expect(processExitsWith: .success) { [number] in
            let first = First()
            _ = StopSignals { first.add($0) }
            kill(getpid(), number)
            #expect(first.wait() == [number])
            // The shell and the kernel both send one if a terminal is closed.
            if number == SIGHUP { kill(getpid(), number) }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `A second signal ends the process at once, and a hang-up between them does not`(
        number: Int32
    ) async {
        await #expect(processExitsWith: .exitCode(128 + number)) { [number] in
            let first = First()
            _ = StopSignals { first.add($0) }
            kill(getpid(), number)
            // The kernel delivers two equal signals as one if the first is still pending.
            guard first.wait() == [number] else { exit(2) }
            kill(getpid(), SIGHUP)
            // Not before half a second is over.
            while true {
                kill(getpid(), number)
                usleep(20_000)
            }
        }
    }

    @Test(arguments: [(SIGINT, SIGINT), (SIGTERM, SIGINT)])
    func `Two signals at once, as from timeout, are one`(one: Int32, other: Int32) async {
        await #expect(processExitsWith: .success) { [one, other] in
            let first = First()
            _ = StopSignals { first.add($0) }
            kill(getpid(), one)
            #expect(first.wait() == [one])
            kill(getpid(), other)
            // The thread that waits for signals has nothing to do, and this one goes on to the end.
            kill(getpid(), SIGHUP)
            usleep(50_000)
            #expect(first.wait() == [one])
        }
    }

    @Test func `After the end of the broadcast, one signal ends the process`() async {
        await #expect(processExitsWith: .exitCode(130)) {
            let signals = StopSignals { _ in exit(2) }
            signals.ignore()
            kill(getpid(), SIGINT)
            StopSignalsTests.waitForever()
        }
    }

    @Test func `A hang-up that is ignored, as under nohup, stays ignored`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            let first = First()
            _ = StopSignals { first.add($0) }
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
            #expect(first.wait() == [SIGTERM])
        }
    }

    // MARK: The file of a preview

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, 0])
    func `The file of a preview is removed at the end of the process, also by a signal`(
        number: Int32
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("a picture", to: "preview.png")
            await #expect(processExitsWith: number == 0 ? .exitCode(3) : .signal(number)) {
                [number, path = path as String] in
                _ = ViewedPicture(path: path)
                guard number != 0 else { exit(3) }
                kill(getpid(), number)
                StopSignalsTests.waitForever()
            }
            #expect(folder.names() == [])
        }
    }
}
