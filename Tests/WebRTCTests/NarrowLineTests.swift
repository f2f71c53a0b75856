import Media
import Testing
import WebRTC

/// A stream of pictures through a line with a queue, as in a router: what the estimates do when the line gets narrow
/// and wide again. Time passes in steps of a millisecond, and nothing is random.
struct NarrowLineTests {
    /// How the receiver shows what arrives.
    enum Feedback: CaseIterable { case reports, checks }

    private struct Simulation {
        static let wholeRate = 2_500_000.0
        static let frameTime: Int64 = 33
        static let packetSize = 1200
        /// One way, in milliseconds.
        static let lineDelay: Int64 = 20
        /// The stream has another bitrate so long after the estimate has.
        static let followTime: Int64 = 150

        let feedback: Feedback
        /// Bytes that wait in the line; more are lost.
        let queueSize: Int
        var rate = 100_000_000.0
        var now: Int64 = 0
        var estimator = RateEstimator(isFollowed: true)
        private var echoes = LineEchoes()
        private var pacer = Pacer(longestWait: Pacer.longestFollowedWait)
        private var sentRate = SentRate()
        private var evidence = LineEvidence()
        private var lastEcho: MediaTime?
        private var queue: [(number: UInt16?, size: Int, sent: Int64, picture: Int64)] = []
        private var queuedBytes = 0
        private var credit = 0.0
        private var number: UInt16 = 0
        private var arrivals: [(number: UInt16, time: Int64)] = []
        private var answers: [(check: Int64, time: Int64)] = []
        private var reported: UInt16 = 0
        private var wanted: [Double] = []
        /// A still screen sends little.
        var isStill = false
        /// The receiver answers nothing before that time.
        var pauseEnd: Int64 = 0
        /// The ages of what has arrived, and how much was lost, or came too late to be sent.
        var ages: [Int64] = []
        var lost = 0
        var droppedTimes = 0

        init(_ feedback: Feedback, queueSize: Int = 64 * 1024) {
            (self.feedback, self.queueSize) = (feedback, queueSize)
        }

        /// The stream's bitrate.
        var target: Double { estimator.isLimited ? min(Self.wholeRate, estimator.estimate) : Self.wholeRate }

        mutating func run(seconds: Int64) throws {
            for _ in 0..<seconds * 1000 { try step() }
        }

        private var time: MediaTime { MediaTime(milliseconds: now) }

        mutating func step() throws {
            now += 1
            wanted.append(target)
            if now % Self.frameTime == 0 { grab() }
            for part in pacer.take(rate: estimator.pace, at: time) {
                let size = part.payload.count + 40
                echoes.noteSent(byteCount: size)
                sentRate.add(byteCount: size, at: time)
                if feedback == .reports {
                    estimator.noteSent(number, size: size, at: time)
                } else {
                    estimator.noteSent(byteCount: size)
                }
                enter(number, size: size, picture: part.ticks)
                number &+= 1
            }
            deliver()
            if feedback == .reports, now % 50 == 0 { try report() }
            while now >= pauseEnd, let answer = answers.first, answer.time <= now {
                answers.removeFirst()
                if let echo = echoes.noteAnswer(toCheckAt: MediaTime(milliseconds: answer.check), at: time) {
                    lastEcho = time
                    estimator.note(echo, at: time)
                }
            }
            if feedback == .checks { followWithoutReports() }
        }

        /// What `MediaConnection` does beside the answers.
        private mutating func followWithoutReports() {
            if let last = lastEcho, now - last.milliseconds > 1000, !echoes.isWaiting(at: time) {
                lastEcho = nil
                estimator.endChecks()
            }
            if let rate = evidence.verdict(on: sentRate, at: time) { estimator.lose(to: rate, at: time) }
            if now % 1000 == 0, lastEcho == nil, let sent = sentRate.value(at: time) {
                estimator.noteCalm(sentRate: sent.rate, at: time)
            }
        }

        /// A picture: each fourth one is large, and every 10 s there is a keyframe.
        private mutating func grab() {
            let share = (now / Self.frameTime).isMultiple(of: 4) ? 1.9 : 0.7
            let rate = wanted[max(0, wanted.count - 1 - Int(Self.followTime))]
            var size = Int(rate / 8 * Double(Self.frameTime) / 1000 * share)
            if (now / Self.frameTime).isMultiple(of: 303) { size += Int(rate / 8 * 0.25) }
            if isStill { size = 500 }
            if pacer.isLate(at: time) {
                droppedTimes += 1
                estimator.noteLateStream()
                pacer.dropPictures(at: time)
            }
            if feedback == .checks, let rate = sentRate.value(at: time)?.rate,
                echoes.isDue(at: time, rate: rate, isNarrow: estimator.isLimited)
            {
                echoes.noteCheck(at: time)
                enter(nil, size: 100, picture: now)
            }
            while size > 0 {
                pacer.add(
                    .init(
                        payload: [UInt8](repeating: 0, count: min(size, Self.packetSize)), ticks: now, isMarked: false,
                        isKeyframe: false), at: time)
                size -= Self.packetSize
            }
        }

        private mutating func enter(_ number: UInt16?, size: Int, picture: Int64) {
            guard queuedBytes + size <= queueSize else {
                lost += 1
                if feedback == .checks, let number {
                    estimator.noteMissing([number], at: time)
                    evidence.noteMissing(1, at: time)
                }
                return
            }
            queue.append((number, size, now, picture))
            queuedBytes += size
        }

        private mutating func deliver() {
            credit += rate / 8000
            while let first = queue.first, credit >= Double(first.size) {
                queue.removeFirst()
                queuedBytes -= first.size
                credit -= Double(first.size)
                guard let number = first.number else {
                    answers.append((first.sent, now + 2 * Self.lineDelay))
                    continue
                }
                arrivals.append((number, now + Self.lineDelay))
                ages.append(now + Self.lineDelay - first.picture)
            }
            if queue.isEmpty { credit = 0 }
        }

        /// What has arrived since the last report, each with its time (draft-holmer-rmcat-transport-wide-cc, 3.1).
        private mutating func report() throws {
            let due = arrivals.filter { $0.time <= now }
            guard let first = due.first, let last = due.last else { return }
            arrivals.removeFirst(due.count)
            let start = first.time / 64 * 64
            var bytes: [UInt8] = [0x8F, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7]
            let count = last.number &- reported &+ 1
            bytes += [UInt8(reported >> 8), UInt8(reported & 0xFF), UInt8(count >> 8), UInt8(count & 0xFF)]
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: ((start / 64) << 8) >> (24 - 8 * $0)) }
            let times = Dictionary(uniqueKeysWithValues: due.map { ($0.number, $0.time) })
            let numbers = (0..<count).map { reported &+ $0 }
            var symbols = numbers.map { times[$0] == nil ? UInt16(0) : 2 }
            while !symbols.count.isMultiple(of: 7) { symbols.append(0) }
            for index in stride(from: 0, to: symbols.count, by: 7) {
                let chunk = (0..<7).reduce(UInt16(0xC000)) { $0 | symbols[index + $1] << (12 - 2 * UInt16($1)) }
                bytes += [UInt8(chunk >> 8), UInt8(chunk & 0xFF)]
            }
            var previous = start
            for number in numbers {
                guard let time = times[number] else { continue }
                let delta = UInt16(truncatingIfNeeded: (time - previous) * 4)
                bytes += [UInt8(delta >> 8), UInt8(delta & 0xFF)]
                previous = time
            }
            while !bytes.count.isMultiple(of: 4) { bytes.append(0) }
            reported = last.number &+ 1
            estimator.note(try #require(TransportFeedback(reading: bytes[...])), at: time)
        }
    }

    @Test(arguments: Feedback.allCases)
    func `A line that gets narrow loses little, delays little, and is used again when it is wide`(
        feedback: Feedback
    ) throws {
        var simulation = Simulation(feedback)
        try simulation.run(seconds: 12)
        #expect(!simulation.estimator.isLimited && simulation.lost == 0)
        #expect(try #require(simulation.ages.max()) < 60)
        simulation.rate = 1_500_000
        simulation.ages = []
        try simulation.run(seconds: 45)
        let ages = simulation.ages.sorted()
        let (median, high) = (ages[ages.count / 2], ages[ages.count * 95 / 100])
        #expect(median < 150 && high < 400, "\(median), \(high)")
        #expect(simulation.lost == 0 && simulation.droppedTimes == 0)
        #expect((900_000...1_800_000).contains(simulation.target))
        simulation.rate = 100_000_000
        try simulation.run(seconds: 15)
        #expect(simulation.target == Simulation.wholeRate)
        try simulation.run(seconds: 60)
        #expect(simulation.estimator.pace > 2 * Simulation.wholeRate, "a keyframe is sent at once again")
    }

    @Test(arguments: Feedback.allCases)
    func `A line that gets narrow a second time is followed below what checks can show`(feedback: Feedback) throws {
        var simulation = Simulation(feedback)
        try simulation.run(seconds: 5)
        simulation.rate = 1_500_000
        try simulation.run(seconds: 10)
        simulation.rate = 400_000
        try simulation.run(seconds: 15)
        (simulation.ages, simulation.lost) = ([], 0)
        try simulation.run(seconds: 60)
        let ages = simulation.ages.sorted()
        let arrived = Double(ages.count) / Double(ages.count + simulation.lost)
        #expect(arrived > 0.97 && ages[ages.count / 2] < 1000, "\(arrived), \(ages[ages.count / 2])")
        #expect(simulation.target < 700_000)
        simulation.rate = 100_000_000
        try simulation.run(seconds: 60)
        #expect(simulation.target == Simulation.wholeRate)
    }

    @Test(arguments: Feedback.allCases)
    func `A deep queue is noticed, however long an answer takes`(feedback: Feedback) throws {
        var simulation = Simulation(feedback, queueSize: 2_000_000)
        try simulation.run(seconds: 5)
        simulation.rate = 400_000
        try simulation.run(seconds: 30)
        simulation.ages = []
        try simulation.run(seconds: 30)
        let ages = simulation.ages.sorted()
        #expect(ages[ages.count / 2] < 2000, "\(ages[ages.count / 2])")
        #expect(simulation.target < 700_000)
    }

    @Test(arguments: Feedback.allCases)
    func `A screen that becomes still on a full line leaves no delay behind, and moves again`(
        feedback: Feedback
    ) throws {
        var simulation = Simulation(feedback)
        try simulation.run(seconds: 5)
        simulation.rate = 1_500_000
        try simulation.run(seconds: 1)
        simulation.isStill = true
        try simulation.run(seconds: 5)
        #expect(simulation.estimator.delay < MediaTime(milliseconds: 20))
        (simulation.isStill, simulation.rate) = (false, 100_000_000)
        try simulation.run(seconds: 20)
        #expect(simulation.target == Simulation.wholeRate)
    }

    @Test(arguments: Feedback.allCases)
    func `A still screen on a line that jitters is not taken for a full one`(feedback: Feedback) throws {
        var simulation = Simulation(feedback)
        simulation.isStill = true
        try simulation.run(seconds: 3)
        for _ in 0..<3 {
            // 500 bytes in 100 ms.
            simulation.rate = 40_000
            try simulation.run(seconds: 1)
            simulation.rate = 100_000_000
            try simulation.run(seconds: 1)
        }
        #expect(simulation.estimator.estimate > 500_000, "\(simulation.estimator.estimate)")
    }

    @Test func `A receiver that pauses for a moment makes no line narrow`() throws {
        for pause in [130, 200, 300, 500] as [Int64] {
            for phase in 0..<6 {
                var simulation = Simulation(.checks)
                try simulation.run(seconds: 5)
                for _ in 0..<phase * 50 { try simulation.step() }
                simulation.pauseEnd = simulation.now + pause
                try simulation.run(seconds: 3)
                #expect(!simulation.estimator.isLimited, "\(pause) ms, \(phase)")
            }
        }
    }

    @Test func `One answer that is late is no full line, and three in a row are`() {
        func delays(_ roundTrips: [Int64]) -> [Int64] {
            var echoes = LineEchoes()
            return roundTrips.enumerated().compactMap { index, length in
                let sent = MediaTime(milliseconds: Int64(index) * 100)
                echoes.noteCheck(at: sent)
                return echoes.noteAnswer(toCheckAt: sent, at: sent + MediaTime(milliseconds: length))?.delay
                    .milliseconds
            }
        }
        #expect(delays([20, 20, 90, 20, 20]) == [0, 0, 0, 0, 0])
        #expect(delays([20, 90, 95, 99, 20]) == [0, 0, 0, 70, 0])
    }

    @Test func `An answer shows what was sent before its check and after the one before`() {
        var echoes = LineEchoes()
        let times = [0, 100, 200, 300].map { MediaTime(milliseconds: $0) }
        for (index, time) in times.enumerated() {
            #expect(echoes.isDue(at: time, rate: 1_000_000, isNarrow: false))
            echoes.noteCheck(at: time)
            #expect(!echoes.isDue(at: time + MediaTime(milliseconds: 20), rate: 1_000_000, isNarrow: false))
            // While little is sent, checks are only due on a narrow line.
            let later = time + MediaTime(milliseconds: 100)
            #expect(!echoes.isDue(at: later, rate: 200_000, isNarrow: false))
            #expect(echoes.isDue(at: later, rate: 200_000, isNarrow: true))
            for _ in 0...index { echoes.noteSent(byteCount: 1000) }
        }
        #expect(echoes.noteAnswer(toCheckAt: times[0], at: times[1])?.byteCount == 0)
        // The answer to the second one is late or lost.
        let echo = echoes.noteAnswer(toCheckAt: times[2], at: times[3])
        #expect(echo?.byteCount == 3000 && echo?.packetCount == 3)
        #expect(echoes.noteAnswer(toCheckAt: times[1], at: times[3]) == nil)
        #expect(echoes.noteAnswer(toCheckAt: times[3], at: times[3]) != nil)
        // After a pause, what was before it says nothing.
        let later = MediaTime(milliseconds: 2000)
        echoes.noteCheck(at: later)
        #expect(echoes.noteAnswer(toCheckAt: later, at: later)?.byteCount == 0)
    }
}
