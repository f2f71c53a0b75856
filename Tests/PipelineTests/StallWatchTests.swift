import Media
import Pipeline
import Testing

/// Which of a source that hangs and a program that was stopped is reported.
@Suite struct StallWatchTests {
    /// The capture thread ticks 30 times a second, and the other thread looks twice a second.
    private struct Watch {
        private var watch = StallWatch()
        private var time = MediaTime.zero
        private var heartbeat = MediaTime.zero

        /// - Parameters:
        ///   - overslept: by how much the thread that looks slept longer than half a second.
        ///   - ticks: false if the capture thread has done nothing meanwhile.
        mutating func look(overslept: Int64 = 0, ticks: Bool = true) -> [StallWatch.Finding] {
            let pause = MediaTime(milliseconds: 500 + overslept)
            time += pause
            if ticks { heartbeat = time - MediaTime(milliseconds: 20) }
            return watch.look(heartbeat: heartbeat, overslept: MediaTime(milliseconds: overslept), now: time)
        }
    }

    @Test func `A source that hangs is reported after a second, and reported again when it answers`() {
        var watch = Watch()
        #expect(watch.look() == [] && watch.look() == [])
        #expect(watch.look(ticks: false) == [])
        #expect(watch.look(ticks: false) == [.stalled])
        #expect(watch.look(ticks: false) == [])
        #expect(watch.look() == [.answersAgain])
        #expect(watch.look() == [])
    }

    @Test func `A program that was stopped does not blame its source, and says how long it was stopped`() {
        var watch = Watch()
        #expect(watch.look() == [])
        // The watching thread runs first after the stop.
        #expect(watch.look(overslept: 5000, ticks: false) == [.stopped(for: MediaTime(milliseconds: 5000))])
        #expect(watch.look() == [] && watch.look() == [])
        // The capture thread runs first.
        #expect(watch.look(overslept: 3000) == [.stopped(for: MediaTime(milliseconds: 3000))])
        #expect(watch.look() == [])
    }

    @Test func `A source that hangs since a stop of the program is reported a second after it`() {
        var watch = Watch()
        #expect(watch.look() == [])
        #expect(watch.look(overslept: 5000, ticks: false) == [.stopped(for: MediaTime(milliseconds: 5000))])
        #expect(watch.look(ticks: false) == [.stalled])
        #expect(watch.look(overslept: 2000, ticks: false) == [.stopped(for: MediaTime(milliseconds: 2000))])
        #expect(watch.look() == [.answersAgain])
    }

    @Test func `A source that hangs on a busy machine is reported, although the watching thread is late too`() {
        var watch = Watch()
        #expect(watch.look(overslept: 400) == [])
        #expect(watch.look(overslept: 400, ticks: false) == [] && watch.look(overslept: 400, ticks: false) == [])
        #expect(watch.look(overslept: 400, ticks: false) == [.stalled])
    }
}
