import Bitstream
import Testing

@Suite struct NALUnitsTests {
    @Test func `units are returned one by one without their lengths`() {
        let units = NALUnits(lengthPrefixed: [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41]).map(Array.init)
        #expect(units == [[0x65, 1], [0x41]])
    }

    @Test(
        arguments: [
            [], [0], [0, 0, 0, 1], [0, 0, 0, 0, 0x65], [0, 0, 0, 2, 0x65], [0xFF, 0xFF, 0xFF, 0xFF, 0x65],
        ] as [[UInt8]])
    func `an invalid length ends the sequence`(data: [UInt8]) {
        #expect(NALUnits(lengthPrefixed: data).map(Array.init) == [])
        #expect(NALUnits(lengthPrefixed: [0, 0, 0, 1, 0x41] + data).map(Array.init) == [[0x41]])
    }

    @Test func `a unit's kind is the low five bits of its header`() {
        #expect(NALUnits.kind(of: [0x65, 0]) == 5)
        #expect(NALUnits.kind(of: [0x09]) == 9)
        #expect(NALUnits.kind(of: []) == nil)
    }

    @Test func `joined units are split again`() {
        let units: [[UInt8]] = [[0x67, 1, 2], [0x65], [UInt8](repeating: 7, count: 70_000)]
        var data: [UInt8] = []
        for unit in units { NALUnits.appendLengthPrefixed(unit, to: &data) }
        #expect(data.prefix(4) == [0, 0, 0, 3])
        #expect(NALUnits(lengthPrefixed: data).map(Array.init) == units)
    }

    @Test func `a byte stream has a start code before each unit`() {
        var output: [UInt8] = [9]
        NALUnits.appendAnnexB(of: [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41], to: &output)
        #expect(output == [9, 0, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x41])
    }
}
