import Bitstream
import CX264
import Encode
import Foundation
import Media
import Testing

/// Coded pictures are sent again with other numbers. Independent decoders must return every picture as in the stream of
/// the encoder, bit for bit. Only FFmpeg decodes 4:4:4.
@Suite struct RepeatedKeyframeTests {
    /// 16 rows of macroblocks, enough for four slices.
    static let size = PixelSize(width: 208, height: 256)

    /// What differs between the streams of x264.
    struct Variant: CustomTestStringConvertible {
        var slices = 1
        var chroma = ChromaFormat.yuv420
        /// x264's weightp.
        var weights: Int32 = 0
        var isDeblocked = true
        var usesCABAC = true

        var testDescription: String {
            "\(slices) slices, \(chroma), weightp \(weights), \(isDeblocked ? "deblocked" : "not deblocked"), "
                + (usesCABAC ? "CABAC" : "CAVLC")
        }
    }

    @Test(arguments: [
        Variant(), Variant(slices: 2), Variant(slices: 4), Variant(isDeblocked: false),
        Variant(slices: 2, weights: 1), Variant(slices: 4, weights: 2, isDeblocked: false),
        Variant(slices: 2, usesCABAC: false), Variant(slices: 4, weights: 1, isDeblocked: false, usesCABAC: false),
        Variant(slices: 2, chroma: .yuv444), Variant(slices: 4, chroma: .yuv444, weights: 2),
        Variant(chroma: .yuv444, usesCABAC: false),
    ])
    func `Pictures of x264 are unchanged after they are sent again`(variant: Variant) throws {
        let stream = try CodedStream(variant: variant)
        // An IDR picture, two changes, a picture that repeats the one before, an IDR picture, and two changes.
        #expect(stream.accessUnits.map(\.isIDR) == [true, false, false, false, true, false, false])
        var replay = try Replay(stream)
        replay.send(0, as: nil)
        replay.send(1, as: nil)
        replay.send(2, as: nil)
        // frame_num has 4 bits, so it starts again at 0.
        for number in 3..<20 { replay.send(3, as: .frame(number)) }
        for identifier: UInt16 in [1, 2, 3, 2, 3, 6, 0xFFFF, 2] { replay.send(4, as: .idr(identifier)) }
        replay.send(3, as: .frame(1), shows: 4)
        replay.send(3, as: .frame(2), shows: 4)
        replay.send(4, as: .idr(3))
        replay.send(3, as: .frame(1), shows: 4)
        // The change refers to the IDR picture, which was sent many times before it.
        replay.send(5, as: .frame(2))
        for number in 3..<40 { replay.send(3, as: .frame(number), shows: 5) }
        replay.send(6, as: .frame(40))
        replay.send(0, as: .idr(0))
        replay.send(1, as: .frame(1))
        try replay.expectSamePictures(isWeighted: variant.weights > 0)
    }

    @Test(arguments: [1, 2, 4], [ChromaFormat.yuv420, .yuv444])
    func `Keyframes of the encoder are sent again between its repeat pictures`(threads: Int, chroma: ChromaFormat)
        throws
    {
        var settings = VideoSettings(size: Self.size, chroma: chroma, frameRate: 30, rateControl: .bitrate(2000))
        settings.threads = threads
        let encoder = try VideoEncoder(settings: settings)
        var packets: [EncodedPacket] = []
        var time = MediaTime.zero
        func next() -> MediaTime {
            time = time + MediaTime(milliseconds: 33)
            return time
        }
        packets += try encoder.encode(Self.sample(number: 0, chroma: chroma, at: next()))
        encoder.requestKeyframe()
        packets += try encoder.encodeRepeat(at: next())
        packets += try encoder.fill(at: next())
        packets += try encoder.encode(Self.sample(number: 1, chroma: chroma, at: next()))
        packets += try encoder.fill(at: next())
        #expect(packets.map(\.isKeyframe) == [true, true, false, false, false])
        guard case .h264(let sequence, let picture) = encoder.format.codec else { return }
        var replay = try Replay(
            CodedStream(
                chroma: chroma, sequence: sequence, picture: picture,
                accessUnits: packets.map { ($0.data, $0.isKeyframe) }))
        #expect(replay.stream.sliceCount == threads)
        replay.send(0, as: nil)
        replay.send(1, as: nil)
        for number in 1..<6 { replay.send(2, as: .frame(number)) }
        for identifier: UInt16 in [2, 3, 2] {
            replay.send(1, as: .idr(identifier))
            for number in 1..<20 { replay.send(2, as: .frame(number)) }
        }
        replay.send(3, as: .frame(20))
        for number in 21..<30 { replay.send(4, as: .frame(number)) }
        // The requested keyframe is the first one again.
        try replay.expectSamePictures(distinct: 2)
    }

    @Test func `A picture is as before after a number and back`() throws {
        for usesCABAC in [true, false] {
            let stream = try CodedStream(variant: Variant(slices: 4, weights: 1, usesCABAC: usesCABAC))
            let rewriter = try #require(stream.rewriter)
            let keyframe = stream.accessUnits[0].data
            for identifier: UInt16 in [1, 2, 3, 7, 300, .max] {
                let other = try rewriter.accessUnit(keyframe, as: .idr(identifier))
                #expect(other != keyframe)
                #expect(try rewriter.accessUnit(other, as: .idr(0)) == keyframe)
            }
            let change = stream.accessUnits[1].data
            for number in [0, 2, 15] {
                let other = try rewriter.accessUnit(change, as: .frame(number))
                #expect(other != change)
                #expect(try rewriter.accessUnit(other, as: .frame(17)) == change)
            }
        }
    }

    private static func sample(number: Int, chroma: ChromaFormat, at time: MediaTime) -> SampleBuffer {
        let frame = PixelBuffer(format: chroma.pixelFormat, size: size)
        frame.withUnsafeMutableBytes { $0.copyBytes(from: CodedStream.content(number: number, chroma: chroma)) }
        return SampleBuffer(
            track: .screen, presentationTime: time,
            payload: .picture(
                Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(size))))
    }
}

/// A stream as its encoder wrote it, with a length before each NAL unit.
private struct CodedStream {
    let chroma: ChromaFormat
    let sequence: [UInt8]
    let picture: [UInt8]
    let accessUnits: [(data: [UInt8], isIDR: Bool)]

    var rewriter: SliceHeaderRewriter? {
        guard let sequence = SequenceParameterSet(nalUnit: sequence),
            let picture = PictureParameterSet(nalUnit: picture)
        else { return nil }
        return SliceHeaderRewriter(sequence: sequence, picture: picture)
    }

    /// The slices of the first picture.
    var sliceCount: Int {
        NALUnits(lengthPrefixed: accessUnits[0].data).filter { NALUnits.kind(of: $0) == 5 }.count
    }

    var pictureLength: Int {
        RepeatedKeyframeTests.size.area * (chroma == .yuv444 ? 6 : 3) / 2
    }

    init(chroma: ChromaFormat, sequence: [UInt8], picture: [UInt8], accessUnits: [(data: [UInt8], isIDR: Bool)]) {
        self.chroma = chroma
        self.sequence = sequence
        self.picture = picture
        self.accessUnits = accessUnits
    }

    /// Planes of smooth shapes with some noise. They become darker with each number, and a block moves.
    static func content(number: Int, chroma: ChromaFormat) -> [UInt8] {
        let size = RepeatedKeyframeTests.size
        func plane(_ index: Int, width: Int, height: Int) -> [UInt8] {
            (0..<width * height).map { position in
                let (x, y) = (position % width, position / width)
                var hash = UInt64(position + index * 7919) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                let isBlock = (20 + number * 3..<60 + number * 3).contains(x) && (40..<90).contains(y)
                let value = isBlock ? 200 - y : 60 + (x + 2 * y) % 128 + Int(hash % 24)
                return UInt8(value * (16 - number) / 16)
            }
        }
        let isFull = chroma == .yuv444
        let (width, height) = isFull ? (size.width, size.height) : (size.width / 2, size.height / 2)
        return plane(0, width: size.width, height: size.height) + plane(1, width: width, height: height)
            + plane(2, width: width, height: height)
    }

    /// Encodes seven pictures. The fourth shows the third again, and so coarse that x264 skips every macroblock; such a
    /// picture can be sent after any other. The fifth is an IDR picture.
    init(variant: RepeatedKeyframeTests.Variant) throws {
        var parameters = x264_param_t()
        try #require(x264_param_default_preset(&parameters, "veryfast", "zerolatency") == 0)
        cx264_silence(&parameters)
        parameters.i_width = Int32(RepeatedKeyframeTests.size.width)
        parameters.i_height = Int32(RepeatedKeyframeTests.size.height)
        parameters.i_csp = variant.chroma == .yuv444 ? X264_CSP_I444 : X264_CSP_I420
        parameters.b_annexb = 0
        parameters.b_repeat_headers = 0
        parameters.i_keyint_max = X264_KEYINT_MAX_INFINITE
        parameters.i_scenecut_threshold = 0
        parameters.i_frame_reference = 1
        parameters.i_threads = 1
        parameters.i_slice_count = Int32(variant.slices)
        parameters.rc.i_rc_method = X264_RC_CRF
        parameters.analyse.i_weighted_pred = variant.weights
        parameters.b_deblocking_filter = variant.isDeblocked ? 1 : 0
        parameters.b_cabac = variant.usesCABAC ? 1 : 0
        let profile = variant.chroma == .yuv444 ? "high444" : "high"
        try #require(x264_param_apply_profile(&parameters, profile) == 0)
        let encoder = try #require(cx264_encoder_open(&parameters))
        defer { x264_encoder_close(encoder) }
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        func bytes(_ index: Int) -> [UInt8] {
            guard let unit = units?[index], let payload = unit.p_payload else { return [] }
            return Array(UnsafeBufferPointer(start: payload, count: Int(unit.i_payload)))
        }
        try #require(x264_encoder_headers(encoder, &units, &count) > 0)
        (sequence, picture) = (Array(bytes(0).dropFirst(4)), Array(bytes(1).dropFirst(4)))
        chroma = variant.chroma
        var picture = x264_picture_t()
        try #require(
            x264_picture_alloc(&picture, parameters.i_csp, parameters.i_width, parameters.i_height) == 0)
        defer { x264_picture_clean(&picture) }
        var accessUnits: [(data: [UInt8], isIDR: Bool)] = []
        for (index, number) in [0, 1, 2, 2, 2, 4, 5].enumerated() {
            Self.fill(picture.img, with: Self.content(number: number, chroma: variant.chroma))
            picture.i_type = index == 0 || index == 4 ? X264_TYPE_IDR : X264_TYPE_AUTO
            picture.i_qpplus1 = index == 3 ? 46 : 25
            picture.i_pts = Int64(index)
            var output = x264_picture_t()
            try #require(x264_encoder_encode(encoder, &units, &count, &picture, &output) > 0)
            // Without x264's SEI.
            let slices = (0..<Int(count)).filter { [1, 5].contains(units?[$0].i_type) }
            accessUnits.append((slices.flatMap(bytes), output.b_keyframe != 0))
        }
        self.accessUnits = accessUnits
        #expect(sliceCount == variant.slices)
    }

    private static func fill(_ image: x264_image_t, with content: [UInt8]) {
        let planes = [image.plane.0, image.plane.1, image.plane.2]
        let strides = [image.i_stride.0, image.i_stride.1, image.i_stride.2].map(Int.init)
        let size = RepeatedKeyframeTests.size
        var rest = content[...]
        for (index, plane) in planes.enumerated() {
            let isHalf = index > 0 && content.count < size.area * 3
            let (width, height) = isHalf ? (size.width / 2, size.height / 2) : (size.width, size.height)
            for row in 0..<height {
                for (column, value) in rest.prefix(width).enumerated() { plane?[row * strides[index] + column] = value }
                rest = rest.dropFirst(width)
            }
        }
    }
}

/// A stream in which pictures of another one are sent in another order, and with other numbers.
private struct Replay {
    let stream: CodedStream
    private let rewriter: SliceHeaderRewriter
    private var bytes: [UInt8] = []
    /// For each picture that was sent, the picture of `stream` that decoders must show.
    private var shown: [Int] = []
    /// For each picture that was sent, its new number; nil if it was sent as it is.
    private var numbers: [SliceHeaderRewriter.PictureNumber?] = []

    init(_ stream: CodedStream) throws {
        self.stream = stream
        rewriter = try #require(stream.rewriter)
    }

    /// Sends a picture of the stream. Decoders must show the picture `other`; if nil, this picture.
    mutating func send(_ index: Int, as number: SliceHeaderRewriter.PictureNumber?, shows other: Int? = nil) {
        do {
            var (data, isIDR) = stream.accessUnits[index]
            if let number { data = try rewriter.accessUnit(data, as: number) }
            if isIDR { bytes += NALUnits.startCode + stream.sequence + NALUnits.startCode + stream.picture }
            NALUnits.appendAnnexB(of: data, to: &bytes)
            shown.append(other ?? index)
            numbers.append(number)
        } catch {
            Issue.record(error)
        }
    }

    /// - Parameters:
    ///   - isWeighted: true if P slices have weights that are not the default ones; nil if they may have some.
    ///   - distinct: the least number of different pictures in the original stream.
    func expectSamePictures(isWeighted: Bool? = nil, distinct: Int = 3) throws {
        var original = NALUnits.startCode + stream.sequence + NALUnits.startCode + stream.picture
        for (data, _) in stream.accessUnits { NALUnits.appendAnnexB(of: data, to: &original) }
        var pictures: [Data] = []
        try EncodedStream.h264(byteStream: original) { pictures = split(try $0.pictures(stream.chroma)) }
        try #require(pictures.count == stream.accessUnits.count)
        #expect(Set(pictures).count >= distinct)
        try EncodedStream.h264(byteStream: bytes) { file in
            expect(split(try file.pictures(stream.chroma)), are: pictures, "FFmpeg")
            if stream.chroma == .yuv420 { expect(split(try file.picturesInOpenH264()), are: pictures, "OpenH264") }
            let headers = try file.sliceHeaders()
            expectNumbers(in: headers)
            let hasWeights = headers.joined().contains { $0.name == "luma_weight_l0_flag[0]" && $0.value == 1 }
            #expect(isWeighted == nil || hasWeights == isWeighted)
        }
    }

    private func split(_ frames: [UInt8]) -> [Data] {
        stride(from: 0, to: frames.count, by: stream.pictureLength).map {
            Data(frames[$0..<min(frames.count, $0 + stream.pictureLength)])
        }
    }

    private func expect(_ decoded: [Data], are pictures: [Data], _ decoder: String) {
        #expect(decoded.count == shown.count, "\(decoder)")
        let wrong = zip(decoded, shown).enumerated().filter { $0.element.0 != pictures[$0.element.1] }.map(\.offset)
        #expect(wrong == [], "\(decoder): these pictures differ")
    }

    /// Each slice has the number of its picture, as another parser reads it.
    private func expectNumbers(in headers: [[(name: String, value: Int)]]) {
        var picture = -1
        var slices = 0
        for header in headers {
            func value(_ name: String) -> Int? { header.first { $0.name == name }?.value }
            if value("first_mb_in_slice") == 0 { picture += 1 }
            slices += 1
            guard numbers.indices.contains(picture), let number = numbers[picture] else { continue }
            switch number {
            case .idr(let identifier):
                #expect(value("idr_pic_id") == Int(identifier) && value("frame_num") == 0, "picture \(picture)")
            case .frame(let frameNumber):
                #expect(value("idr_pic_id") == nil && value("frame_num") == frameNumber & 15, "picture \(picture)")
            }
        }
        #expect(picture == numbers.count - 1 && slices >= numbers.count)
    }
}
