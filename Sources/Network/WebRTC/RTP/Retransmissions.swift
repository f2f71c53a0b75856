import Media

/// Decides which packets are sent again, and when. A value without a clock.
package struct Retransmissions {
    /// A packet that was sent again because it was asked for is not sent once more for so long: a second request can
    /// have left before the first answer arrived.
    private static let interval = MediaTime(milliseconds: 60)
    /// A packet is sent again twice, with this time between: some receivers ask only once (aiortc 1.4), and one whose
    /// second packet is lost too would show nothing until a keyframe.
    private static let copyDelay = MediaTime(milliseconds: 30)
    /// The part of the line that they may use.
    private static let share = 0.2
    /// What may be sent at once, in bytes.
    private static let burst = 20_000.0
    /// What copies leave for packets that were not sent again yet, in bytes.
    private static let reserve = 10_000.0

    private var answered: [UInt16: MediaTime] = [:]
    private var copies: [(number: UInt16, due: MediaTime)] = []
    private var budget = burst
    private var last: MediaTime?

    package init() {}

    /// When the next copy is due.
    package var nextDeadline: MediaTime? { copies.first?.due }

    /// True if a packet was sent again a moment ago.
    package func isAnswered(_ number: UInt16) -> Bool { answered[number] != nil }

    /// Returns true if a packet that the receiver asks for is to be sent now.
    ///
    /// - Parameters:
    ///   - size: of the packet, in bytes.
    ///   - rate: what the line takes, in bit/s.
    package mutating func ask(_ number: UInt16, size: Int, rate: Double, at time: MediaTime) -> Bool {
        if let last = answered[number], time - last < Self.interval { return false }
        guard pay(size, rate: rate, keeping: 0, at: time) else { return false }
        answered[number] = time
        copies.removeAll { $0.number == number }
        copies.append((number, time + Self.copyDelay))
        return true
    }

    /// Returns the packets whose copy is due, and forgets them.
    ///
    /// - Parameter size: of a packet, in bytes; nil if it is not kept any more.
    package mutating func takeCopies(rate: Double, at time: MediaTime, size: (UInt16) -> Int?) -> [UInt16] {
        let due = copies.prefix { $0.due <= time }.map(\.number)
        copies.removeFirst(due.count)
        return due.filter { number in size(number).map { pay($0, rate: rate, keeping: Self.reserve, at: time) } ?? false
        }
    }

    /// Forgets what no request can refer to any more. Call it now and then.
    package mutating func clean(at time: MediaTime) {
        answered = answered.filter { time - $0.value < Self.interval }
    }

    private mutating func pay(_ size: Int, rate: Double, keeping rest: Double, at time: MediaTime) -> Bool {
        let (passed, rate) = (last.map { (time - $0).seconds } ?? 0, rate * Self.share / 8)
        last = time
        budget = min(max(Self.burst, rate / 2), budget + passed * rate)
        guard budget >= Double(size) + rest else { return false }
        budget -= Double(size)
        return true
    }
}
