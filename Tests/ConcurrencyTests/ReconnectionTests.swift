import Concurrency
import Testing

/// The policy of docs/protocols.md, Retry.
@Suite struct ReconnectionTests {
    /// Waits of 2, 4, 8 and then 10 s.
    private static let waits = Backoff(first: .seconds(2), factor: 2, longest: .seconds(10))

    /// A far end with a time of its own.
    private final class Line {
        var reconnection: Reconnection
        var now = Duration.zero

        init(_ policy: ReconnectionPolicy, wasAccepted: Bool = false) {
            reconnection = Reconnection(policy, wasAccepted: wasAccepted)
        }

        /// A connection that lasts this long. Returns the wait in seconds before the next one.
        func connect(for seconds: Double, isConfirmed: Bool = true) -> Double? {
            reconnection.accepted(at: now, isConfirmed: isConfirmed)
            now += .seconds(seconds)
            return fail()
        }

        /// A try that fails at once.
        func fail() -> Double? {
            reconnection.ended(at: now)
            guard let wait = reconnection.nextWait() else { return nil }
            now += wait
            return Double(wait.components.seconds)
        }
    }

    @Test(arguments: [1, 5, 30, 600])
    func `After any outage there is another try, at most a minute after the server is back`(minutes: Int) throws {
        let line = Line(.liveDestination)
        var lastWait = try #require(line.connect(for: 100))
        let back = line.now + .seconds(60 * minutes)
        while line.now < back { lastWait = try #require(line.fail()) }
        #expect(lastWait <= 60)
        #expect(line.connect(for: 100) == 2)
    }

    @Test func `A limit counts the tries in a row that fail`() {
        let line = Line(ReconnectionPolicy(waits: Self.waits, maximumAttempts: 3))
        #expect(line.connect(for: 100) == 2)
        #expect(line.fail() == 4 && line.fail() == 8)
        #expect(line.connect(for: 100) == 2)
        #expect(line.fail() == 4 && line.fail() == 8 && line.fail() == nil)
    }

    @Test func `A server that closes each connection after some seconds is slowed down, and never given up`() {
        let line = Line(ReconnectionPolicy(waits: Self.waits, maximumAttempts: 3))
        let waits = (0..<30).map { _ in line.connect(for: 4) }
        #expect(waits.prefix(4) == [2, 4, 8, 10] && waits.dropFirst(4).allSatisfy { $0 == 10 })
        #expect(line.reconnection.shortConnections == 30)
        #expect(line.connect(for: 60) == 2 && line.reconnection.shortConnections == 0)
    }

    @Test func `A connection that is closed at once is a try that failed`() {
        var line = Line(ReconnectionPolicy(waits: Self.waits, attemptsBeforeAccepted: 4))
        let waits = (0..<5).map { _ in line.connect(for: 0.5) }
        #expect(waits == [2, 4, 8, 10, nil])
        // After one that was accepted, there is no limit.
        line = Line(ReconnectionPolicy(waits: Self.waits, attemptsBeforeAccepted: 4))
        _ = line.connect(for: 2)
        #expect((0..<50).allSatisfy { _ in line.connect(for: 0.5) != nil })
        // Also if an earlier process made it.
        line = Line(ReconnectionPolicy(waits: Self.waits, attemptsBeforeAccepted: 4), wasAccepted: true)
        #expect((0..<50).allSatisfy { _ in line.fail() != nil })
    }

    @Test func `A program that does not say whether its server accepts the stream must run for a minute`() {
        var line = Line(ReconnectionPolicy(waits: Self.waits, attemptsBeforeAccepted: 4))
        let waits = (0..<5).map { _ in line.connect(for: 30, isConfirmed: false) }
        #expect(waits == [2, 4, 8, 10, nil])
        line = Line(ReconnectionPolicy(waits: Self.waits, attemptsBeforeAccepted: 4))
        _ = line.connect(for: 60, isConfirmed: false)
        #expect((0..<50).allSatisfy { _ in line.connect(for: 30, isConfirmed: false) != nil })
    }

    @Test func `Tries without a limit do not count when a limit applies`() {
        var reconnection = Reconnection(ReconnectionPolicy(waits: Self.waits, attemptsBeforeAccepted: 4))
        let unlimited = (0..<30).map { _ in reconnection.nextWait(isLimited: false) }
        #expect(unlimited.allSatisfy { $0 != nil })
        let limited = (0..<5).map { _ in reconnection.nextWait() }
        #expect(limited.map { $0 != nil } == [true, true, true, true, false] && limited.first == .seconds(2))
    }

    @Test func `A far end that makes the tries itself has the time of the tries that are allowed`() {
        let policy = ReconnectionPolicy(waits: Self.waits, maximumAttempts: 5)
        #expect(policy.longestOutage == .seconds(34) && ReconnectionPolicy(waits: Self.waits).longestOutage == nil)
        var reconnection = Reconnection(policy)
        reconnection.accepted(at: .zero, isConfirmed: true)
        reconnection.ended(at: .seconds(100))
        reconnection.ended(at: .seconds(120))
        var isOver = reconnection.giveUpIfOverdue(at: .seconds(133))
        #expect(!isOver)
        isOver = reconnection.giveUpIfOverdue(at: .seconds(134))
        let wait = reconnection.nextWait()
        #expect(isOver && wait == nil)
        // A connection in between starts the time again.
        reconnection = Reconnection(policy)
        for start in [0, 100] {
            reconnection.accepted(at: .seconds(start), isConfirmed: true)
            reconnection.ended(at: .seconds(start + 90))
        }
        isOver = reconnection.giveUpIfOverdue(at: .seconds(200))
        #expect(!isOver)
    }
}
