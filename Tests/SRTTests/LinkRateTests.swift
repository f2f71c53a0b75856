import Media
import SRTExtension
import Testing

/// The bitrate of a stream, judged on simulated lines. A step is 10 ms.
struct LinkRateTests {
    /// A line with a router whose queue holds 300 ms of its bandwidth.
    private struct Line {
        /// kbit/s.
        var bandwidth: Double
        /// The share of the packets that are lost at random.
        var loss = 0.0
        /// kbit.
        private var queue = 0.0
        private var sent = 0.0
        private var lost = 0.0

        init(bandwidth: Double, loss: Double = 0) {
            self.bandwidth = bandwidth
            self.loss = loss
        }

        /// Sends this much, and what was lost in the step before again. Returns the kbit that the queue did not take.
        mutating func send(_ kilobits: Double, again: Double) -> Double {
            let offered = kilobits + again
            sent += offered
            queue = max(0, queue - bandwidth / 100)
            let space = max(0, bandwidth * 0.3 - queue)
            let overflow = max(0, offered - space)
            queue += offered - overflow
            let random = (offered - overflow) * loss
            lost += overflow + random
            return overflow + random
        }

        func reading(backlog: MediaTime = .zero) -> LinkRate.Reading {
            // Packets of 10 kbit.
            LinkRate.Reading(
                packets: Int(sent / 10), lost: Int(lost / 10), bytes: Int(sent * 125),
                roundTrip: 40 + queue / bandwidth * 1000, backlog: backlog)
        }
    }

    private struct Result {
        var ceilings: [Int?] = []
        /// kbit.
        var media = 0.0
        var lost = 0.0
    }

    /// Sends a stream of this bitrate, which follows the ceiling, for some seconds.
    private func run(_ line: inout Line, _ rate: inout LinkRate, wanted: Double, from start: Int = 0, seconds: Int)
        -> Result
    {
        var result = Result()
        var again = 0.0
        for step in start * 100..<(start + seconds) * 100 {
            let time = MediaTime(milliseconds: Int64(step) * 10)
            let bitrate = min(wanted, Double(rate.ceiling ?? .max))
            again = line.send(bitrate / 100, again: min(again, bitrate / 100))
            result.media += bitrate / 100
            result.lost += again
            if rate.isDue(at: time) {
                _ = rate.note(line.reading(), at: time)
                result.ceilings.append(rate.ceiling)
            }
        }
        return result
    }

    @Test func `On a line that is narrower than the stream, little is lost and most of the line is used`() {
        var line = Line(bandwidth: 1500)
        var rate = LinkRate()
        let first = run(&line, &rate, wanted: 2500, seconds: 10)
        #expect(rate.ceiling ?? 0 <= 1500, "\(first.ceilings)")
        let later = run(&line, &rate, wanted: 2500, from: 10, seconds: 60)
        #expect(later.lost / later.media < 0.02, "\(later.lost / later.media), \(later.ceilings)")
        #expect(later.media / 60 > 1000, "\(later.media / 60), \(later.ceilings)")
    }

    @Test(arguments: [0.01, 0.03, 0.05])
    func `Random losses on a line that is wide enough do not lower the bitrate`(loss: Double) {
        var line = Line(bandwidth: 10_000, loss: loss)
        var rate = LinkRate()
        let result = run(&line, &rate, wanted: 2500, seconds: 60)
        #expect(rate.ceiling == nil, "\(result.ceilings)")
    }

    @Test func `The bitrate is back within half a minute after the line has become wide again`() {
        var line = Line(bandwidth: 1000)
        var rate = LinkRate()
        _ = run(&line, &rate, wanted: 2500, seconds: 15)
        // It can be a little above the line while it looks for its limit.
        #expect(rate.ceiling ?? 0 < 1250)
        line.bandwidth = 10_000
        let result = run(&line, &rate, wanted: 2500, from: 15, seconds: 30)
        #expect(rate.ceiling ?? 0 >= 2500, "\(result.ceilings)")
    }

    @Test func `A line that is dead for four seconds is not taken for a narrow one, and the bitrate comes back`() {
        var rate = LinkRate()
        var (packets, bytes, index) = (0, 0, Int64(0))
        func read(kilobits: Int, backlog: Int64 = 0) {
            packets += kilobits / 20
            bytes += kilobits * 1000 / 8 / 2
            index += 1
            let reading = LinkRate.Reading(
                packets: packets, lost: 0, bytes: bytes, roundTrip: 40, backlog: MediaTime(milliseconds: backlog))
            _ = rate.note(reading, at: MediaTime(milliseconds: index * 500))
        }
        for _ in 0..<20 { read(kilobits: 2500) }
        for second in Int64(1)...8 { read(kilobits: 0, backlog: second * 500) }
        #expect(rate.ceiling ?? 0 >= 1250, "\(rate.ceiling ?? 0)")
        for _ in 0..<60 { read(kilobits: min(2500, rate.ceiling ?? 2500)) }
        #expect(
            rate.ceiling ?? 0 >= 2500 && rate.isRecovered(at: MediaTime(milliseconds: index * 500)),
            "\(rate.ceiling ?? 0)")
        // Another connection can use another line.
        rate.restart()
        #expect(rate.ceiling == nil)
    }

    @Test func `Media that waits lowers the ceiling, and a single late reading does not`() {
        var rate = LinkRate()
        var lowered: [Bool] = []
        for number in 0..<10 {
            let backlog = MediaTime(milliseconds: number == 2 || number > 5 ? 500 : 0)
            let reading = LinkRate.Reading(
                packets: number * 50, lost: 0, bytes: number * 62_500, roundTrip: 40, backlog: backlog)
            lowered.append(rate.note(reading, at: MediaTime(milliseconds: Int64(number) * 500)))
        }
        // 1000 kbit/s passed.
        #expect(lowered.firstIndex(of: true) == 8 && rate.ceiling == 850)
    }
}

struct SendBudgetTests {
    @Test func `A large picture is spread over time, and a small one is sent at once`() {
        var budget = SendBudget(at: .zero)
        let small = (0..<10).map { _ in budget.take(1316, at: .zero) }
        #expect(small.allSatisfy { $0 })
        #expect(duration(of: 200_000, &budget, from: 1000) > 100)
        budget.setRate(ceiling: 1000, stream: 250_000, backlog: MediaTime(milliseconds: 1000))
        // 131 kB a second.
        #expect((1300...1600).contains(duration(of: 200_000, &budget, from: 5000)))
        // It is not slower than the stream for long, whatever the line takes.
        budget.setRate(ceiling: 100, stream: 125_000, backlog: MediaTime(milliseconds: 1600))
        #expect(duration(of: 200_000, &budget, from: 8000) < 1700)
        budget.setRate(ceiling: nil, stream: 2_500_000, backlog: .zero)
        #expect(duration(of: 200_000, &budget, from: 10_000) < 30)
    }

    /// The milliseconds in which so many bytes are sent.
    private func duration(of byteCount: Int, _ budget: inout SendBudget, from start: Int64) -> Int64 {
        var millisecond: Int64 = 0
        var left = byteCount
        while left > 0 {
            while left > 0, budget.take(1316, at: MediaTime(milliseconds: start + millisecond)) { left -= 1316 }
            millisecond += 1
        }
        return millisecond
    }
}
