import Bitstream
import Testing

/// Slices with other numbers, against headers that are written by hand or in one go with the number.
@Suite struct SliceHeaderRewriterTests {
    // MARK: Headers by hand

    /// Every length of an `idr_pic_id` that neighbouring keyframes need: 1, 3 and 5 bits.
    static let identifiers: [(value: UInt16, code: String)] = [
        (0, "1"), (1, "010"), (2, "011"), (3, "00100"), (4, "00101"), (5, "00110"), (6, "00111"),
    ]

    /// The header of an IDR slice in x264's High profile: frame_num has 4 bits.
    private static func keyframe(_ code: String) -> String {
        "01100101"  // nal_ref_idc 3, nal_unit_type 5
            + "1" + "0001000" + "1"  // first_mb_in_slice 0, slice_type 7, pic_parameter_set_id 0
            + "0000" + code  // frame_num, idr_pic_id
            + "00" + "00111" + "111"  // dec_ref_pic_marking, slice_qp_delta -3, deblocking with offsets 0
    }

    @Test(arguments: identifiers, identifiers) func `The slice data of CABAC are aligned again and copied`(
        from: (value: UInt16, code: String), to: (value: UInt16, code: String)
    ) throws {
        let rewriter = try Self.rewriter(Samples.highSPS, Samples.highPPS)
        let data: [UInt8] = [0x25, 0, 0, 3, 1, 0x88, 0xFF, 0, 0, 3, 0, 0x80]
        let old = bytes(Self.keyframe(from.code), filler: "1") + data
        let new = bytes(Self.keyframe(to.code), filler: "1") + data
        #expect(try rewriter.slice(old[...], as: .idr(to.value)) == new)
    }

    @Test(arguments: identifiers, identifiers) func `The slice data of CAVLC are shifted`(
        from: (value: UInt16, code: String), to: (value: UInt16, code: String)
    ) throws {
        let rewriter = try Self.rewriter(Samples.baselineSPS, Samples.baselinePPS)
        let data = "1011100000001110101000001110011010101" + String(repeating: "0100110", count: 30)
        for length in data.count - 9...data.count {
            let rest = data.prefix(length) + "1"  // rbsp_stop_one_bit
            let old = bytes(Self.keyframe(from.code) + rest, filler: "0")
            let new = bytes(Self.keyframe(to.code) + rest, filler: "0")
            #expect(try rewriter.slice(old[...], as: .idr(to.value)) == new)
        }
    }

    @Test func `A weighted P slice keeps its weights`() throws {
        let rewriter = try Self.rewriter(Samples.highSPS, Samples.highPPS)
        func header(_ frameNumber: String) -> String {
            "01000001" + "1" + "00110" + "1" + frameNumber  // slice_type 5
                + "0" + "0"  // no other number of references, no modification
                + "00110" + "1"  // luma_log2_weight_denom 5, chroma_log2_weight_denom 0
                + "1" + "00000111101" + "00111"  // luma weight -30, offset -3
                + "1" + "010" + "011" + "1" + "00100"  // Cb 1, -1; Cr 0, 2
                + "0" + "010" + "011" + "1" + "00101" + "00100"  // marking, cabac_init_idc 1, qp -1, offsets -2 and 2
        }
        let old = bytes(header("0011"), filler: "1") + [0x12, 0x34, 0x80]
        for (number, code) in [(0, "0000"), (9, "1001"), (15, "1111"), (16, "0000"), (-1, "1111")] {
            let new = bytes(header(code), filler: "1") + [0x12, 0x34, 0x80]
            #expect(try rewriter.slice(old[...], as: .frame(number)) == new)
        }
    }

    // MARK: Emulation prevention

    /// Zeros in the header and at the beginning of the slice data, at every position in the bytes.
    @Test(arguments: [true, false], [15, 16]) func `The seam is escaped as a whole unit is`(
        usesCABAC: Bool, frameNumberBits: Int
    ) throws {
        let headers = Headers(frameNumberBits: frameNumberBits, usesCABAC: usesCABAC)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        let payloads: [[UInt8]] = [
            [0x80], [1], [0, 1], [0, 0, 1], [0, 0, 0, 2], [0, 0, 3, 0x80], [0, 0, 0, 0, 0, 0, 0, 0x80], [3, 0, 0, 3],
            [0x40, 0, 0, 0x80, 0, 0, 1],
            [UInt8](repeating: 0, count: 80) + [1, 0, 0, 1],
        ]
        for payload in payloads {
            for macroblock: UInt32 in [0, 1, 3, 7] {
                var header = Headers.Slice(isIDR: true, firstMacroblock: macroblock)
                // The code of 65,535 is a 1 between 16 zeros. One of 17 bits shifts by whole bytes.
                for (from, to): (UInt16, UInt16) in [
                    (0, 2), (2, 0), (0, 255), (300, 0xFFFF), (0xFFFF, 3), (511, 1), (6, 0xFFFE),
                ] {
                    header.identifier = UInt32(from)
                    let old = headers.unit(header, data: payload)
                    header.identifier = UInt32(to)
                    #expect(try rewriter.slice(old[...], as: .idr(to)) == headers.unit(header, data: payload))
                }
                header = Headers.Slice(isIDR: false, firstMacroblock: macroblock)
                for (from, to) in [(0, 1), (1, 0), (0x7FFF, 0), (3, 0x100), (0x100, 3), (0x4001, 0x0102)] {
                    header.frameNumber = UInt32(from)
                    let old = headers.unit(header, data: payload)
                    header.frameNumber = UInt32(to)
                    #expect(try rewriter.slice(old[...], as: .frame(to)) == headers.unit(header, data: payload))
                }
            }
        }
    }

    @Test func `Words of zeros after the slice data stay`() throws {
        let rewriter = try Self.rewriter(Samples.highSPS, Samples.highPPS)
        let data: [UInt8] = [0x25, 0x80, 0, 0, 3, 0, 0, 3]
        let old = bytes(Self.keyframe("1"), filler: "1") + data
        #expect(try rewriter.slice(old[...], as: .idr(3)).suffix(data.count) == data[...])
    }

    // MARK: Fields

    /// All parts of a header, with 16 references more than 200 bytes long.
    @Test(arguments: [0, 1, 3] as [UInt32], [false, true]) func `Every field of a header is copied`(
        chroma: UInt32, hasLongWeights: Bool
    ) throws {
        let headers = Headers(
            frameNumberBits: 9, usesCABAC: true, chromaFormat: chroma, references: hasLongWeights ? 16 : 3,
            hasWeights: true)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        for override in [nil, 1, 2, 16] as [Int?] {
            var header = Headers.Slice(isIDR: false, firstMacroblock: 40)
            header.references = override
            header.modifications = [0, 4, 1, 7, 2, 300, 3]
            header.operations = [1, 2, 2, 1, 3, 4, 0, 4, 1, 5, 6, 1, 0]
            header.hasLongWeights = hasLongWeights
            header.frameNumber = 511
            let old = headers.unit(header, data: [0, 0, 1, 0x80])
            header.frameNumber = 256
            #expect(try rewriter.slice(old[...], as: .frame(256)) == headers.unit(header, data: [0, 0, 1, 0x80]))
        }
    }

    @Test func `A slice without a header of the deblocking filter, and one that is no reference`() throws {
        var headers = Headers(frameNumberBits: 4, usesCABAC: true)
        headers.hasDeblockingControl = false
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        var header = Headers.Slice(isIDR: false, firstMacroblock: 0)
        header.isReference = false
        header.frameNumber = 1
        let old = headers.unit(header, data: [0x80])
        header.frameNumber = 4
        #expect(try rewriter.slice(old[...], as: .frame(4)) == headers.unit(header, data: [0x80]))
    }

    @Test(arguments: [true, false]) func `An order count is twice frame_num, and 0 in an IDR picture`(usesCABAC: Bool)
        throws
    {
        var headers = Headers(frameNumberBits: 6, usesCABAC: usesCABAC)
        headers.pictureOrderCountType = 0
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        for (from, to): (UInt32, UInt32) in [(1, 2), (7, 8), (8, 7), (63, 1), (5, 62)] {
            var header = Headers.Slice(isIDR: false, firstMacroblock: 3)
            (header.frameNumber, header.orderCount) = (from, 2 * from % 16)
            let old = headers.unit(header, data: [0, 0, 1, 0x80])
            (header.frameNumber, header.orderCount) = (to, 2 * to % 16)
            #expect(try rewriter.slice(old[...], as: .frame(Int(to))) == headers.unit(header, data: [0, 0, 1, 0x80]))
        }
        var header = Headers.Slice(isIDR: true, firstMacroblock: 3)
        let old = headers.unit(header, data: [0x5A])
        header.identifier = 3
        #expect(try rewriter.slice(old[...], as: .idr(3)) == headers.unit(header, data: [0x5A]))
    }

    // MARK: Rejected input

    @Test(arguments: [true, false]) func `A slice that ends before its data is rejected`(usesCABAC: Bool) throws {
        let headers = Headers(frameNumberBits: 16, usesCABAC: usesCABAC)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        for isIDR in [true, false] {
            var header = Headers.Slice(isIDR: isIDR, firstMacroblock: 5)
            header.frameNumber = isIDR ? 0 : 77
            // The shortest slice data of CAVLC are in the last byte of the header.
            let shortest = usesCABAC ? headers.unit(header, data: []).count : 6
            let unit = headers.unit(header, data: [0x80])
            for length in 0..<shortest {
                #expect(throws: BitstreamError.self, "\(length)") {
                    try rewriter.slice(unit[..<length], as: isIDR ? .idr(2) : .frame(1))
                }
            }
            #expect(throws: BitstreamError.self) {
                try rewriter.slice((headers.unit(header, data: [0, 0, 0]))[...], as: isIDR ? .frame(1) : .idr(1))
            }
        }
    }

    @Test func `A number of another kind of picture is rejected`() throws {
        let headers = Headers(frameNumberBits: 4, usesCABAC: true)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        let keyframe = headers.unit(Headers.Slice(isIDR: true, firstMacroblock: 0), data: [0x80])
        let change = headers.unit(Headers.Slice(isIDR: false, firstMacroblock: 0), data: [0x80])
        #expect(throws: BitstreamError.invalidValue) { try rewriter.slice(keyframe[...], as: .frame(1)) }
        #expect(throws: BitstreamError.invalidValue) { try rewriter.slice(change[...], as: .idr(1)) }
        #expect(throws: BitstreamError.invalidValue) { try rewriter.slice([0x67] + change.dropFirst(), as: .frame(1)) }
    }

    @Test(arguments: [1, 3, 4, 6, 8, 9, 10]) func `A slice that is neither I nor P is rejected`(type: UInt32) throws {
        let headers = Headers(frameNumberBits: 4, usesCABAC: true)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        var header = Headers.Slice(isIDR: false, firstMacroblock: 0)
        header.type = type
        #expect(throws: BitstreamError.invalidValue) {
            try rewriter.slice(headers.unit(header, data: [0x80])[...], as: .frame(1))
        }
    }

    @Test func `A slice of another picture parameter set is rejected`() throws {
        let headers = Headers(frameNumberBits: 4, usesCABAC: true)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        var header = Headers.Slice(isIDR: false, firstMacroblock: 0)
        header.parameterSet = 1
        #expect(throws: BitstreamError.invalidValue) {
            try rewriter.slice(headers.unit(header, data: [0x80])[...], as: .frame(1))
        }
    }

    @Test func `An alignment bit that is 0 is rejected`() throws {
        let rewriter = try Self.rewriter(Samples.highSPS, Samples.highPPS)
        let unit = bytes(Self.keyframe("010"), filler: "0") + [0x12, 0x80]
        #expect(throws: BitstreamError.invalidValue) { try rewriter.slice(unit[...], as: .idr(2)) }
    }

    @Test func `Streams with other fields in their headers are not supported`() throws {
        func isSupported(_ change: (inout Headers) -> Void) throws -> Bool {
            var headers = Headers(frameNumberBits: 4, usesCABAC: true)
            change(&headers)
            let sequence = try #require(SequenceParameterSet(nalUnit: headers.sequence))
            let picture = try #require(PictureParameterSet(nalUnit: headers.picture))
            return SliceHeaderRewriter(sequence: sequence, picture: picture) != nil
        }
        #expect(try isSupported { _ in })
        #expect(try isSupported { $0.chromaFormat = 3 })
        #expect(try isSupported { $0.pictureOrderCountType = 0 })
        #expect(try !isSupported { $0.pictureOrderCountType = 1 })
        #expect(try !isSupported { $0.hasBottomFieldOrder = true })
        #expect(try !isSupported { $0.hasOnlyFrames = false })
        #expect(try !isSupported { ($0.chromaFormat, $0.hasSeparateColourPlanes) = (3, true) })
        #expect(try !isSupported { $0.sliceGroups = 2 })
        #expect(try !isSupported { $0.hasRedundantPictures = true })
    }

    // MARK: Access units

    @Test func `All slices of an access unit get the number, and other units stay as they are`() throws {
        let headers = Headers(frameNumberBits: 4, usesCABAC: true)
        let rewriter = try Self.rewriter(headers.sequence, headers.picture)
        func accessUnit(_ identifier: UInt32) -> [UInt8] {
            var result: [UInt8] = []
            for unit in [[0x09, 0x10], headers.sequence, headers.picture, [0x06, 5, 1, 7, 0x80]] {
                NALUnits.appendLengthPrefixed(unit, to: &result)
            }
            for macroblock: UInt32 in [0, 100, 200, 300] {
                var header = Headers.Slice(isIDR: true, firstMacroblock: macroblock)
                header.identifier = identifier
                let unit = headers.unit(header, data: [UInt8](repeating: 0x5A, count: 1000))
                NALUnits.appendLengthPrefixed(unit, to: &result)
            }
            NALUnits.appendLengthPrefixed([0x0C, 0xFF, 0x80], to: &result)
            return result
        }
        for identifier: UInt16 in [1, 2, 3, 0xFFFF] {
            #expect(try rewriter.accessUnit(accessUnit(0), as: .idr(identifier)) == accessUnit(UInt32(identifier)))
        }
        let whole = accessUnit(0)
        for length in whole.count - 5..<whole.count {
            #expect(throws: BitstreamError.truncated) {
                try rewriter.accessUnit(Array(whole.prefix(length)), as: .idr(1))
            }
        }
        #expect(try rewriter.accessUnit([], as: .idr(1)) == [])
    }

    @Test(arguments: [2, 3, 4, 19, 20, 21] as [UInt8]) func `Slices of other types are not left as they are`(
        type: UInt8
    ) throws {
        let rewriter = try Self.rewriter(Samples.highSPS, Samples.highPPS)
        #expect(throws: BitstreamError.invalidValue) {
            try rewriter.accessUnit([0, 0, 0, 3, 0x60 | type, 0x88, 0x80], as: .idr(1))
        }
    }

    // MARK: Help

    private static func rewriter(_ sequence: [UInt8], _ picture: [UInt8]) throws -> SliceHeaderRewriter {
        let sequence = try #require(SequenceParameterSet(nalUnit: sequence))
        let picture = try #require(PictureParameterSet(nalUnit: picture))
        return try #require(SliceHeaderRewriter(sequence: sequence, picture: picture))
    }

    /// The bytes of a text of bits, with emulation prevention; `filler` completes the last byte.
    private func bytes(_ bits: String, filler: String) -> [UInt8] {
        let padded = bits + String(repeating: filler, count: (8 - bits.count % 8) % 8)
        let digits = Array(padded.utf8)
        return EmulationPrevention.insert(
            into: stride(from: 0, to: digits.count, by: 8).map { start in
                digits[start..<start + 8].reduce(0) { $0 << 1 | ($1 - 0x30) }
            })
    }
}

/// Parameter sets with chosen fields, and slices that have them.
private struct Headers {
    var frameNumberBits: Int
    var usesCABAC: Bool
    var chromaFormat: UInt32 = 1
    /// The number of reference pictures of a P slice that does not say it.
    var references = 1
    var hasWeights = false
    var hasDeblockingControl = true
    var hasOnlyFrames = true
    var hasSeparateColourPlanes = false
    var hasRedundantPictures = false
    var pictureOrderCountType: UInt32 = 2
    var hasBottomFieldOrder = false
    var sliceGroups: UInt32 = 1

    struct Slice {
        var isIDR: Bool
        var firstMacroblock: UInt32
        var isReference = true
        var type: UInt32?
        var parameterSet: UInt32 = 0
        var frameNumber: UInt32 = 0
        var identifier: UInt32 = 0
        /// pic_order_cnt_lsb, of 4 bits.
        var orderCount: UInt32 = 0
        /// Nil if the picture parameter set says it.
        var references: Int?
        /// The codes of ref_pic_list_modification() and of the memory management operations.
        var modifications: [UInt32] = []
        var operations: [UInt32] = []
        var hasLongWeights = false
    }

    var sequence: [UInt8] {
        var writer = BitWriter()
        for value: UInt32 in [0x67, 100, 0, 40] { writer.bits(value, count: 8) }
        writer.unsignedExpGolomb(0)
        writer.unsignedExpGolomb(chromaFormat)
        if chromaFormat == 3 { writer.flag(hasSeparateColourPlanes) }
        for value: UInt32 in [0, 0] { writer.unsignedExpGolomb(value) }  // 8 bits
        for value in [false, false] { writer.flag(value) }
        writer.unsignedExpGolomb(UInt32(frameNumberBits - 4))
        writer.unsignedExpGolomb(pictureOrderCountType)
        if pictureOrderCountType == 0 { writer.unsignedExpGolomb(0) }
        writer.unsignedExpGolomb(UInt32(references))
        writer.flag(false)
        for value: UInt32 in [119, 67] { writer.unsignedExpGolomb(value) }
        for value in [hasOnlyFrames, true, true] { writer.flag(value) }
        return EmulationPrevention.insert(into: writer.bytes)
    }

    var picture: [UInt8] {
        var writer = BitWriter()
        writer.bits(0x68, count: 8)
        for value: UInt32 in [0, 0] { writer.unsignedExpGolomb(value) }
        for value in [usesCABAC, hasBottomFieldOrder] { writer.flag(value) }
        writer.unsignedExpGolomb(sliceGroups - 1)
        if sliceGroups > 1 { writer.unsignedExpGolomb(1) }  // slice_group_map_type
        for value in [UInt32(references - 1), 0] { writer.unsignedExpGolomb(value) }
        writer.flag(hasWeights)
        writer.bits(0, count: 2)
        for value: Int32 in [-3, 0, -2] { writer.signedExpGolomb(value) }
        for value in [hasDeblockingControl, false, hasRedundantPictures, true] { writer.flag(value) }
        return EmulationPrevention.insert(into: writer.bytes)
    }

    /// The NAL unit of a slice. With CAVLC, the bits of `data` directly follow the header.
    func unit(_ slice: Slice, data: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        writer.bits((slice.isReference ? 0x40 : 0) | (slice.isIDR ? 5 : 1), count: 8)
        writer.unsignedExpGolomb(slice.firstMacroblock)
        writer.unsignedExpGolomb(slice.type ?? (slice.isIDR ? 7 : 5))
        writer.unsignedExpGolomb(slice.parameterSet)
        writer.bits(slice.frameNumber, count: frameNumberBits)
        if slice.isIDR { writer.unsignedExpGolomb(slice.identifier) }
        if pictureOrderCountType == 0 { writer.bits(slice.orderCount, count: 4) }
        if !slice.isIDR { appendPrediction(slice, to: &writer) }
        if slice.isReference, slice.isIDR {
            writer.bits(0, count: 2)
        } else if slice.isReference {
            writer.flag(!slice.operations.isEmpty)
            for code in slice.operations { writer.unsignedExpGolomb(code) }
        }
        if usesCABAC, !slice.isIDR { writer.unsignedExpGolomb(2) }  // cabac_init_idc
        writer.signedExpGolomb(-7)  // slice_qp_delta
        if hasDeblockingControl {
            writer.unsignedExpGolomb(0)
            for value: Int32 in [-1, 2] { writer.signedExpGolomb(value) }
        }
        while usesCABAC, !writer.isByteAligned { writer.flag(true) }
        for byte in data { writer.bits(UInt32(byte), count: 8) }
        if !usesCABAC { writer.flag(true) }  // rbsp_stop_one_bit
        return EmulationPrevention.insert(into: writer.bytes)
    }

    private func appendPrediction(_ slice: Slice, to writer: inout BitWriter) {
        writer.flag(slice.references != nil)
        if let references = slice.references { writer.unsignedExpGolomb(UInt32(references - 1)) }
        writer.flag(!slice.modifications.isEmpty)
        for code in slice.modifications { writer.unsignedExpGolomb(code) }
        guard hasWeights else { return }
        writer.unsignedExpGolomb(7)
        if chromaFormat != 0 { writer.unsignedExpGolomb(5) }
        for index in 0..<(slice.references ?? references) {
            let hasWeight = slice.hasLongWeights || index == 1
            for count in chromaFormat == 0 ? [2] : [2, 4] {
                writer.flag(hasWeight)
                if hasWeight { for value in 0..<count { writer.signedExpGolomb(value & 1 == 0 ? -128 : 127) } }
            }
        }
    }
}
