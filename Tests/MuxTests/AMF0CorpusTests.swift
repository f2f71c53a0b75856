import Mux
import TestPatterns
import Testing

@Suite struct AMF0CorpusTests {
    /// A server's reply with every kind of value.
    private static let sample = AMF0Encoder.encode([
        .string("_result"), .number(1), .null, .undefined, .boolean(true), .longString("long"), .xmlDocument("<x/>"),
        .object([
            AMF0Property("code", .string("NetConnection.Connect.Success")),
            AMF0Property("data", .ecmaArray([AMF0Property("version", .number(5))])),
        ]),
        .strictArray([
            .date(milliseconds: 1e12, timeZone: 0),
            .typedObject(className: "T", properties: [AMF0Property("p", .null)]),
        ]),
    ])

    @Test func `a truncated value is an error and never a crash`() throws {
        let whole = try AMF0Decoder.decode(Self.sample)
        for length in 0..<Self.sample.count {
            do {
                let values = try AMF0Decoder.decode(Array(Self.sample[..<length]))
                #expect(values.count < whole.count && values == Array(whole[..<values.count]))
            } catch {
                #expect(error == .truncated)
            }
        }
    }

    @Test func `random mutations cause values or a typed error`() {
        var generator = SplitMix64(state: 1)
        for _ in 0..<20_000 {
            var bytes = Self.sample
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = Result { () throws(AMF0Error) in try AMF0Decoder.decode(bytes) }
        }
    }

    @Test func `random bytes after a valid marker cause values or a typed error`() {
        var generator = SplitMix64(state: 2)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: 0...0x12, using: &generator)
            }
            _ = Result { () throws(AMF0Error) in try AMF0Decoder.decode(bytes) }
        }
    }

    @Test func `lengths and counts of gigabytes are rejected at once`() {
        for bytes: [UInt8] in [
            [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x05], [0x0C, 0xFF, 0xFF, 0xFF, 0xFF, 0x61], [0x0F, 0x80, 0, 0, 0],
            [0x02, 0xFF, 0xFF, 0x61],
        ] {
            #expect(throws: AMF0Error.truncated) { try AMF0Decoder.decode(bytes) }
        }
    }

    @Test func `sixteen nested objects are accepted and a million are rejected`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeatElement([0x03, 0, 1, 0x61], count: depth).joined()) + [0x05]
                + Array(repeatElement([0, 0, 9], count: depth).joined())
        }
        #expect(try AMF0Decoder.decode(nested(16)).count == 1)
        #expect(throws: AMF0Error.tooDeep) { try AMF0Decoder.decode(nested(17)) }
        #expect(throws: AMF0Error.tooDeep) { try AMF0Decoder.decode(nested(1_000_000)) }
        #expect(throws: AMF0Error.tooDeep) {
            try AMF0Decoder.decode(Array(repeatElement([0x0A, 0, 0, 0, 1], count: 100_000).joined()))
        }
    }

    @Test func `a very large number of tiny values is rejected`() {
        #expect(throws: AMF0Error.tooManyValues) { try AMF0Decoder.decode([UInt8](repeating: 0x05, count: 1 << 20)) }
        #expect(throws: AMF0Error.tooManyValues) {
            try AMF0Decoder.decode([0x0A, 0, 0x0F, 0xFF, 0xFF] + [UInt8](repeating: 0x05, count: 1 << 20))
        }
    }

    @Test func `the error names an unsupported marker`() {
        for marker: UInt8 in [0x04, 0x07, 0x09, 0x0E, 0x11, 0x12, 0xFF] {
            #expect(throws: AMF0Error.unknownMarker(marker)) { try AMF0Decoder.decode([marker, 0, 0, 0, 0]) }
        }
    }

    @Test func `the decoder returns no values after an error`() throws {
        var decoder = AMF0Decoder([0x05, 0xFF, 0x05])
        #expect(try decoder.next() == .null)
        #expect(throws: AMF0Error.unknownMarker(0xFF)) { try decoder.next() }
        #expect(try decoder.next() == nil)
    }
}
