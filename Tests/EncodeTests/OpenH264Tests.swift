import Encode
import Media
import Testing

/// The second library behind `VideoEncoder`: the same rules hold, and its stream can be extended by repeat pictures and
/// repeated keyframes, although its pictures have an order count.
@Suite struct OpenH264Tests {
    private static let size = PixelSize(width: 640, height: 352)
    private static let coding = CodingOptions(library: .openH264)

    @Test(arguments: [1, 2]) func `decoders return every picture of a page, its changes and its repetitions`(
        threads: Int
    ) throws {
        var settings = VideoSettings(size: Self.size, rateControl: .bitrate(6000), coding: Self.coding)
        settings.threads = threads
        let encoder = try VideoEncoder(settings: settings)
        let place = PixelRect(x: 320, y: 160, width: 48, height: 16)
        var page = Page(size: Self.size)
        var pages = [(0, page)]
        var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
        for tick in 1..<300 {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            guard [45, 46, 80, 250].contains(tick) else {
                packets += try encoder.encodeRepeat(at: time)
                continue
            }
            page = Page(size: Self.size, part: place, number: tick, isNoise: false)
            pages.append((tick, page))
            packets += try encoder.encode(page.sample(at: time, changed: place))
        }
        #expect(packets.count == 300)
        #expect([62, 122, 182, 242].allSatisfy { packets[$0].isKeyframe })
        #expect(encoder.repeatedFrames > 250, "\(encoder.repeatedFrames)")
        let qualities = try decodedQualities(packets, of: encoder, pages: pages)
        #expect(qualities.allSatisfy { $0 > 30 }, "\(qualities)")
        try EncodedStream.h264(packets, of: encoder) { stream in
            let isEqual = try stream.pictures() == stream.picturesInOpenH264()
            #expect(isEqual)
        }
    }

    @Test func `the bitrate holds for pages that follow each other quickly`() throws {
        let encoder = try VideoEncoder(
            settings: VideoSettings(size: Self.size, rateControl: .bitrate(1000), coding: Self.coding))
        var packets: [EncodedPacket] = []
        for tick in 0..<240 {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            let part = PixelRect(x: 0, y: 0, width: Self.size.width, height: Self.size.height)
            packets +=
                tick % 10 == 0
                ? try encoder.encode(
                    Page(size: Self.size, part: part, number: tick, isNoise: false).sample(at: time, isChanged: true))
                : try encoder.encodeRepeat(at: time)
        }
        #expect(packets.count == 240)
        expectWithinBitrate(packets, kilobits: 1000)
    }

    @Test func `a constant quality is a constant QP`() throws {
        let page = Page(size: Self.size)
        let worst = try [18.0, 36].map { quality in
            let encoder = try VideoEncoder(
                settings: VideoSettings(size: Self.size, rateControl: .quality(quality), coding: Self.coding))
            var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
            for tick in 1..<10 { packets += try encoder.encodeRepeat(at: MediaTime(value: Int64(tick), timescale: 30)) }
            return try decodedQualities(packets, of: encoder, pages: [(0, page)]).min() ?? 0
        }
        #expect(worst[0] > worst[1] + 10, "\(worst)")
    }

    @Test(arguments: [
        (
            VideoSettings.RateControl.quality(0), ChromaFormat.yuv420, CodingOptions.Latency.low,
            EncodeError.MissingFeature.lossless
        ),
        (.bitrate(1000), .yuv444, .low, .fullChroma),
        (.bitrate(1000), .yuv420, .normal, .lookahead),
    ])
    func `what it has not is a typed error`(
        rateControl: VideoSettings.RateControl, chroma: ChromaFormat, latency: CodingOptions.Latency,
        feature: EncodeError.MissingFeature
    ) {
        let settings = VideoSettings(
            size: Self.size, chroma: chroma, rateControl: rateControl,
            coding: CodingOptions(library: .openH264, latency: latency))
        #expect(throws: EncodeError.cannotOpenVideo(.notInOpenH264(feature))) { try VideoEncoder(settings: settings) }
    }

    @Test func `a size that it rejects is a typed error`() {
        let size = PixelSize(width: 100_000, height: 100_000)
        #expect(throws: EncodeError.cannotOpenVideo(.rejected(size: size, frameRate: 30))) {
            try VideoEncoder(settings: VideoSettings(size: size, rateControl: .quality(20), coding: Self.coding))
        }
    }
}
