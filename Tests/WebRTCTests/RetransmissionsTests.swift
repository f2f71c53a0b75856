import Media
import Testing
import WebRTC

struct RetransmissionsTests {
    private func time(_ milliseconds: Int64) -> MediaTime { MediaTime(milliseconds: milliseconds) }

    private func expectAnswer(_ expected: Bool, _ again: inout Retransmissions, to number: UInt16, at now: Int64) {
        let isSent = again.ask(number, size: 1000, rate: 1e6, at: time(now))
        #expect(isSent == expected, "\(number) at \(now)")
    }

    private func expectCopies(
        _ expected: [UInt16], _ again: inout Retransmissions, at now: Int64, size: Int? = 1000
    ) {
        let copies = again.takeCopies(rate: 1e6, at: time(now)) { _ in size }
        #expect(copies == expected, "at \(now)")
    }

    @Test func `A packet that is asked for is sent at once, and once more soon after`() {
        var again = Retransmissions()
        expectAnswer(true, &again, to: 7, at: 0)
        #expect(again.nextDeadline == time(30))
        expectCopies([], &again, at: 29)
        expectCopies([7], &again, at: 30)
        #expect(again.nextDeadline == nil)
        expectCopies([], &again, at: 90)
    }

    @Test func `A request that left before the answer arrived is not answered again`() {
        var again = Retransmissions()
        expectAnswer(true, &again, to: 7, at: 0)
        expectAnswer(false, &again, to: 7, at: 59)
        expectAnswer(true, &again, to: 8, at: 59)
        // The later request is answered, and its copy is counted from it.
        expectAnswer(true, &again, to: 7, at: 60)
        expectCopies([8], &again, at: 89)
        expectCopies([7], &again, at: 90)
    }

    @Test func `They use at most a fifth of the line, and a packet that is not kept is left out`() {
        var again = Retransmissions()
        var sent = 0
        for index in 0..<10_000 as Range<Int64> {
            if again.ask(UInt16(index), size: 1000, rate: 1e6, at: time(index)) { sent += 1000 }
            sent += again.takeCopies(rate: 1e6, at: time(index)) { _ in 1000 }.count * 1000
        }
        // Ten seconds of 200 kbit/s, after the burst.
        #expect(sent > 240_000 && sent <= 270_000, "\(sent)")
        var other = Retransmissions()
        expectAnswer(true, &other, to: 1, at: 0)
        expectCopies([], &other, at: 30, size: nil)
    }
}
