import PortalCapture
import Testing

/// When a stream without pictures is restarted, replaced, or given up.
@Suite struct StreamSupervisionTests {
    /// Each restart waits longer than the one before it. There are four.
    @Test(arguments: [(0, 100), (1, 500), (2, 900), (3, 1300), (4, nil)] as [(Int, Int64?)])
    func `the flow is restarted if the first picture is missing`(restarts: Int, wait: Int64?) {
        var supervision = StreamSupervision()
        let facts = StreamSupervision.Facts(missingSince: start, restarts: restarts)
        let limit = (wait ?? 100_000) * milliseconds
        #expect(supervision.observed(facts, at: start + limit - 1) == .none)
        let action = supervision.observed(facts, at: start + limit)
        #expect(action == (wait == nil ? .none : .restartFlow(missingSince: start)))
    }

    @Test func `the flow is not restarted after the first picture, and never if the sender does not survive it`() {
        var supervision = StreamSupervision()
        let later = start + 100_000 * milliseconds
        #expect(supervision.observed(.init(), at: later) == .none)
        #expect(supervision.observed(.init(missingSince: start, keepsFlow: true), at: later) == .none)
    }

    @Test func `a useless stream is replaced at once, and given up at the fourth in a row`() {
        var supervision = StreamSupervision()
        let useless = StreamSupervision.Facts(isUseless: true)
        var now = start
        for wait in [100, 200, 400] as [Int64] {
            #expect(supervision.observed(useless, at: now) == .replaceStream)
            now += wait * milliseconds
            #expect(supervision.observed(useless, at: now - 1) == .none)
        }
        #expect(supervision.observed(useless, at: now) == .giveUp(.noMemory))
    }

    @Test func `a picture begins the count of useless streams again`() {
        var supervision = StreamSupervision()
        for index in 0..<20 {
            let now = start + Int64(index) * 1000 * milliseconds
            #expect(supervision.observed(.init(isUseless: true), at: now) == .replaceStream)
            supervision.pictureTaken()
        }
    }

    @Test func `while a useless stream waits for its replacement, its flow is restarted`() {
        var supervision = StreamSupervision()
        let useless = StreamSupervision.Facts(missingSince: start, isUseless: true)
        #expect(supervision.observed(useless, at: start) == .replaceStream)
        supervision.pictureTaken()
        #expect(supervision.observed(useless, at: start + 99 * milliseconds) == .none)
        let early = StreamSupervision.Facts(missingSince: start - 100 * milliseconds, isUseless: true)
        #expect(
            supervision.observed(early, at: start + 99 * milliseconds)
                == .restartFlow(missingSince: start - 100 * milliseconds))
    }

    @Test func `memory that is taken away four times within ten seconds each is given up`() {
        var supervision = StreamSupervision()
        var now = start
        for _ in 0..<3 {
            #expect(supervision.memoryLost(at: now) == .none)
            now += 10_000 * milliseconds
        }
        var other = supervision
        #expect(supervision.memoryLost(at: now) == .giveUp(.memoryTakenAway))
        #expect(other.memoryLost(at: now + 1) == .none)
    }
}

private let milliseconds: Int64 = 1_000_000
/// Ten minutes after the start of the machine.
private let start: Int64 = 600_000 * milliseconds
