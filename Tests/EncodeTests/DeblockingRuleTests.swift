import Encode
import Media
import Testing

@Suite struct DeblockingRuleTests {
    private let size = PixelSize(width: 640, height: 360)

    private func changed(rows: Int) -> DamageRegion {
        var region = DamageRegion(size: size)
        region.add(PixelRect(x: 0, y: 0, width: size.width, height: rows))
        return region
    }

    @Test(arguments: [(10, false), (26, false), (27, true)]) func `a small change is smoothed at a high QP`(
        quantizer: Int, isOn: Bool
    ) {
        var rule = DeblockingRule()
        let results = [22, 0].map { rule.isOn(changed: changed(rows: $0), lastQuantizer: quantizer) }
        #expect(results == [isOn, isOn])
    }

    @Test func `a movement is smoothed until it continues at a low QP`() {
        var rule = DeblockingRule()
        let movement = [
            rule.isOn(changed: .whole(size), lastQuantizer: 12), rule.isOn(changed: .whole(size), lastQuantizer: 21),
            rule.isOn(changed: changed(rows: 23), lastQuantizer: 20),
            rule.isOn(changed: .whole(size), lastQuantizer: 14),
        ]
        #expect(movement == [true, true, false, false])
        // A still picture ends it, whether it is encoded again or repeated.
        let encodedAgain = [
            rule.isOn(changed: changed(rows: 0), lastQuantizer: 14),
            rule.isOn(changed: .whole(size), lastQuantizer: 12),
        ]
        #expect(encodedAgain == [false, true])
        let continued = rule.isOn(changed: .whole(size), lastQuantizer: 12)
        rule.noteRepeat()
        let repeated = rule.isOn(changed: .whole(size), lastQuantizer: 12)
        #expect(!continued && repeated)
    }
}

extension DeblockingRule {
    /// Whether a frame after one with that QP is smoothed.
    fileprivate mutating func isOn(changed: DamageRegion, lastQuantizer: Int) -> Bool {
        note(quantizer: lastQuantizer)
        return isOn(changed: changed)
    }
}
