import Encode
import Foundation
import Media
import Testing

/// The quality and the cost of a page of text that does not change, with a bitrate.
@Suite struct StillPictureTests {
    private static let size = PixelSize(width: 640, height: 352)
    private static let kilobits = 1000

    @Test func `a still page stays sharp at its keyframes and is mostly repeated`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(Self.kilobits)))
        let page = Page(size: Self.size)
        var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
        for tick in 1..<300 { packets += try encoder.encodeRepeat(at: MediaTime(value: Int64(tick), timescale: 30)) }
        #expect(packets.count == 300)
        let qualities = try decodedQualities(packets, of: encoder, pages: [(0, page)])
        // The keyframes, which may use one second of the bitrate, and all frames.
        let settled = qualities[60...]
        let (worst, mean) = (settled.min() ?? 0, settled.reduce(0, +) / Double(settled.count))
        #expect(worst > 27, "PSNR \(worst) dB")
        #expect(mean > 36, "PSNR \(mean) dB")
        #expect(encoder.encodedFrames < 100, "\(encoder.encodedFrames) of 300 frames were encoded")
    }

    @Test func `a plain picture is as good as it can be after few frames`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(6000)))
        let plain = Page(plain: Self.size)
        _ = try encoder.encode(plain.sample(at: .zero, isChanged: true))
        for tick in 1..<240 { _ = try encoder.encodeRepeat(at: MediaTime(value: Int64(tick), timescale: 30)) }
        // Four keyframes, the steps of the QP after the first one, and the frames that fill x264's buffer.
        #expect(encoder.encodedFrames < 24, "\(encoder.encodedFrames) of 240 frames were encoded")
    }

    @Test func `the first frames after a still period are neither blurred nor larger than the buffer`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(Self.kilobits)))
        let page = Page(size: Self.size)
        var pages: [(Int, Page)] = [(0, page)]
        var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
        for tick in 1..<240 {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            if tick >= 150 && tick < 180 {
                let moved = Page(size: Self.size, scroll: (tick - 149) * 6)
                pages.append((tick, moved))
                packets += try encoder.encode(moved.sample(at: time, isChanged: true))
            } else {
                packets += try encoder.encodeRepeat(at: time)
            }
        }
        let qualities = try decodedQualities(packets, of: encoder, pages: pages)
        #expect(qualities[150..<180].min() ?? 0 > 30, "\(qualities[150..<180])")
        expectWithinBitrate(packets, kilobits: Self.kilobits)
    }

    @Test func `a page with a clock becomes sharp in few steps after a keyframe`() throws {
        let (packets, qualities) = try encode(changing: PixelRect(x: 320, y: 160, width: 48, height: 16), kilobits: 1500)
        for keyframe in [60, 120, 180] {
            let frames = qualities[keyframe..<keyframe + 60]
            // Each step encodes the whole picture again.
            let steps = zip(frames, frames.dropFirst()).filter { $1 > $0 + 0.05 }.count
            #expect(steps <= 6, "\(frames)")
            let best = frames.max() ?? 0
            #expect(frames.dropFirst(15).allSatisfy { $0 > best - 0.5 }, "\(frames)")
        }
        expectWithinBitrate(packets, kilobits: 1500)
    }

    @Test func `a small part that needs many bits leaves the bitrate as it is`() throws {
        // A sixteenth of the picture is noise, which at the QP of the page would need several times the bitrate.
        let (packets, _) = try encode(changing: PixelRect(x: 160, y: 80, width: 160, height: 88), isNoise: true, kilobits: Self.kilobits)
        expectWithinBitrate(packets, kilobits: Self.kilobits)
        let sizes = packets.map(\.data.count)
        #expect(sizes[60...].reduce(0, +) * 8 / 1000 <= Self.kilobits * 7)
    }

    @Test func `a clock stays within a bitrate that falls, and sharp while the fastest preset is used`() throws {
        let clock = PixelRect(x: 320, y: 160, width: 48, height: 16)
        let (packets, qualities) = try encode(changing: clock, kilobits: 1500) { encoder, tick in
            if tick == 100 { encoder.setBitrate(1000) }
            if tick == 160 { encoder.setFastest(true) }
            if tick == 175 { encoder.setFastest(false) }
        }
        // One second of the lower bitrate can wait in the buffer.
        let size = packets[100...].reduce(0) { $0 + $1.data.count } * 8 / 1000
        #expect(size <= 1000 * (140 / 30 + 2), "\(size) kbit in 140 frames")
        #expect(qualities[60..<120].min() ?? 0 > 36, "\(qualities[60..<120])")
        #expect(qualities[160..<180].min() ?? 0 > 36, "\(qualities[160..<180])")
    }

    @Test(arguments: [1, 5, 60]) func `a clock is sharp at each frame rate`(frameRate: Int) throws {
        var settings = VideoSettings(size: Self.size, rateControl: .bitrate(1500))
        settings.frameRate = frameRate
        let (packets, qualities) = try encode(changing: PixelRect(x: 320, y: 160, width: 48, height: 16), settings: settings, count: frameRate * 6)
        #expect(qualities.suffix(frameRate).allSatisfy { $0 > 36 }, "\(qualities.suffix(frameRate))")
        #expect(packets.reduce(0) { $0 + $1.data.count } * 8 / 1000 <= 1500 * 7)
    }

    private func encode(
        changing part: PixelRect, isNoise: Bool = false, kilobits: Int, each: (VideoEncoder, Int) -> Void = { _, _ in }
    ) throws -> ([EncodedPacket], [Double]) {
        try encode(
            changing: part, isNoise: isNoise, settings: VideoSettings(size: Self.size, rateControl: .bitrate(kilobits)), count: 240, each: each)
    }

    /// Encodes frames of a page of which a part changes with every frame: glyphs, or noise. Returns the packets and the PSNR of
    /// each frame.
    ///
    /// - Parameter each: called before each frame with its number.
    private func encode(
        changing part: PixelRect, isNoise: Bool = false, settings: VideoSettings, count: Int, each: (VideoEncoder, Int) -> Void = { _, _ in }
    ) throws -> ([EncodedPacket], [Double]) {
        let encoder = try VideoEncoder(settings: settings)
        var (pages, packets): ([(Int, Page)], [EncodedPacket]) = ([], [])
        for tick in 0..<count {
            each(encoder, tick)
            let page = Page(size: Self.size, part: part, number: tick, isNoise: isNoise)
            pages.append((tick, page))
            let changed = tick == 0 ? PixelRect(Self.size) : part
            let time = MediaTime(value: Int64(tick), timescale: Int64(settings.frameRate))
            packets += try encoder.encode(page.sample(at: time, changed: changed))
        }
        return (packets, try decodedQualities(packets, of: encoder, pages: pages))
    }

    /// One second of the bitrate can wait in the buffer, and another one comes in.
    private func expectWithinBitrate(_ packets: [EncodedPacket], kilobits: Int) {
        let sizes = packets.map(\.data.count)
        let seconds = (30...sizes.count).map { end -> Int in sizes[(end - 30)..<end].reduce(0, +) * 8 / 1000 }
        let peak = seconds.max() ?? 0
        #expect(peak <= kilobits * 2, "\(peak) kbit in a second")
    }

    /// The PSNR of the luma of each decoded frame, in dB.
    private func decodedQualities(_ packets: [EncodedPacket], of encoder: VideoEncoder, pages: [(Int, Page)]) throws -> [Double] {
        var qualities: [Double] = []
        try EncodedStream.h264(packets, of: encoder) { stream in
            let frames = try stream.pictures()
            let area = Self.size.area
            try #require(frames.count == packets.count * area * 3 / 2)
            for index in packets.indices {
                guard let page = pages.last(where: { $0.0 <= index })?.1 else { continue }
                let start = index * area * 3 / 2
                var sum = 0
                for offset in 0..<area {
                    let difference = Int(frames[start + offset]) - Int(page.luma[offset])
                    sum += difference * difference
                }
                qualities.append(10 * log10(65_025 * Double(area) / Double(max(sum, 1))))
            }
        }
        return qualities
    }
}

/// A page of random glyphs of 5x7 pixels in lines of 11 pixels.
private struct Page {
    let size: PixelSize
    let luma: [UInt8]

    /// A page of which a part shows other glyphs, or noise, for each number.
    init(size: PixelSize, part: PixelRect, number: Int, isNoise: Bool) {
        let page = Page(size: size)
        var luma = page.luma
        for row in part.y..<part.maxY {
            for column in part.x..<part.maxX {
                let place = isNoise ? row * size.width + column : row / 8 * size.width + column / 4
                var hash = UInt64(place + number * 1_000_003) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                let glyph: UInt8 = hash % 5 < 2 ? 30 : 225
                luma[row * size.width + column] = isNoise ? UInt8(truncatingIfNeeded: hash >> 7) / 2 + 60 : glyph
            }
        }
        self.size = size
        self.luma = luma
    }

    /// A page without anything on it.
    init(plain size: PixelSize) {
        self.size = size
        luma = [UInt8](repeating: 225, count: size.area)
    }

    /// - Parameter scroll: the number of rows by which the page is moved up.
    init(size: PixelSize, scroll: Int = 0) {
        self.size = size
        var luma = [UInt8](repeating: 225, count: size.area)
        for row in 0..<size.height {
            let (line, y) = ((row + scroll) / 11, (row + scroll) % 11)
            guard y < 7 else { continue }
            for column in 0..<size.width {
                let (glyph, x) = (column / 6, column % 6)
                guard x < 5 else { continue }
                // A pixel of a glyph is on or off by a hash of its place.
                var hash = UInt64(line * 7919 + glyph * 104_729 + y * 31 + x) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                if hash % 5 < 2 && glyph % 9 != 8 { luma[row * size.width + column] = 30 }
            }
        }
        self.luma = luma
    }

    func sample(at time: MediaTime, isChanged: Bool) -> SampleBuffer {
        sample(at: time, changed: isChanged ? PixelRect(size) : PixelRect(x: 0, y: 0, width: 0, height: 0))
    }

    func sample(at time: MediaTime, changed: PixelRect) -> SampleBuffer {
        let frame = PixelBuffer(format: .i420, size: size)
        frame.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: luma + [UInt8](repeating: 128, count: size.area / 2))
        }
        var damage = DamageRegion(size: size)
        if !changed.isEmpty { damage.add(changed) }
        return SampleBuffer(
            track: .screen, presentationTime: time,
            payload: .picture(Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: damage)))
    }
}
