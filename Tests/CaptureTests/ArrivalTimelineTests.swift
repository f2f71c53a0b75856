import ContentCapture
import Media
import Testing

/// The times of sound that a program hands over without timestamps.
struct ArrivalTimelineTests {
    /// Hands over pieces of 10 ms at the given seconds. Returns the difference in milliseconds between the time of each
    /// piece and its arrival.
    private func delays(_ timeline: inout ArrivalTimeline, _ arrivals: [Double]) -> [Double] {
        arrivals.map { (timeline.place(480, now: MediaTime(seconds: $0)).seconds - $0) * 1000 }
    }

    @Test(arguments: [200.0, -200.0, 0])
    func `A program whose clock drifts stays at its arrival for half an hour`(partsPerMillion: Double) {
        var random = SystemRandomNumberGenerator()
        var timeline = ArrivalTimeline(sampleRate: 48_000)
        let step = 0.01 * (1 + partsPerMillion / 1e6)
        let delays = delays(
            &timeline, (0..<180_000).map { 5 + Double($0) * step + .random(in: 0...0.008, using: &random) })
        // The piece that comes latest is on time, so the others have a place up to 8 ms after their arrival. In the
        // first seconds the timeline finds out how late the latest piece is.
        #expect(delays.allSatisfy { abs($0) < 12 })
        let later = delays.dropFirst(1200)
        #expect(later.allSatisfy { $0 > -2 && $0 < 10 }, "\(later.min() ?? 0) to \(later.max() ?? 0) ms")
    }

    @Test func `The times of the sound have no steps that the mixer would correct`() {
        var timeline = ArrivalTimeline(sampleRate: 48_000)
        var last: MediaTime?
        for index in 0..<100_000 {
            let time = timeline.place(
                480, now: MediaTime(seconds: Double(index) * 0.010_002 + (index % 7 == 0 ? 0.004 : 0)))
            if let last { #expect(abs((time - last).seconds - 0.01) < 0.000_011) }
            last = time
        }
    }

    @Test func `Sound that accumulated during a hiccup does not stay late`() {
        var timeline = ArrivalTimeline(sampleRate: 48_000)
        var arrivals = (0..<300).map { Double($0) * 0.01 }
        for hiccup in 0..<5 {
            let start = 3 + Double(hiccup) * 3
            // 300 ms without sound, then all of it at once, then sound in real time.
            arrivals += [Double](repeating: start + 0.3, count: 31)
            arrivals += (31..<300).map { start + Double($0) * 0.01 }
        }
        let delays = delays(&timeline, arrivals)
        #expect(delays.suffix(150).allSatisfy { abs($0) < 5 }, "\(delays.suffix(5))")
    }

    @Test func `A pause of the program is a gap, and pieces in bursts keep their distance`() {
        var timeline = ArrivalTimeline(sampleRate: 48_000)
        #expect(delays(&timeline, [1, 1.01, 1.02, 9, 9.01]).map { $0.rounded() } == [0, 0, 0, 0, 0])
        // Ten pieces every 100 ms.
        var burst = ArrivalTimeline(sampleRate: 48_000)
        let delays = delays(&burst, (0..<1000).map { Double($0 / 10) * 0.1 })
        #expect(delays.enumerated().allSatisfy { abs($1 - Double($0 % 10) * 10) < 1 })
    }
}
