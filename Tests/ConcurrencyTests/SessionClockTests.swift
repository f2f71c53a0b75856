import Concurrency
import Media
import Testing

struct SessionClockTests {
    @Test func `A clock starts at zero and never goes back`() {
        let clock = SessionClock()
        var last = MediaTime.zero
        for _ in 0..<1000 {
            let now = clock.now
            #expect(now >= last)
            last = now
        }
    }

    @Test func `A sleep ends at its time, not before`() {
        let clock = SessionClock()
        clock.sleep(until: MediaTime(milliseconds: 5))
        #expect(clock.now >= MediaTime(milliseconds: 5))
    }

    @Test func `A time that has passed is not waited for`() {
        let clock = SessionClock()
        clock.sleep(until: MediaTime(milliseconds: -1000))
        #expect(clock.now < MediaTime(milliseconds: 60_000))
    }
}
