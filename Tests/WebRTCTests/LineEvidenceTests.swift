import Media
import Testing
import WebRTC

struct LineEvidenceTests {
    /// 2 Mbit/s for two seconds, in packets of 1250 bytes.
    private static let sent: SentRate = {
        var sent = SentRate()
        for index in 0..<400 { sent.add(byteCount: 1250, at: MediaTime(milliseconds: Int64(index) * 5)) }
        return sent
    }()
    private static let now = MediaTime(milliseconds: 2000)

    private static func isAbout(_ rate: Double?, _ expected: Double) -> Bool {
        rate.map { abs($0 - expected) < expected * 0.03 } ?? false
    }

    @Test func `Many lost packets are a narrow line, and a few are not`() {
        var evidence = LineEvidence()
        evidence.noteMissing(8, at: Self.now)
        #expect(evidence.verdict(on: Self.sent, at: Self.now) == nil)
        evidence.noteMissing(32, at: Self.now)
        // 40 of the 100 of half a second.
        #expect(Self.isAbout(evidence.verdict(on: Self.sent, at: Self.now), 1_600_000))
        // The stream follows first.
        #expect(evidence.verdict(on: Self.sent, at: Self.now) == nil)
    }

    @Test func `A report of many lost packets is a narrow line too`() {
        var evidence = LineEvidence()
        evidence.noteLoss(0.2, at: Self.now)
        #expect(Self.isAbout(evidence.verdict(on: Self.sent, at: Self.now), 1_800_000))
    }

    @Test func `The receiver's estimate counts only if the line shows that it is full`() {
        var evidence = LineEvidence()
        evidence.noteLimit(900_000, at: Self.now)
        #expect(evidence.verdict(on: Self.sent, at: Self.now) == nil)
        evidence.noteMissing(50, at: Self.now)
        #expect(Self.isAbout(evidence.verdict(on: Self.sent, at: Self.now), 900_000))
    }

    @Test func `An estimate below what arrives is not followed`() {
        var evidence = LineEvidence()
        evidence.noteLimit(300_000, at: Self.now)
        evidence.noteMissing(20, at: Self.now)
        #expect(Self.isAbout(evidence.verdict(on: Self.sent, at: Self.now), 1_600_000 * 0.85))
    }
}
