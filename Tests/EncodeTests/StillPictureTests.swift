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

    @Test(arguments: [301, 302, 303])
    func `a change at a keyframe that is sent again is shown`(change: Int) throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(6000)))
        let page = Page(size: Self.size)
        let changed = Page(
            size: Self.size, part: PixelRect(x: 320, y: 160, width: 48, height: 16), number: 7, isNoise: false)
        var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
        for tick in 1..<310 {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            packets +=
                tick == change
                ? try encoder.encode(
                    changed.sample(at: time, changed: PixelRect(x: 320, y: 160, width: 48, height: 16)))
                : try encoder.encodeRepeat(at: time)
        }
        // A change while the keyframe of the still picture waits is the keyframe.
        #expect([62, 122, 182, 242, min(change, 302)].allSatisfy { packets[$0].isKeyframe })
        // The first frame, its refinements, one keyframe that is good enough, and the change.
        #expect(encoder.encodedFrames < 12)
        let qualities = try decodedQualities(packets, of: encoder, pages: [(0, page), (change, changed)])
        #expect(qualities[62...].allSatisfy { $0 > 36 }, "\(qualities[298...])")
    }

    @Test(arguments: [60, 61, 62]) func `a page that comes with the keyframe of the last one is the keyframe`(tick: Int)
        throws
    {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(Self.kilobits)))
        let page = Page(size: Self.size)
        var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
        for now in 1..<100 {
            let time = MediaTime(value: Int64(now), timescale: 30)
            packets +=
                now == tick
                ? try encoder.encode(page.sample(at: time, isChanged: true)) : try encoder.encodeRepeat(at: time)
        }
        #expect(packets.indices.filter { packets[$0].isKeyframe } == [0, tick])
    }

    @Test func `a keyframe for a reader that joins waits until the bitrate allows a good one`() throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(Self.kilobits)))
        let page = Page(size: Self.size)
        var packets = try encoder.encode(page.sample(at: .zero, isChanged: true))
        for tick in 1..<45 {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            if tick == 2 { encoder.requestKeyframe(from: time) }
            packets += try encoder.encodeRepeat(at: time)
        }
        let keyframe = try #require(packets.indices.dropFirst().first { packets[$0].isKeyframe })
        #expect(keyframe > 5 && keyframe <= 32)
        let qualities = try decodedQualities(packets, of: encoder, pages: [(0, page)])
        // Without its details, which is all that the empty bucket could pay for, the picture has 8 dB.
        #expect(qualities[keyframe] > 18, "\(qualities)")
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
        let (packets, qualities) = try encode(
            changing: PixelRect(x: 320, y: 160, width: 48, height: 16), kilobits: 1500)
        for keyframe in [60, 120, 180] {
            let frames = qualities[keyframe..<keyframe + 60]
            // Each step encodes the whole picture again.
            let steps = zip(frames, frames.dropFirst()).filter { $1 > $0 + 0.05 }.count
            #expect(steps <= 6, "\(frames)")
            let best = frames.max() ?? 0
            // The last steps, from QP 17 to 14, wait until the bitrate has saved enough for another page.
            #expect(frames.dropFirst(15).allSatisfy { $0 > best - 3.5 }, "\(frames)")
        }
        expectWithinBitrate(packets, kilobits: 1500)
    }

    @Test func `a small part that needs many bits leaves the bitrate as it is`() throws {
        // A sixteenth of the picture is noise, which at the QP of the page would need several times the bitrate.
        let (packets, _) = try encode(
            changing: PixelRect(x: 160, y: 80, width: 160, height: 88), isNoise: true, kilobits: Self.kilobits)
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
        let (packets, qualities) = try encode(
            changing: PixelRect(x: 320, y: 160, width: 48, height: 16), settings: settings, count: frameRate * 6)
        #expect(qualities.suffix(frameRate).allSatisfy { $0 > 36 }, "\(qualities.suffix(frameRate))")
        #expect(packets.reduce(0) { $0 + $1.data.count } * 8 / 1000 <= 1500 * 7)
    }

    private func encode(
        changing part: PixelRect, isNoise: Bool = false, kilobits: Int, each: (VideoEncoder, Int) -> Void = { _, _ in }
    ) throws -> ([EncodedPacket], [Double]) {
        try encode(
            changing: part, isNoise: isNoise, settings: VideoSettings(size: Self.size, rateControl: .bitrate(kilobits)),
            count: 240, each: each)
    }

    /// Encodes frames of a page of which a part changes with every frame: glyphs, or noise. Returns the packets and the
    /// PSNR of each frame.
    ///
    /// - Parameter each: called before each frame with its number.
    private func encode(
        changing part: PixelRect, isNoise: Bool = false, settings: VideoSettings, count: Int,
        each: (VideoEncoder, Int) -> Void = { _, _ in }
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
}
