import Media
import Synchronization

/// A wait that can be cut short.
final class RetryTimer: Sendable {
    private let sleeper = Mutex<Task<Void, Never>?>(nil)

    /// Waits for `time`, or until `wake` is called or the task is cancelled.
    func wait(_ time: MediaTime) async {
        let task = Task { _ = try? await Task.sleep(for: .nanoseconds(time.nanoseconds)) }
        sleeper.withLock { $0 = task }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        sleeper.withLock { $0 = nil }
    }

    /// Ends the wait; false where nobody waits.
    @discardableResult func wake() -> Bool {
        let task = sleeper.withLock { $0 }
        task?.cancel()
        return task != nil
    }
}
