/// The NAL units of an access unit in which each stands after its length in four bytes (ISO/IEC 14496-15, 5.3.4.2).
///
/// A length that is zero or reaches past the end closes the sequence: what came before it is still good.
package struct NALUnits: Sequence, IteratorProtocol {
    /// `nal_unit_type` values (Rec. ITU-T H.264, table 7-1) that a container looks at.
    package enum Kind {
        /// A slice of a picture at which decoding can start.
        package static let idrPicture: UInt8 = 5
        /// What holds for a whole sequence.
        package static let sequenceParameterSet: UInt8 = 7
        /// What holds for pictures.
        package static let pictureParameterSet: UInt8 = 8
        /// The start of an access unit.
        package static let accessUnitDelimiter: UInt8 = 9
    }

    /// What stands before a NAL unit in a byte stream (Rec. ITU-T H.264, B.1.1), with the leading zero byte that an
    /// access unit's first NAL unit and the parameter sets need.
    package static let startCode: [UInt8] = [0, 0, 0, 1]

    private let data: [UInt8]
    private var position = 0

    /// The units of `data`, lengths of four bytes, big endian.
    package init(lengthPrefixed data: [UInt8]) {
        self.data = data
    }

    /// The next unit with its header byte, without its length; a view of the access unit's own bytes.
    package mutating func next() -> ArraySlice<UInt8>? {
        guard data.count - position > 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 << 8 | Int(data[position + $1]) }
        let start = position + 4
        guard length > 0, length <= data.count - start else { return nil }
        position = start + length
        return data[start..<position]
    }

    /// `nal_unit_type` of a unit with its header byte; nil where it is empty.
    package static func kind(of unit: ArraySlice<UInt8>) -> UInt8? {
        unit.first.map { $0 & 0x1F }
    }

    /// Appends the units to `output` as a byte stream, a start code before each.
    package static func appendAnnexB(of data: [UInt8], to output: inout [UInt8]) {
        for unit in NALUnits(lengthPrefixed: data) {
            output.append(contentsOf: startCode)
            output.append(contentsOf: unit)
        }
    }
}
