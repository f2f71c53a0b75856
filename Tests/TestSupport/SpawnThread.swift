import Foundation
import Synchronization

/// The one thread that starts every child process. A child's parent-death signal follows the *thread* that forked it,
/// and the threads of Swift's pool come and go; this one stays for as long as the tests run.
enum SpawnThread {
    private static let jobs = Mutex<[@Sendable () -> Void]>([])
    private static let pending = DispatchSemaphore(value: 0)
    private static let start: Void = {
        let thread = Thread {
            while true {
                pending.wait()
                jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
            }
        }
        thread.name = "peer spawner"
        thread.start()
    }()

    /// Runs the function on the thread and returns once it has ended: some milliseconds.
    static func run(_ body: @escaping @Sendable () -> Void) {
        start
        let done = DispatchSemaphore(value: 0)
        jobs.withLock {
            $0.append {
                body()
                done.signal()
            }
        }
        pending.signal()
        done.wait()
    }
}
