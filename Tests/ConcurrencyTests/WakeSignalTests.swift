import Concurrency
import Testing

struct WakeSignalTests {
    private var later: Int64 { SessionClock.deadline(after: .seconds(60)) }

    @Test func `A signal before a wait ends it at once, until it is cleared`() {
        let wake = WakeSignal()
        #expect(!wake.isSignalled)
        wake.signal()
        wake.signal()
        #expect(wake.isSignalled)
        let start = SessionClock.monotonic()
        wake.wait(until: later)
        wake.wait(until: later)
        #expect(SessionClock.monotonic() - start < 30_000_000_000)
        wake.clear()
        wake.clear()
        #expect(!wake.isSignalled)
    }

    @Test func `A signal ends the wait of another thread`() async {
        let wake = WakeSignal()
        let start = SessionClock.monotonic()
        let deadline = later
        let thread = NamedThread(name: "waiter") { wake.wait(until: deadline) }
        wake.signal()
        await thread.join()
        #expect(SessionClock.monotonic() - start < 30_000_000_000)
    }

    @Test func `A wait ends at its deadline`() {
        let wake = WakeSignal()
        let start = SessionClock.monotonic()
        wake.wait(until: start + 20_000_000)
        #expect(SessionClock.monotonic() - start >= 20_000_000)
        wake.wait(until: 0)
    }
}
