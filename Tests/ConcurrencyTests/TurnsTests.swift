import Concurrency
import Synchronization
import TestSupport
import Testing

@Suite struct TurnsTests {
    @Test func `A turn begins when the one before it has ended`() async throws {
        let turns = Turns()
        let first = await turns.next()
        let begun = Mutex<[Int]>([])
        let second = Task {
            let turn = await turns.next()
            begun.withLock { $0.append(2) }
            turn.end()
            // A turn that has ended delays nothing.
            await turns.next().end()
            begun.withLock { $0.append(3) }
        }
        begun.withLock { $0.append(1) }
        first.end()
        await second.value
        #expect(begun.withLock { $0 } == [1, 2, 3])
    }

    @Test func `No two turns are at the same time`() async {
        let turns = Turns()
        let count = Count()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let turn = await turns.next()
                    count.begin()
                    await Task.yield()
                    count.end()
                    turn.end()
                }
            }
        }
        #expect(count.most == 1 && count.ended == 50)
    }

    /// Counts the turns that run, the most at the same time, and those that have ended.
    private final class Count: Sendable {
        private struct State {
            var running = 0
            var most = 0
            var ended = 0
        }

        private let state = Mutex(State())
        var most: Int { state.withLock { $0.most } }
        var ended: Int { state.withLock { $0.ended } }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() {
            state.withLock { state in
                state.running -= 1
                state.ended += 1
            }
        }
    }
}
