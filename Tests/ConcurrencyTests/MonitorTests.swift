import Concurrency
import Testing

struct MonitorTests {
    @Test func `An update wakes the tasks that wait for it`() async {
        let monitor = Monitor(0)
        let seen = Once<Int>()
        let thread = NamedThread(name: "waiter") {
            if let value = monitor.wait(for: { $0 >= 3 ? $0 * 10 : nil }) { seen.set(value) }
        }
        for _ in 0..<3 { monitor.update { $0 += 1 } }
        #expect(await seen.value == 30)
        await thread.join()
    }

    @Test func `A wait can take the value that it waited for`() async {
        let monitor = Monitor([Int]())
        let sum = Monitor(0)
        let threads = (0..<4).map { number in
            NamedThread(name: "taker \(number)") {
                for _ in 0..<250 {
                    let item = monitor.wait { $0.popLast() } ?? 0
                    sum.update { $0 += item }
                }
            }
        }
        for number in 1...1000 { monitor.update { $0.append(number) } }
        for thread in threads { await thread.join() }
        #expect(sum.withLock { $0 } == 500_500)
        #expect(monitor.withLock { $0.isEmpty })
    }

    @Test func `A wait ends at its deadline`() {
        let monitor = Monitor(0)
        let start = SessionClock.monotonic()
        #expect(monitor.wait(until: start + 20_000_000) { _ in nil as Int? } == nil)
        #expect(SessionClock.monotonic() - start >= 20_000_000)
        #expect(monitor.wait(until: 0) { _ in nil as Int? } == nil)
    }

    @Test func `A condition that is already true needs no wait, and it is checked once more at the deadline`() {
        let monitor = Monitor(1)
        #expect(monitor.wait(until: 0) { $0 } == 1)
        var calls = 0
        #expect(
            monitor.wait(until: SessionClock.monotonic() + 1_000_000) { value -> Int? in
                calls += 1
                return SessionClock.monotonic() > 0 && calls > 1 ? value : nil
            } == 1)
    }

    @Test func `Results of changes are given back`() {
        let monitor = Monitor("a")
        #expect(
            monitor.update { text in
                text += "b"; return text.count
            } == 2)
        #expect(
            monitor.withLock { text in
                text += "c"; return text
            } == "abc")
    }
}
