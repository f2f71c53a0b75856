import TestPatterns
import TestSupport
import Testing

/// The clock's cells, without a screen.
struct ClockPatternTests {
    @Test(arguments: [0, 1, 999, 0x8000_0000, 0xFFFF_FFFF, 0x1234_5678] as [UInt32])
    func `A time reads back from its cells`(time: UInt32) {
        #expect(ClockPattern.milliseconds(cells: ClockPattern.cells(milliseconds: time)) == time)
    }

    @Test func `A picture of two halves does not read`() {
        let old = ClockPattern.cells(milliseconds: 0x0001_FFFF)
        let new = ClockPattern.cells(milliseconds: 0x0002_000F)
        for row in 1..<ClockPattern.rows - 1 {
            let torn = Array(new[..<((row + 1) * ClockPattern.columns)] + old[((row + 1) * ClockPattern.columns)...])
            #expect(ClockPattern.milliseconds(cells: torn) == nil)
        }
    }

    @Test func `An even picture is no clock`() {
        let frame = DecodedFrame(
            width: 64, height: 36, layout: .gray, pts: 0, received: 0, bytes: Array(repeating: 128, count: 64 * 36))
        #expect(ClockReader().milliseconds(in: frame) == nil)
    }
}
