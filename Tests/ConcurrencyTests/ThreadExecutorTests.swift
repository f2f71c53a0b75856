import Concurrency
import Glibc
import Testing

struct ThreadExecutorTests {
    @Test func `All jobs run on one thread, in their order`() async {
        let executor = ThreadExecutor(name: "executor")
        let order = Monitor([Int]())
        let tasks = (0..<100).map { number in
            Task(executorPreference: executor) { () -> pthread_t in
                order.update { $0.append(number) }
                return pthread_self()
            }
        }
        // They wait for the thread.
        #expect(order.withLock { $0.isEmpty })
        executor.start()
        var threads: Set<pthread_t> = []
        for task in tasks { threads.insert(await task.value) }
        #expect(threads.count == 1)
        #expect(order.withLock { $0 } == Array(0..<100))
        executor.shutDown()
    }

    @Test func `A job that blocks does not delay another executor`() async {
        let blocked = ThreadExecutor(name: "blocked")
        let free = ThreadExecutor(name: "free")
        blocked.start()
        free.start()
        let mayEnd = Monitor(false)
        let blocking = Task(executorPreference: blocked) { mayEnd.wait { $0 ? 1 : nil } }
        let other = Task(executorPreference: free) { 2 }
        #expect(await other.value == 2)
        mayEnd.update { $0 = true }
        #expect(await blocking.value == 1)
        blocked.shutDown()
        free.shutDown()
    }

    @Test func `Jobs that were enqueued before the shutdown still run`() async {
        let executor = ThreadExecutor(name: "executor")
        let task = Task(executorPreference: executor) {
            await Task.yield()
            return 9
        }
        executor.start()
        #expect(await task.value == 9)
        executor.shutDown()
    }
}
