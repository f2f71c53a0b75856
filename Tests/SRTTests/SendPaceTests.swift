import Media
import SRTExtension
import Testing

/// When packets go, judged by simulated servers.
struct SendPaceTests {
    private static let packet = 1316

    /// A server on a line without delay.
    private struct Server {
        /// True if it only acknowledges when a packet arrives, and at most every 10 ms.
        var isLazy: Bool
        /// Bytes that it takes in a millisecond.
        var rate = Int.max
        var arrived = 0
        var acknowledged = 0
        private var inFlight = 0
        private var lastAcknowledgement = -100

        init(isLazy: Bool, rate: Int = .max) {
            self.isLazy = isLazy
            self.rate = rate
        }

        mutating func receive(_ count: Int, at millisecond: Int) {
            inFlight += count
            if isLazy { acknowledge(at: millisecond) }
        }

        mutating func tick(at millisecond: Int) {
            let count = min(inFlight, rate)
            inFlight -= count
            arrived += count
            // libsrt sends a keepalive each second, which is answered.
            if !isLazy || millisecond % 1000 == 0 { acknowledge(at: millisecond) }
        }

        private mutating func acknowledge(at millisecond: Int) {
            if rate == .max {
                arrived += inFlight
                inFlight = 0
            }
            guard millisecond - lastAcknowledgement >= 10 else { return }
            acknowledged = arrived
            lastAcknowledgement = millisecond
        }
    }

    /// Sends a picture every 33 ms, a keyframe of `keyframe` bytes every 2 s and others of `picture` bytes. Returns the
    /// longest time in ms for which a picture waited, and the largest number of bytes that waited for an
    /// acknowledgement.
    private func send(to server: Server, keyframe: Int, picture: Int, seconds: Int, limit: Int) -> (
        delay: Int, waiting: Int
    ) {
        var server = server
        var pace = SendPace(at: .zero)
        var queue: [(rest: Int, start: Int)] = []
        var (sent, delay, largest) = (0, 0, 0)
        for millisecond in 0..<seconds * 1000 {
            let time = MediaTime(milliseconds: Int64(millisecond))
            if millisecond % 33 == 0 { queue.append((millisecond / 33 % 60 == 0 ? keyframe : picture, millisecond)) }
            server.tick(at: millisecond)
            // The sender looks every 5 ms while it must wait.
            guard millisecond % 5 == 0 else { continue }
            while let first = queue.first,
                pace.decide(waiting: sent - server.acknowledged, limit: limit, at: time) == .send
            {
                let count = min(Self.packet, first.rest)
                sent += count
                pace.noteSent(byteCount: count, at: time)
                server.receive(count, at: millisecond)
                queue[0].rest -= count
                if queue[0].rest == 0 { queue.removeFirst() }
                largest = max(largest, sent - server.acknowledged)
            }
            if let first = queue.first { delay = max(delay, millisecond - first.start) }
        }
        return (delay, largest)
    }

    /// The window before its rate is known is 64 KiB.
    @Test func `A server that acknowledges only what arrives gets 2500 kbit per second without delay`() {
        let result = send(to: Server(isLazy: true), keyframe: 150_000, picture: 8000, seconds: 20, limit: 65_536)
        // The keyframe needs three windows, each of which is opened by one packet after 20 ms.
        #expect(result.delay <= 100, "\(result)")
    }

    @Test func `A server that acknowledges all the time is not slowed down`() {
        let result = send(to: Server(isLazy: false), keyframe: 150_000, picture: 8000, seconds: 20, limit: 65_536)
        #expect(result.delay <= 30 && result.waiting <= 65_536 + Self.packet, "\(result)")
    }

    @Test func `On a slow line, little more than the limit is on its way`() {
        // 800 kbit/s for a stream of 2500.
        let result = send(
            to: Server(isLazy: false, rate: 100), keyframe: 150_000, picture: 8000, seconds: 20, limit: 65_536)
        #expect(result.waiting <= 2 * 65_536, "\(result)")
    }

    @Test func `A peer that acknowledges nothing gets twice the limit at most, and is given up after 5 s`() {
        var pace = SendPace(at: .zero)
        var sent = 0
        for millisecond in stride(from: 0, to: 4995, by: 5) {
            let time = MediaTime(milliseconds: Int64(millisecond))
            while pace.decide(waiting: sent, limit: 10_000, at: time) == .send {
                sent += Self.packet
                pace.noteSent(byteCount: Self.packet, at: time)
            }
        }
        #expect((10_000...20_000 + Self.packet).contains(sent) && !pace.hasProgress)
        #expect(pace.decide(waiting: sent, limit: 10_000, at: MediaTime(milliseconds: 5000)) == .giveUp)
        // An acknowledgement is progress.
        #expect(
            pace.decide(waiting: sent - 1, limit: 10_000, at: MediaTime(milliseconds: 5001)) == .wait
                && pace.hasProgress)
    }
}
