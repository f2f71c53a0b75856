import Media
import Pipeline
import Testing

struct TickScheduleTests {
    private var schedule = TickSchedule(rate: 10)

    private func ms(_ milliseconds: Int64) -> MediaTime { MediaTime(milliseconds: milliseconds) }

    @Test mutating func `Each tick follows the one before it, at even times`() {
        for tick in 0..<5 as Range<Int64> {
            #expect(schedule.time == ms(tick * 100) && schedule.end == ms(tick * 100 + 100))
            schedule.begin(at: ms(tick * 100 + 7))
            #expect(schedule.time == ms(tick * 100))
            schedule.advance()
        }
    }

    @Test mutating func `A later tick replaces those that were missed`() {
        schedule.begin(at: ms(0))
        schedule.advance()
        // The look took until the middle of the fifth tick.
        schedule.begin(at: ms(450))
        #expect(schedule.time == ms(400) && schedule.end == ms(500))
    }

    @Test mutating func `A clock that is early does not repeat a tick`() {
        schedule.begin(at: ms(0))
        schedule.advance()
        schedule.begin(at: ms(99))
        #expect(schedule.time == ms(100))
    }

    @Test mutating func `A source that always changes at the same place of a tick gets a later look`() throws {
        for tick in 0..<10 as Range<Int64> {
            schedule.begin(at: ms(tick * 100))
            if let look = schedule.lateLook() {
                // Behind the place of the changes, and within the tick.
                #expect(look > ms(tick * 100 + 20) && look < schedule.end)
                return
            }
            schedule.noteLook(hadChange: true)
            schedule.noteChange(at: ms(tick * 100 + 20))
            schedule.advance()
        }
        Issue.record("no later look")
    }

    @Test mutating func `Changes at different places of the ticks never delay a look`() {
        for tick in 0..<50 as Range<Int64> {
            schedule.begin(at: ms(tick * 100))
            #expect(schedule.lateLook() == nil)
            schedule.noteLook(hadChange: true)
            schedule.noteChange(at: ms(tick * 100 + (tick % 2 == 0 ? 10 : 80)))
            schedule.advance()
        }
    }

    @Test mutating func `A picture that is still for a second rests up to the tick of its next frame`() {
        for tick in 0...10 as ClosedRange<Int64> {
            schedule.begin(at: ms(tick * 100))
            let ticks = schedule.rest(isStill: true, nextLook: ms(1500))
            #expect(ticks == (tick < 10 ? nil : 10..<15))
            schedule.advance()
        }
        // After the rest, the next tick is that of the time at which it ended.
        schedule.begin(at: ms(1502))
        #expect(schedule.time == ms(1500))
        #expect(schedule.rest(isStill: false, nextLook: ms(3000)) == nil)
    }

    @Test mutating func `A picture that gives a frame at every tick never rests`() {
        for tick in 0..<30 as Range<Int64> {
            schedule.begin(at: ms(tick * 100))
            #expect(schedule.rest(isStill: true, nextLook: nil) == nil)
            schedule.advance()
        }
    }
}
