import Bitstream
import Encode
import Foundation
import Media
import Testing

@Suite struct VideoEncoderTests {
    static let size = PixelSize(width: 320, height: 180)

    // MARK: Stream format

    @Test(arguments: [(320, 180, 1), (322, 182, 2), (1920, 1080, 2)])
    func `the stream declares High profile, its size, and BT.709 in limited range`(
        width: Int, height: Int, threads: Int
    ) throws {
        let size = PixelSize(width: width, height: height)
        let encoder = try VideoEncoder(
            settings: VideoSettings(size: size, rateControl: .bitrate(2000), threads: threads))
        #expect(encoder.format.size == size)
        #expect(encoder.format.frameRate == 30)
        #expect(encoder.format.bitrate == 2000)
        var noise = Noise(size: size)
        let packets = try (0..<4).flatMap { try encoder.encode(noise.sample(at: $0)) }
        #expect(packets.count == 4)
        try EncodedStream.h264(packets, of: encoder) { stream in
            let properties = try stream.properties()
            #expect(properties["codec_name"] == "h264")
            #expect(properties["profile"] == "High")
            #expect(properties["width"] == "\(width)")
            #expect(properties["height"] == "\(height)")
            #expect(properties["pix_fmt"] == "yuv420p")
            #expect(properties["color_range"] == "tv")
            #expect(properties["color_space"] == "bt709")
            #expect(properties["color_transfer"] == "bt709")
            #expect(properties["color_primaries"] == "bt709")
            #expect(properties["chroma_location"] == "center")
            #expect(properties["has_b_frames"] == "0")
            #expect(properties["refs"] == "1")
            let byteCount = try stream.pictures().count
            #expect(byteCount == 4 * size.area * 3 / 2)
        }
    }

    @Test(arguments: [(0.0, 244), (0.5, 244), (1.0, 100)])
    func `a quality below 1 is lossless, in the profile for that`(quality: Double, profile: UInt8) throws {
        let rateControl = VideoSettings.RateControl.quality(quality)
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: rateControl))
        guard case .h264(let sequence, _) = encoder.format.codec else {
            Issue.record("no H.264")
            return
        }
        // profile_idc of High 4:4:4 Predictive and of High (Rec. ITU-R H.264, A.2.4, A.2.11).
        #expect(sequence[1] == profile)
        #expect(rateControl.isLossless == (profile == 244))
    }

    @Test func `the format contains one sequence and one picture parameter set, without start codes`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .quality(23)))
        guard case .h264(let sequence, let picture) = encoder.format.codec else {
            Issue.record("no H.264")
            return
        }
        // nal_unit_type 7, then profile_idc 100; nal_unit_type 8 (Rec. ITU-R H.264, 7.4.1, A.2.4).
        #expect(sequence.first.map { $0 & 0x1F } == 7)
        #expect(sequence[1] == 100)
        #expect(picture.first.map { $0 & 0x1F } == 8)
        #expect(encoder.format.bitrate == nil)
    }

    @Test(arguments: [true, false], [CodingOptions.Latency.low, .normal])
    func `the stream says that its frame rate is fixed only if it is`(isFixed: Bool, latency: CodingOptions.Latency)
        throws
    {
        let encoder = try VideoEncoder(
            settings: VideoSettings(
                size: Self.size, frameRate: 25, hasFixedFrameRate: isFixed, rateControl: .bitrate(500),
                coding: CodingOptions(latency: latency)))
        guard case .h264(let sequence, _) = encoder.format.codec else {
            Issue.record("no H.264")
            return
        }
        #expect(SequenceParameterSet.timing(of: sequence) == .init(frameRate: 25, isFixed: isFixed))
        var noise = Noise(size: Self.size)
        let packets = try (0..<25).flatMap { try encoder.encode(noise.sample(at: $0)) } + encoder.finish()
        // A byte stream has no other times than these.
        try EncodedStream.h264(packets, of: encoder) { stream in
            let properties = try stream.properties()
            #expect(properties["r_frame_rate"] == "25/1")
        }
    }

    @Test func `chroma of another program has no declared place, and the stream declares none`() throws {
        var settings = VideoSettings(size: Self.size, rateControl: .bitrate(500))
        settings.hasCentredChroma = false
        let encoder = try VideoEncoder(settings: settings)
        var noise = Noise(size: Self.size)
        let packets = try (0..<2).flatMap { try encoder.encode(noise.sample(at: $0)) }
        // ffmpeg reports what the standard says about streams that declare nothing.
        try EncodedStream.h264(packets, of: encoder) { stream in
            let properties = try stream.properties()
            #expect(properties["chroma_location"] == "left")
        }
    }

    @Test(arguments: [VideoSettings.RateControl.bitrate(20_000), .quality(8)])
    func `no frame exceeds the maximum size`(rateControl: VideoSettings.RateControl) throws {
        func largest(limit: Int?) throws -> Int {
            let size = PixelSize(width: 1920, height: 1080)
            var settings = VideoSettings(
                size: size, rateControl: rateControl, coding: CodingOptions(preset: "ultrafast"))
            settings.maximumFrameSize = limit
            let encoder = try VideoEncoder(settings: settings)
            var noise = Noise(size: size)
            return try (0..<4).flatMap { tick in
                encoder.requestKeyframe()
                return try encoder.encode(noise.sample(at: tick))
            }.map(\.data.count).max() ?? 0
        }
        // Noise is the worst case: without a limit, a frame takes all that the rate control allows.
        #expect(try largest(limit: nil) > 600_000)
        #expect(try largest(limit: 300_000) < 400_000)
    }

    @Test func `packets contain whole slices with length fields, and no parameter sets`() throws {
        let encoder = try VideoEncoder(
            settings: VideoSettings(size: Self.size, rateControl: .bitrate(2000), threads: 2))
        var noise = Noise(size: Self.size)
        for tick in 0..<6 {
            let packet = try #require(try encoder.encode(noise.sample(at: tick)).first)
            var types: [UInt8] = []
            var position = 0
            while position + 4 < packet.data.count {
                let length = packet.data[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
                types.append(packet.data[position + 4] & 0x1F)
                position += 4 + length
            }
            #expect(position == packet.data.count)
            #expect(types.filter { $0 != 6 } == (tick == 0 ? [5, 5] : [1, 1]))
        }
    }

    @Test func `the first picture is an IDR picture, sequence numbers increase, and times are preserved`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(2000)))
        var noise = Noise(size: Self.size)
        let packets = try (0..<30).flatMap { try encoder.encode(noise.sample(at: $0)) }
        #expect(packets.map(\.sequence) == Array(0..<30))
        #expect(packets.filter(\.isKeyframe).map(\.sequence) == [0])
        #expect(packets.allSatisfy { $0.track == .screen && $0.presentationTime == $0.decodeTime })
        // x264 counts in microseconds.
        #expect(packets[1].presentationTime.nanoseconds == 33_333_000)
        #expect(packets[29].presentationTime.nanoseconds == 966_666_000)
        #expect(encoder.encodedFrames == 30)
        #expect(encoder.repeatedFrames == 0)
    }

    @Test func `a time that does not increase is raised by a millisecond`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(2000)))
        var noise = Noise(size: Self.size)
        let packets = try [3, 3, 2, 4].flatMap { try encoder.encode(noise.sample(at: $0)) }
        #expect(
            packets.map { $0.presentationTime.nanoseconds } == [100_000_000, 101_000_000, 102_000_000, 133_333_000])
    }

    @Test
    func `with normal latency every frame is returned, decode times increase, and decoders return all frames`() throws {
        let encoder = try VideoEncoder(
            settings: VideoSettings(
                size: Self.size, rateControl: .bitrate(2000), coding: CodingOptions(latency: .normal)))
        var noise = Noise(size: Self.size)
        var packets: [EncodedPacket] = []
        for tick in 0..<40 {
            packets += try encoder.encode(tick % 3 == 0 ? noise.sample(at: tick) : noise.still(at: tick))
        }
        packets += try encoder.finish()
        #expect(packets.count == 40)
        #expect(
            Set(packets.map(\.presentationTime))
                == Set((0..<40).map { MediaTime(nanoseconds: Int64($0) * 1_000_000 / 30 * 1000) }))
        #expect(packets.first?.isKeyframe == true)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.decodeTime < $1.decodeTime })
        #expect(packets.allSatisfy { $0.decodeTime <= $0.presentationTime })
        #expect(packets.contains { $0.decodeTime != $0.presentationTime })
        try EncodedStream.h264(packets, of: encoder) { stream in
            let byteCount = try stream.pictures().count
            #expect(byteCount == 40 * 320 * 180 * 3 / 2)
        }
    }

    @Test func `quality 0 is lossless`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .quality(0)))
        var noise = Noise(size: Self.size)
        var expected: [UInt8] = []
        var packets: [EncodedPacket] = []
        for tick in 0..<3 {
            packets += try encoder.encode(noise.sample(at: tick))
            expected += noise.content
        }
        try EncodedStream.h264(packets, of: encoder) { stream in
            let isEqual = try stream.pictures() == expected
            #expect(isEqual)
        }
    }

    @Test(arguments: [.quality(0), .quality(8), .bitrate(20_000)] as [VideoSettings.RateControl])
    func `a stream in full chroma declares it and keeps the colour of each pixel`(
        rateControl: VideoSettings.RateControl
    ) throws {
        let encoder = try VideoEncoder(
            settings: VideoSettings(size: Self.size, chroma: .yuv444, rateControl: rateControl))
        // Columns of red and blue, one pixel wide, which 4:2:0 would turn purple.
        let area = Self.size.area
        var content = [UInt8](repeating: 0, count: area * 3)
        for index in 0..<area {
            let isRed = index % 2 == 0
            content[index] = isRed ? 63 : 32
            content[area + index] = isRed ? 102 : 240
            content[2 * area + index] = isRed ? 240 : 118
        }
        let frame = PixelBuffer(format: .i444, size: Self.size)
        frame.withUnsafeMutableBytes { $0.copyBytes(from: content) }
        let packets = try (0..<3).flatMap { tick in
            try encoder.encode(
                SampleBuffer(
                    track: .screen, presentationTime: MediaTime(value: Int64(tick), timescale: 30),
                    payload: .picture(
                        Picture(size: Self.size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(Self.size))
                    )))
        }
        try EncodedStream.h264(packets, of: encoder) { stream in
            let properties = try stream.properties()
            #expect(properties["profile"] == "High 4:4:4 Predictive")
            #expect(properties["pix_fmt"] == "yuv444p")
            #expect(properties["color_range"] == "tv" && properties["color_space"] == "bt709")
            #expect(properties["color_transfer"] == "bt709" && properties["color_primaries"] == "bt709")
            let decoded = try stream.pictures(.yuv444).suffix(area * 3)
            #expect(decoded.count == area * 3)
            let worst = zip(decoded, content).map { abs(Int($0) - Int($1)) }.max() ?? 255
            #expect(worst <= (rateControl == .quality(0) ? 0 : 12), "\(worst)")
        }
    }

    // MARK: Keyframes

    @Test func `a keyframe follows every two seconds of frame time, independent of the frame rate`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(1000)))
        var noise = Noise(size: Self.size)
        var keyframes: [Int64] = []
        // Four seconds with 10 frames per second, then four seconds with 30.
        for time in Array(stride(from: 0, to: 4000, by: 100)) + Array(stride(from: 4000, to: 8000, by: 33)) {
            keyframes += try encoder.encode(noise.sample(at: MediaTime(milliseconds: Int64(time)))).filter(\.isKeyframe)
                .map(
                    \.presentationTime.milliseconds)
        }
        #expect(keyframes.count == 4)
        for (index, time) in keyframes.enumerated() { #expect(abs(time - Int64(index) * 2000) <= 34) }
    }

    @Test func `a requested keyframe is the next frame, and only that one`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(1000)))
        var noise = Noise(size: Self.size)
        var keyframes: [Int] = []
        for tick in 0..<30 {
            if tick == 10 || tick == 17 { encoder.requestKeyframe() }
            if try encoder.encode(noise.sample(at: tick)).contains(where: \.isKeyframe) { keyframes.append(tick) }
        }
        #expect(keyframes == [0, 10, 17])
    }

    @Test
    func
        `a missed tick is filled also while the picture improves or a keyframe is due, and decoders return every frame`()
        throws
    {
        let encoder = try VideoEncoder(
            settings: VideoSettings(size: Self.size, hasFixedFrameRate: true, rateControl: .quality(0)))
        var noise = Noise(size: Self.size)
        #expect(try encoder.fill(at: .zero).isEmpty)
        var packets: [EncodedPacket] = []
        var expected: [UInt8] = []
        for tick in 0..<90 {
            if tick % 3 == 0 {
                packets += try encoder.encode(noise.sample(at: tick))
            } else {
                let fill = try encoder.fill(at: MediaTime(value: Int64(tick), timescale: 30))
                #expect(fill.count == 1 && fill.allSatisfy { !$0.isKeyframe && $0.data.count < 100 })
                packets += fill
            }
            expected += noise.content
        }
        #expect(packets.map(\.sequence) == Array(0..<90) && packets.filter(\.isKeyframe).map(\.sequence) == [0, 60])
        #expect(encoder.repeatedFrames == 60)
        try EncodedStream.h264(packets, of: encoder) { stream in
            let isEqual = try stream.pictures() == expected
            #expect(isEqual)
        }
    }

    @Test
    func `a keyframe can be requested between repeat pictures, and the next one follows two seconds later`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(1000)))
        var noise = Noise(size: Self.size)
        var packets = try encoder.encode(noise.sample(at: 0))
        for tick in 1..<130 {
            if tick == 50 { encoder.requestKeyframe() }
            packets += try encoder.encodeRepeat(at: MediaTime(value: Int64(tick), timescale: 30))
        }
        #expect(packets.count == 130)
        #expect(packets.filter(\.isKeyframe).map(\.sequence) == [0, 50, 112])
        #expect(encoder.repeatedFrames > 40)
        try EncodedStream.h264(packets, of: encoder) { stream in
            let byteCount = try stream.pictures().count
            #expect(byteCount == 130 * 320 * 180 * 3 / 2)
        }
    }

    @Test func `there is nothing to repeat before the first frame`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(1000)))
        #expect(try encoder.encodeRepeat(at: .zero).isEmpty)
        #expect(!encoder.isSettled)
    }

    // MARK: Bitrate

    @Test func `noise at 2000 kbit per second does not overflow the buffer of one second`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(2000)))
        var noise = Noise(size: Self.size)
        let bits = try (0..<300).flatMap { try encoder.encode(noise.sample(at: $0)) }.map { Double($0.data.count) * 8 }
        // A receiver with a buffer of 2,000 kbit that is nine tenths full, and receives 2,000 kbit/s (Rec. ITU-T H.264,
        // C.3).
        var buffer = 1_800_000.0
        var lowest = buffer
        for frame in bits {
            buffer -= frame
            lowest = min(lowest, buffer)
            buffer = min(2_000_000, buffer + 2_000_000 / 30)
        }
        #expect(lowest >= 0, "the buffer ran out by \(-lowest) bits")
        let windows = (60...270).map { bits[$0..<$0 + 30].reduce(0, +) }
        #expect(windows.max() ?? 0 <= 2_400_000)
        let average = bits[60...].reduce(0, +) / 8
        #expect(average > 1_700_000 && average < 2_150_000, "\(average) bit/s")
    }

    @Test func `a changed bitrate applies to later frames`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(2000)))
        var noise = Noise(size: Self.size)
        var bits: [Double] = []
        for tick in 0..<300 {
            if tick == 120 { encoder.setBitrate(1000) }
            bits += try encoder.encode(noise.sample(at: tick)).map { Double($0.data.count) * 8 }
        }
        let after = bits[180...].reduce(0, +) / 4
        #expect(after > 800_000 && after < 1_100_000, "\(after) bit/s")
    }

    @Test func `what was saved at a bitrate is not spent at one that is much lower`() throws {
        let encoder = try VideoEncoder(
            settings: VideoSettings(
                size: Self.size, rateControl: .bitrate(2000), coding: CodingOptions(latency: .low)))
        var noise = Noise(size: Self.size)
        var bits: [Double] = []
        for tick in 0..<110 {
            // Not at a keyframe.
            if tick == 75 { encoder.setBitrate(1000) }
            bits += try encoder.encode(noise.sample(at: tick)).map { Double($0.data.count) * 8 }
        }
        // The line is full already: the first half of a second may not have more than its share.
        let first = bits[75..<90].reduce(0, +) * 2
        let second = bits[75..<105].reduce(0, +)
        #expect(first < 1_200_000 && second < 1_120_000, "\(first), \(second) bit/s")
        #expect(second > 600_000, "\(second) bit/s")
    }

    // MARK: Errors

    @Test func `a preset that does not exist is a typed error that names it`() {
        #expect(throws: EncodeError.cannotOpenVideo(.unknownPreset("warp"))) {
            try VideoEncoder(
                settings: VideoSettings(
                    size: Self.size, rateControl: .bitrate(1000), coding: CodingOptions(preset: "warp")))
        }
    }

    @Test(arguments: [(0, 0), (100_000, 100_000), (-320, 180)])
    func `a size that x264 rejects is a typed error that names it`(
        width: Int, height: Int
    ) {
        let settings = VideoSettings(size: PixelSize(width: width, height: height), rateControl: .bitrate(1000))
        #expect(throws: EncodeError.cannotOpenVideo(.rejected(size: settings.size, frameRate: settings.frameRate))) {
            try VideoEncoder(settings: settings)
        }
    }

    @Test(arguments: [0, -5]) func `a bitrate that x264 rejects is a typed error`(bitrate: Int) {
        #expect(throws: EncodeError.self) {
            try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(bitrate)))
        }
    }

    @Test(arguments: CodingOptions.presets) func `every preset opens with both latencies`(preset: String) throws {
        for latency in CodingOptions.Latency.allCases {
            let settings = VideoSettings(
                size: Self.size, rateControl: .bitrate(1000), coding: CodingOptions(preset: preset, latency: latency))
            let encoder = try VideoEncoder(settings: settings)
            var noise = Noise(size: Self.size)
            var packets = try encoder.encode(noise.sample(at: 0))
            packets += try encoder.encode(noise.sample(at: 1))
            packets += try encoder.finish()
            #expect(packets.count == 2)
        }
    }
}

/// Noise that is different in every frame, the worst case for an encoder.
private struct Noise {
    let size: PixelSize
    private(set) var content: [UInt8]
    private var state: UInt64 = 11

    init(size: PixelSize) {
        self.size = size
        content = [UInt8](repeating: 128, count: size.area * 3 / 2)
    }

    mutating func sample(at tick: Int) -> SampleBuffer { sample(at: MediaTime(value: Int64(tick), timescale: 30)) }

    mutating func sample(at time: MediaTime) -> SampleBuffer {
        for index in content.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            content[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
        return picture(at: time)
    }

    /// The same picture again.
    func still(at tick: Int) -> SampleBuffer { picture(at: MediaTime(value: Int64(tick), timescale: 30)) }

    private func picture(at time: MediaTime) -> SampleBuffer {
        let frame = PixelBuffer(format: .i420, size: size)
        frame.withUnsafeMutableBytes { $0.copyBytes(from: content) }
        return SampleBuffer(
            track: .screen, presentationTime: time,
            payload: .picture(Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(size))))
    }
}
