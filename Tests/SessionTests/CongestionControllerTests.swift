import Media
import Session
import Testing

/// The reaction of the bitrate to a simulated network.
struct CongestionControllerTests {
    /// Simulates a network with this capacity in kbit/s and a sender with the controller's bitrate, for a number of
    /// seconds, in four steps per second.
    private struct Network {
        var controller = CongestionController(wanted: 3000, audio: 0)
        var backlog = 0.0
        var bytes = 0.0
        var time = 0.0
        var bitrate = 3000

        /// - Returns: the lowest bitrate, and the longest backlog in ms.
        mutating func run(seconds: Double, capacity: Double) -> (lowest: Int, longest: Double) {
            var lowest = bitrate
            var longest = backlog
            let end = time + seconds
            while time < end {
                time += 0.25
                let waiting = backlog / 1000 * Double(bitrate) + Double(bitrate) * 0.25
                let passed = min(waiting, capacity * 0.25)
                bytes += passed * 125
                // The backlog never exceeds 2 s: the queue drops pictures.
                backlog = min(2000, (waiting - passed) / Double(bitrate) * 1000)
                let vote = controller.note(
                    backlog: MediaTime(seconds: backlog / 1000), bytes: Int(bytes), at: MediaTime(seconds: time))
                bitrate = vote ?? bitrate
                lowest = min(lowest, bitrate)
                longest = max(longest, backlog)
            }
            return (lowest, longest)
        }
    }

    @Test func `With enough capacity the bitrate keeps the configured value`() {
        var network = Network()
        #expect(network.run(seconds: 60, capacity: 5000).lowest == 3000)
    }

    @Test func `Half the capacity halves the bitrate, and the backlog is small after some seconds`() {
        var network = Network()
        _ = network.run(seconds: 10, capacity: 6000)
        let fall = network.run(seconds: 15, capacity: 1500)
        #expect((900...1500).contains(fall.lowest))
        let later = network.run(seconds: 5, capacity: 1500)
        #expect(later.longest < 700)
    }

    @Test func `The bitrate is restored within 30 seconds of the network's recovery`() {
        var network = Network()
        _ = network.run(seconds: 20, capacity: 1500)
        _ = network.run(seconds: 30, capacity: 6000)
        #expect(network.bitrate == 3000)
    }

    @Test func `If the capacity stays at half, higher bitrates are not tried every second`() {
        var network = Network()
        _ = network.run(seconds: 15, capacity: 1500)
        var dips = 0
        for _ in 0..<20 {
            let before = network.bitrate
            _ = network.run(seconds: 2, capacity: 1500)
            if network.bitrate < before { dips += 1 }
        }
        #expect(dips <= 8)
        #expect(network.bitrate >= 1000)
    }

    @Test func `A destination that hangs during the broadcast does not lower the bitrate`() {
        var network = Network()
        _ = network.run(seconds: 10, capacity: 6000)
        let hang = network.run(seconds: 5, capacity: 0)
        #expect(hang.lowest == 3000 && hang.longest == 2000)
    }

    @Test func `A destination that accepts no data does not influence the bitrate`() {
        var controller = CongestionController(wanted: 3000, audio: 0)
        var votes: [Int?] = []
        for step in 0..<20 {
            votes.append(
                controller.note(
                    backlog: MediaTime(milliseconds: Int64(step) * 250), bytes: 1_000_000,
                    at: MediaTime(milliseconds: Int64(step) * 250))
            )
        }
        #expect(votes.suffix(10).allSatisfy { $0 == nil })
        #expect(votes.compactMap { $0 }.allSatisfy { $0 == 3000 })
    }

    @Test func `The last bytes that fill the buffers of a connection that hangs do not lower the bitrate`() {
        var controller = CongestionController(wanted: 2000, audio: 128)
        var bytes = 0
        var votes: [Int?] = []
        func reading(_ milliseconds: Int64, backlog: Int64, more: Int) {
            bytes += more
            votes.append(
                controller.note(
                    backlog: MediaTime(milliseconds: backlog), bytes: bytes, at: MediaTime(milliseconds: milliseconds)))
        }
        for step in 0..<10 { reading(Int64(step) * 250, backlog: 0, more: 62_500) }
        reading(2500, backlog: 150, more: 20_000)
        reading(2750, backlog: 400, more: 3000)
        for step in 0..<8 { reading(3000 + Int64(step) * 250, backlog: 650 + Int64(step) * 250, more: 0) }
        #expect(votes.compactMap(\.self).allSatisfy { $0 == 2000 }, "\(votes)")
        #expect(votes.last == .some(nil))
    }
}
