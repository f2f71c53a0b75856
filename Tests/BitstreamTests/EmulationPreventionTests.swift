import Bitstream
import Testing

@Suite struct EmulationPreventionTests {
    @Test(
        arguments: [
            ([], []), ([1, 0, 0], [1, 0, 0]), ([0, 0, 1], [0, 0, 3, 1]), ([0, 0, 3], [0, 0, 3, 3]),
            ([0, 0, 4], [0, 0, 4]),
            ([0, 0, 0, 0, 2, 9], [0, 0, 3, 0, 0, 3, 2, 9]),
        ] as [([UInt8], [UInt8])])
    func `a three is inserted before each byte of at most three that follows two zeros`(payload: [UInt8], unit: [UInt8])
    {
        #expect(EmulationPrevention.insert(into: payload) == unit)
        #expect(EmulationPrevention.remove(from: unit) == payload)
    }

    @Test func `every short payload of small bytes survives a round trip`() {
        for length in 0...6 {
            for code in 0..<(0..<length).reduce(1, { value, _ in value * 5 }) {
                var rest = code
                let payload = (0..<length).map { _ -> UInt8 in
                    defer { rest /= 5 }
                    return UInt8(rest % 5)
                }
                #expect(EmulationPrevention.remove(from: EmulationPrevention.insert(into: payload)) == payload)
            }
        }
    }
}
