import RTMP
import Testing

/// How much a server may send to a publisher.
struct ReceiveLimitTests {
    /// Returns for each piece whether it is allowed.
    private func answers(_ pieces: [(second: Int, byteCount: Int)]) -> [Bool] {
        var limit = ReceiveLimit()
        let start = ContinuousClock.now
        return pieces.map { piece in limit.allows(piece.byteCount, at: start + .seconds(piece.second)) }
    }

    @Test func `a server may send two megabytes at once, and not more`() {
        #expect(answers([(0, 1 << 20), (0, 1 << 20), (0, 1)]) == [true, true, false])
    }

    @Test func `what a server sends slowly is allowed for any time`() {
        #expect(answers((0..<3600).map { ($0, 200_000) }).allSatisfy { $0 })
        // A pause does not save more than the burst.
        #expect(answers([(0, 1000), (3600, 2 << 20), (3601, 2 << 20)]) == [true, true, false])
    }
}
