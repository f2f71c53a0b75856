import Concurrency
import Testing

struct OnceTests {
    @Test func `All waiting tasks get the value`() async {
        let once = Once<Int>()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await once.value } }
            group.addTask {
                once.set(7)
                return 7
            }
            for await value in group { #expect(value == 7) }
        }
        #expect(once.current == 7)
    }

    @Test func `The first value stays`() async {
        let once = Once<String>()
        #expect(once.current == nil)
        #expect(once.set("first"))
        #expect(!once.set("second"))
        #expect(once.current == "first")
        #expect(await once.value == "first")
        #expect(await once.value(within: .zero) == "first")
    }

    @Test func `Of several tasks that set the value, one succeeds`() async {
        let once = Once<Int>()
        let count = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 { group.addTask { once.set(number) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 1)
    }

    @Test func `A wait with a limit ends without a value`() async {
        #expect(await Once<Int>().value(within: .milliseconds(5)) == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `The shortest limit ends the wait too, however the threads run`() async {
        let once = Once<Int>()
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2000 { group.addTask { await once.value(within: .zero) } }
            for await value in group { #expect(value == nil) }
        }
    }

    @Test func `A task that waits without a limit is not affected by others that time out`() async {
        let once = Once<Int>()
        async let patient = once.value
        async let impatient = once.value(within: .milliseconds(1))
        #expect(await impatient == nil)
        once.set(3)
        #expect(await patient == 3)
    }

    @Test func `Cancellation does not end a wait`() async {
        let once = Once<Int>()
        let task = Task { await once.value }
        task.cancel()
        once.set(5)
        #expect(await task.value == 5)
    }
}
