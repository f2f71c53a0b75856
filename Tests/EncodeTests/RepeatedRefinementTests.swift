import Encode
import Media
import Testing

/// A page of text from edge to edge needs refinements after its keyframe. All of them are sent again in the next
/// intervals.
@Suite struct RepeatedRefinementTests {
    private static let size = PixelSize(width: 480, height: 272)
    private static let page = Page(size: Self.size)
    private static let part = PixelRect(x: 160, y: 80, width: 48, height: 16)
    private static let changed = Page(size: Self.size, part: Self.part, number: 7, isNoise: false)
    /// Ticks between two keyframes.
    private static let interval = 60
    private static let kilobits = 370

    @Test(arguments: [CodingOptions.Library.x264, .openH264])
    func `a still page with refinements is encoded once`(library: CodingOptions.Library) throws {
        let encoder = try encoder(library: library)
        var packets = try encoder.encode(Self.page.sample(at: .zero, isChanged: true))
        var encoded: [Int] = [encoder.encodedFrames]
        for tick in 1..<480 {
            packets += try encoder.encodeRepeat(at: Self.time(tick))
            encoded.append(encoder.encodedFrames)
        }
        let settled = try #require(encoded.firstIndex(of: encoder.encodedFrames))
        #expect(settled < 4 * Self.interval, "\(encoded)")
        #expect(packets.count { $0.isKeyframe } == 8)
        let start = try #require(packets.indices.first { $0 > settled && packets[$0].isKeyframe })
        let last = try #require(packets.indices.last { packets[$0].isKeyframe })
        try #require(start + 2 * Self.interval <= last)
        // Repeat pictures have 20 bytes.
        let group = packets[last...].count { $0.data.count > 200 }
        #expect(group > 1, "the page has refinements")
        try EncodedStream.h264(packets, of: encoder) { stream in
            let pictures = try self.pictures(stream.pictures())
            try #require(pictures.count == packets.count)
            #expect(try self.pictures(stream.picturesInOpenH264()) == pictures)
            // Each interval shows the same pictures as the one before, or more of them if the bucket was fuller then.
            let shown = Set(pictures[last...])
            let others = pictures[start..<last].filter { !shown.contains($0) }
            #expect(others.isEmpty)
            #expect(shown.count == group)
        }
        expectWithinBitrate(packets, kilobits: Self.kilobits)
    }

    /// The encoder is then at the end of the interval before.
    @Test(arguments: [0, 1, 8, 20, 50])
    func `a change while the refinements are sent again refers to the picture that viewers have`(age: Int) throws {
        let encoder = try encoder()
        var packets = try encoder.encode(Self.page.sample(at: .zero, isChanged: true))
        // Until nothing is encoded for two intervals.
        var (before, since) = (0, 0)
        while packets.count - since < 2 * Self.interval, packets.count < 1200 {
            packets += try encoder.encodeRepeat(at: Self.time(packets.count))
            if encoder.encodedFrames > before { (before, since) = (encoder.encodedFrames, packets.count) }
        }
        #expect(packets.count < 1200)
        while packets.last?.isKeyframe != true { packets += try encoder.encodeRepeat(at: Self.time(packets.count)) }
        for _ in 0..<age { packets += try encoder.encodeRepeat(at: Self.time(packets.count)) }
        #expect(encoder.encodedFrames == before)
        // While the bitrate allows no change, the page is shown.
        var change: Int?
        for _ in 0..<30 where change == nil {
            packets += try encoder.encode(Self.changed.sample(at: Self.time(packets.count), changed: Self.part))
            if encoder.encodedFrames > before { change = packets.count - 1 }
        }
        let first = try #require(change)
        #expect(packets[first].isKeyframe == false)
        for _ in 0..<90 { packets += try encoder.encodeRepeat(at: Self.time(packets.count)) }
        try EncodedStream.h264(packets, of: encoder) { stream in
            let pictures = try self.pictures(stream.pictures())
            try #require(pictures.count == packets.count)
            #expect(try self.pictures(stream.picturesInOpenH264()) == pictures)
            // The frame of the change may also be a refinement.
            #expect(error(pictures[first], outside: Self.part) <= error(pictures[first - 1], outside: Self.part))
        }
        let qualities = try decodedQualities(packets, of: encoder, pages: [(0, Self.page), (first, Self.changed)])
        #expect(qualities[first] > qualities[first - 1] - 1, "\(qualities[(first - 2)..<(first + 3)])")
        let worst = qualities[(first - Self.interval)..<first].min() ?? 0
        #expect(qualities[first...].allSatisfy { $0 > worst - 3 }, "\(worst): \(qualities[first...])")
    }

    @Test func `after another bitrate, the page is encoded anew`() throws {
        let encoder = try encoder()
        _ = try encoder.encode(Self.page.sample(at: .zero, isChanged: true))
        for tick in 1..<360 { _ = try encoder.encodeRepeat(at: Self.time(tick)) }
        let before = encoder.encodedFrames
        encoder.setBitrate(230)
        var packets: [EncodedPacket] = []
        for tick in 360..<720 { packets += try encoder.encodeRepeat(at: Self.time(tick)) }
        #expect(encoder.encodedFrames > before)
        expectWithinBitrate(packets, kilobits: 230)
    }

    private func encoder(library: CodingOptions.Library = .x264) throws -> VideoEncoder {
        var settings = VideoSettings(
            size: Self.size, rateControl: .bitrate(Self.kilobits), coding: CodingOptions(library: library))
        settings.threads = 2
        return try VideoEncoder(settings: settings)
    }

    private static func time(_ tick: Int) -> MediaTime { MediaTime(value: Int64(tick), timescale: 30) }

    private func pictures(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let length = Self.size.area * 3 / 2
        return stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
    }

    /// The squared error of the macroblocks outside of a rectangle, without the edges that decoders smooth.
    private func error(_ picture: ArraySlice<UInt8>, outside part: PixelRect) -> Int {
        let (left, top) = (part.x / 16 * 16 - 4, part.y / 16 * 16 - 4)
        let (right, bottom) = ((part.maxX + 15) / 16 * 16 + 4, (part.maxY + 15) / 16 * 16 + 4)
        var sum = 0
        for row in 0..<Self.size.height {
            for column in 0..<Self.size.width where !((left..<right).contains(column) && (top..<bottom).contains(row)) {
                let offset = row * Self.size.width + column
                let difference = Int(picture[picture.startIndex + offset]) - Int(Self.page.luma[offset])
                sum += difference * difference
            }
        }
        return sum
    }
}
