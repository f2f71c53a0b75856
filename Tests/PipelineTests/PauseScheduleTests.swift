import Media
import Pipeline
import Synchronization
import Testing

/// Which times belong to a pause.
struct PauseScheduleTests {
    private func ms(_ value: Int64) -> MediaTime { MediaTime(milliseconds: value) }

    @Test func `Nothing is paused before the first request`() {
        let schedule = PauseSchedule()
        #expect(!schedule.isRequested && !schedule.isPaused(at: .zero) && !schedule.isSilenced(at: ms(5000)))
    }

    @Test func `A pause begins at its tick, and its sound is silent from the request on`() {
        let schedule = PauseSchedule()
        schedule.pause(at: ms(100), requested: ms(70))
        #expect(schedule.isRequested)
        #expect(
            [69, 70, 99, 100, 101, 60_000].map { schedule.isPaused(at: ms($0)) } == [
                false, false, false, true, true, true,
            ])
        #expect(
            [69, 70, 99, 100, 101, 60_000].map { schedule.isSilenced(at: ms($0)) } == [
                false, true, true, true, true, true,
            ])
    }

    @Test func `A pause ends at the tick of resume, which is shown`() {
        let schedule = PauseSchedule()
        schedule.pause(at: ms(100), requested: ms(70))
        schedule.resume(at: ms(200))
        #expect(!schedule.isRequested)
        #expect([99, 100, 199, 200, 201].map { schedule.isPaused(at: ms($0)) } == [false, true, true, false, false])
        #expect([69, 70, 199, 200, 201].map { schedule.isSilenced(at: ms($0)) } == [false, true, true, false, false])
    }

    @Test func `A second request to pause changes nothing`() {
        let schedule = PauseSchedule()
        schedule.pause(at: ms(100), requested: ms(70))
        schedule.pause(at: ms(300), requested: ms(270))
        #expect(schedule.isPaused(at: ms(150)))
        schedule.resume(at: ms(400))
        #expect(!schedule.isPaused(at: ms(400)) && schedule.isPaused(at: ms(399)))
    }

    @Test func `A request to resume without a pause changes nothing`() {
        let schedule = PauseSchedule()
        schedule.resume(at: ms(50))
        #expect(!schedule.isPaused(at: ms(50)))
        schedule.pause(at: ms(100), requested: ms(70))
        schedule.resume(at: ms(200))
        schedule.resume(at: ms(300))
        #expect(!schedule.isPaused(at: ms(250)))
    }

    @Test func `A resume before the first paused tick withholds no picture`() {
        let schedule = PauseSchedule()
        schedule.pause(at: ms(100), requested: ms(70))
        schedule.resume(at: ms(100))
        #expect(!schedule.isRequested && !schedule.isPaused(at: ms(99)) && !schedule.isPaused(at: ms(100)))
        #expect(schedule.isSilenced(at: ms(80)) && !schedule.isSilenced(at: ms(100)))
    }

    @Test func `Pauses that follow one another keep their own limits`() {
        let schedule = PauseSchedule()
        for pause in 0..<5 {
            schedule.pause(at: ms(Int64(pause) * 100 + 50), requested: ms(Int64(pause) * 100 + 40))
            schedule.resume(at: ms(Int64(pause) * 100 + 80))
        }
        for pause in 0..<5 {
            let base = Int64(pause) * 100
            #expect([40, 50, 79, 80].map { schedule.isPaused(at: ms(base + $0)) } == [false, true, true, false])
        }
    }

    @Test func `Several requests within one tick do not show a paused picture`() {
        let schedule = PauseSchedule()
        schedule.pause(at: ms(100), requested: ms(70))
        schedule.resume(at: ms(500))
        // A program can pause and resume far more often than a tick.
        for request in 0..<200 {
            schedule.pause(at: ms(533), requested: ms(500 + Int64(request) / 10))
            schedule.resume(at: ms(533))
        }
        // Encoder and mixer still work on the pause before.
        #expect(schedule.isPaused(at: ms(480)) && schedule.isSilenced(at: ms(480)))
        #expect(!schedule.isPaused(at: ms(533)))
    }

    @Test func `The schedule keeps a pause per tick for at least a second`() {
        let schedule = PauseSchedule()
        for tick in stride(from: Int64(0), to: 60, by: 2) {
            schedule.pause(at: MediaTime(value: tick, timescale: 60), requested: MediaTime(value: tick, timescale: 60))
            schedule.resume(at: MediaTime(value: tick + 1, timescale: 60))
        }
        for tick in Int64(0)..<60 {
            #expect(schedule.isPaused(at: MediaTime(value: tick, timescale: 60)) == (tick % 2 == 0))
        }
    }

    @Test func `A locked desktop withholds everything, without a pause`() {
        let disclosure = Disclosure()
        #expect(!disclosure.isWithheld(at: ms(10)))
        disclosure.isDesktopLocked.store(true, ordering: .relaxed)
        #expect(disclosure.isWithheld(at: ms(10)) && !disclosure.pauses.isPaused(at: ms(10)))
        disclosure.isDesktopLocked.store(false, ordering: .relaxed)
        disclosure.pauses.pause(at: ms(10), requested: ms(5))
        #expect(disclosure.isWithheld(at: ms(10)) && !disclosure.isWithheld(at: ms(9)))
    }
}
