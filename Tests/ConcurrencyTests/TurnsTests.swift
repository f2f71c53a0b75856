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
        let state = Mutex((running: 0, most: 0, ended: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let turn = await turns.next()
                    state.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1), $0.ended) }
                    await Task.yield()
                    state.withLock { $0 = ($0.running - 1, $0.most, $0.ended + 1) }
                    turn.end()
                }
            }
        }
        #expect(state.withLock { $0.most == 1 && $0.ended == 50 })
    }
}
