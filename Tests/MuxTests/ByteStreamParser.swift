/// Parses ffmpeg's output into packets, so that the tests need no encoder.
enum ByteStreamParser {
    struct AccessUnits {
        var sequenceParameterSet: [UInt8] = []
        var pictureParameterSet: [UInt8] = []
        /// NAL units with a length of four bytes, without delimiters and parameter sets.
        var packets: [(data: [UInt8], isIDR: Bool)] = []
    }

    /// The NAL units between start codes, starting with the header byte.
    static func nalUnits(_ stream: [UInt8]) -> [[UInt8]] {
        var starts: [(code: Int, unit: Int)] = []
        var index = 0
        while index + 3 <= stream.count {
            if stream[index] == 0, stream[index + 1] == 0, stream[index + 2] == 1 {
                starts.append((index > 0 && stream[index - 1] == 0 ? index - 1 : index, index + 3))
                index += 3
            } else {
                index += 1
            }
        }
        return starts.indices.map { position in
            let end = position + 1 < starts.count ? starts[position + 1].code : stream.count
            return Array(stream[starts[position].unit..<end])
        }
    }

    /// A byte stream with an access unit delimiter before each picture.
    static func accessUnits(_ stream: [UInt8]) -> AccessUnits {
        var result = AccessUnits()
        for unit in nalUnits(stream) {
            switch (unit.first ?? 0) & 0x1F {
            case 9: result.packets.append(([], false))
            case 7: result.sequenceParameterSet = unit
            case 8: result.pictureParameterSet = unit
            case let kind:
                guard let last = result.packets.indices.last else { continue }
                let length = UInt32(unit.count)
                result.packets[last].data += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + unit
                if kind == 5 { result.packets[last].isIDR = true }
            }
        }
        return result
    }

    /// The payloads after ADTS headers of 7 or 9 bytes.
    static func adtsPayloads(_ stream: [UInt8]) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        var position = 0
        while position + 7 <= stream.count, stream[position] == 0xFF, stream[position + 1] & 0xF0 == 0xF0 {
            let length =
                Int(stream[position + 3] & 3) << 11 | Int(stream[position + 4]) << 3 | Int(stream[position + 5]) >> 5
            let header = stream[position + 1] & 1 == 1 ? 7 : 9
            guard length > header, position + length <= stream.count else { break }
            payloads.append(Array(stream[position + header..<position + length]))
            position += length
        }
        return payloads
    }
}
