import Mux
import Testing

@Suite struct NALUnitsTests {
    @Test func `units come one by one without their lengths`() {
        let units = NALUnits(lengthPrefixed: [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41]).map(Array.init)
        #expect(units == [[0x65, 1], [0x41]])
    }

    @Test(
        arguments: [
            [], [0], [0, 0, 0, 1], [0, 0, 0, 0, 0x65], [0, 0, 0, 2, 0x65], [0xFF, 0xFF, 0xFF, 0xFF, 0x65],
        ] as [[UInt8]])
    func `a length that can't be ends the sequence`(data: [UInt8]) {
        #expect(NALUnits(lengthPrefixed: data).map(Array.init) == [])
        #expect(NALUnits(lengthPrefixed: [0, 0, 0, 1, 0x41] + data).map(Array.init) == [[0x41]])
    }

    @Test func `a unit's kind is the low five bits of its header`() {
        #expect(NALUnits.kind(of: [0x65, 0]) == 5)
        #expect(NALUnits.kind(of: [0x09]) == 9)
        #expect(NALUnits.kind(of: []) == nil)
    }
}
