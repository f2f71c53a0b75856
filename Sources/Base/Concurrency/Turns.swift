import Synchronization

/// Lets tasks do something one after another, in the order in which they ask for it.
package final class Turns: Sendable {
    /// The time in which only one task may do it.
    package struct Turn: Sendable {
        fileprivate let isOver = Once<Void>()

        /// Lets the next task begin.
        package func end() { isOver.set(()) }
    }

    private let last = Mutex<Turn?>(nil)

    package init() {}

    /// Suspends until all earlier turns are over, also if the task is cancelled. The caller must end the turn.
    package func next() async -> Turn {
        let turn = Turn()
        let earlier = last.withLock { last -> Turn? in
            let earlier = last
            last = turn
            return earlier
        }
        await earlier?.isOver.value
        return turn
    }
}
