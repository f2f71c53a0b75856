/// The NAL units of an access unit in which a length of four bytes, big endian, precedes each (ISO/IEC 14496-15,
/// 5.3.4.2).
///
/// The sequence ends at a length that is zero or extends past the last byte. The units before it are valid.
package struct NALUnits: Sequence, IteratorProtocol {
    /// Values of `nal_unit_type` (Rec. ITU-T H.264, table 7-1).
    package enum Kind {
        /// Marks the start of an access unit.
        package static let accessUnitDelimiter: UInt8 = 9
    }

    /// The bytes before a NAL unit in a byte stream (Rec. ITU-T H.264, B.1.1), with the leading zero byte that
    /// parameter sets and the first NAL unit of an access unit require.
    package static let startCode: [UInt8] = [0, 0, 0, 1]

    private let data: [UInt8]
    private var position = 0

    /// The units of an access unit with lengths.
    package init(lengthPrefixed data: [UInt8]) {
        self.data = data
    }

    /// Returns the next unit with its header byte and without its length, or nil at the end. The slice shares the bytes
    /// of the access unit.
    package mutating func next() -> ArraySlice<UInt8>? {
        guard data.count - position > 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 << 8 | Int(data[position + $1]) }
        let start = position + 4
        guard length > 0, length <= data.count - start else { return nil }
        position = start + length
        return data[start..<position]
    }

    /// Returns `nal_unit_type` of a unit with its header byte, or nil if the unit is empty.
    package static func kind(of unit: ArraySlice<UInt8>) -> UInt8? {
        unit.first.map { $0 & 0x1F }
    }

    /// Appends a unit to `output`, after its length. The unit must be shorter than 2³² bytes.
    package static func appendLengthPrefixed(_ unit: [UInt8], to output: inout [UInt8]) {
        let length = UInt32(unit.count)
        for shift: UInt32 in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: length >> shift)) }
        output.append(contentsOf: unit)
    }

    /// Writes the length of the unit that begins at `start`, in the four bytes before it.
    package static func setLength(_ length: Int, in data: inout [UInt8], before start: Int) {
        for index in 0..<4 { data[start - 4 + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
    }

    /// Appends the units of the access unit `data` to `output` as a byte stream: a start code before each.
    package static func appendAnnexB(of data: [UInt8], to output: inout [UInt8]) {
        for unit in NALUnits(lengthPrefixed: data) {
            output.append(contentsOf: startCode)
            output.append(contentsOf: unit)
        }
    }
}
