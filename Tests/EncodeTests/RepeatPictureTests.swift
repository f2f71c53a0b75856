import Encode
import Foundation
import Media
import Testing

/// The encoder writes repeat pictures between x264's pictures. Independent decoders must return every frame bit for
/// bit.
@Suite struct RepeatPictureTests {
    static let size = PixelSize(width: 208, height: 112)

    /// The preset ultrafast uses CAVLC, all others use CABAC.
    @Test(arguments: [1, 2], ["veryfast", "ultrafast"])
    func `Lossless frames are unchanged after repeat pictures`(threads: Int, preset: String) throws {
        var settings = VideoSettings(
            size: Self.size, frameRate: 30, rateControl: .quality(0),
            coding: CodingOptions(
                preset: preset,
                keyframeInterval: MediaTime(milliseconds: 1500)))
        settings.threads = threads
        let scene = try Scene(settings: settings)
        #expect(scene.repeated > 60)
        let decoded = try decodeInFFmpeg(scene.stream, as: "yuv420p")
        #expect(decoded.errors == "")
        #expect(decoded.bytes.count == scene.expected.count)
        let isEqual = decoded.bytes == scene.expected
        #expect(isEqual, "first difference in frame \(firstDifference(decoded.bytes, scene.expected))")
    }

    @Test(arguments: [1, 2]) func `Lossless frames in full chroma are unchanged after repeat pictures`(threads: Int)
        throws
    {
        let scene = try Scene(
            settings: VideoSettings(
                size: Self.size, chroma: .yuv444, frameRate: 30, rateControl: .quality(0),
                coding: CodingOptions(keyframeInterval: MediaTime(milliseconds: 1500)), threads: threads))
        #expect(scene.repeated > 60)
        let decoded = try decodeInFFmpeg(scene.stream, as: "yuv444p")
        #expect(decoded.errors == "")
        #expect(decoded.bytes.count == 170 * Self.size.area * 3)
        let isEqual = decoded.bytes == scene.expected
        #expect(isEqual)
    }

    @Test func `A lossy stream in full chroma stays close to the original across repeat pictures`() throws {
        let scene = try Scene(
            settings: VideoSettings(size: Self.size, chroma: .yuv444, frameRate: 30, rateControl: .bitrate(3000)))
        #expect(scene.repeated > 60)
        let decoded = try decodeInFFmpeg(scene.stream, as: "yuv444p")
        #expect(decoded.errors == "")
        #expect(decoded.bytes.count == scene.expected.count)
        let frame = Self.size.area * 3
        let errors = zip(decoded.bytes.suffix(frame), scene.expected.suffix(frame)).map { abs(Int($0) - Int($1)) }
        #expect(errors.reduce(0, +) / frame <= 4)
    }

    @Test(arguments: ["veryfast", "ultrafast"]) func `Two decoders decode a lossy stream with repeat pictures alike`(
        preset: String
    ) throws {
        let scene = try Scene(
            settings: VideoSettings(
                size: Self.size, frameRate: 30, rateControl: .bitrate(400), coding: CodingOptions(preset: preset)))
        #expect(scene.repeated > 60)
        let one = try decodeInFFmpeg(scene.stream, as: "yuv420p")
        let other = try decodeInOpenH264(scene.stream)
        #expect(one.errors == "")
        #expect(one.bytes.count == scene.expected.count)
        let isEqual = one.bytes == other.bytes
        #expect(isEqual, "first difference in frame \(firstDifference(one.bytes, other.bytes))")
        // The encoding is lossy but close: the last frames look like the last picture that was encoded.
        let frame = Self.size.area * 3 / 2
        let errors = zip(one.bytes.suffix(frame), scene.expected.suffix(frame)).map { abs(Int($0) - Int($1)) }
        #expect(errors.reduce(0, +) / frame <= 4)
    }

    @Test(arguments: ["veryfast", "slow"]) func `A change to the fastest preset and back leaves the stream valid`(
        preset: String
    ) throws {
        let lossless = try Scene(
            settings: VideoSettings(
                size: Self.size, frameRate: 30, rateControl: .quality(0), coding: CodingOptions(preset: preset)),
            changesSpeed: true)
        let decoded = try decodeInFFmpeg(lossless.stream, as: "yuv420p")
        #expect(decoded.errors == "")
        let isEqual = decoded.bytes == lossless.expected
        #expect(isEqual, "first difference in frame \(firstDifference(decoded.bytes, lossless.expected))")
        let lossy = try Scene(
            settings: VideoSettings(
                size: Self.size, frameRate: 30, rateControl: .bitrate(400), coding: CodingOptions(preset: preset)),
            changesSpeed: true)
        let one = try decodeInFFmpeg(lossy.stream, as: "yuv420p")
        let other = try decodeInOpenH264(lossy.stream)
        #expect(one.errors == "")
        #expect(one.bytes.count == lossy.expected.count)
        let isSame = one.bytes == other.bytes
        #expect(isSame, "first difference in frame \(firstDifference(one.bytes, other.bytes))")
    }

    @Test func `A still picture gets an IDR picture at each keyframe interval`() throws {
        let scene = try Scene(
            settings: VideoSettings(
                size: Self.size, frameRate: 30, rateControl: .bitrate(400),
                coding: CodingOptions(keyframeInterval: MediaTime(milliseconds: 1000))))
        let keyframes = scene.packets.filter(\.isKeyframe).map(\.presentationTime.milliseconds)
        #expect(keyframes.count == 6)
        // The keyframe of a still picture waits a moment for a new one. That adds up to nothing.
        for (index, time) in keyframes.enumerated() { #expect((-34...70).contains(time - Int64(index) * 1000)) }
    }

    @Test func `A repeat picture is small`() throws {
        let scene = try Scene(settings: VideoSettings(size: Self.size, frameRate: 30, rateControl: .bitrate(400)))
        #expect(scene.packets.map(\.data.count).min() ?? 0 < 32)
    }
}

private func decodeInOpenH264(_ stream: [UInt8]) throws -> (bytes: [UInt8], errors: String) {
    try decode(
        stream,
        with: [
            "gst-launch-1.0", "-q", "filesrc", "location=INPUT", "!", "h264parse", "!", "openh264dec", "!",
            "video/x-raw,format=I420", "!",
            "filesink", "location=OUTPUT",
        ])
}

/// A picture that moves, rests, changes a little, and rests again: encoded, with the expected decoded frames.
private struct Scene {
    var packets: [EncodedPacket] = []
    var stream: [UInt8] = []
    var expected: [UInt8] = []
    var repeated = 0

    /// - Parameter changesSpeed: change to the fastest preset and back several times.
    init(settings: VideoSettings, changesSpeed: Bool = false) throws {
        let encoder = try VideoEncoder(settings: settings)
        guard case .h264(let sequence, let picture) = encoder.format.codec else { return }
        var random = SystemRandom(state: 7)
        let isFull = settings.chroma == .yuv444
        var content = [UInt8](repeating: 100, count: isFull ? settings.size.area * 3 : settings.size.area * 3 / 2)
        for tick in 0..<170 {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            if changesSpeed { encoder.setFastest(tick % 8 >= 4) }
            var damage = DamageRegion(size: settings.size)
            if tick < 10 || tick == 90 || (tick > 130 && tick < 134) {
                let block = PixelRect(
                    x: Int(random.next() % 10) * 16, y: Int(random.next() % 5) * 16, width: 48, height: 32)
                damage.add(block)
                for y in block.y..<block.maxY {
                    for x in block.x..<block.maxX {
                        for plane in 0..<(isFull ? 3 : 1) {
                            content[plane * settings.size.area + y * settings.size.width + x] = UInt8(
                                random.next() & 0xff)
                        }
                    }
                }
            }
            if tick == 0 { damage = .whole(settings.size) }
            let new: [EncodedPacket]
            if damage.isEmpty {
                new = try encoder.encodeRepeat(at: time)
            } else {
                let frame = PixelBuffer(format: settings.chroma.pixelFormat, size: settings.size)
                frame.withUnsafeMutableBytes { $0.copyBytes(from: content) }
                let patch = Picture.Patch(x: 0, y: 0, pixels: frame)
                new = try encoder.encode(
                    SampleBuffer(
                        track: .screen, presentationTime: time,
                        payload: .picture(Picture(size: settings.size, patches: [patch], damage: damage))))
            }
            expected += content
            for packet in new {
                if packet.isKeyframe { stream += [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture }
                stream += annexB(packet.data)
            }
            packets += new
        }
        repeated = encoder.repeatedFrames
    }
}

private struct SystemRandom {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}

/// Start codes instead of lengths.
private func annexB(_ data: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var position = 0
    while position + 4 <= data.count {
        let length = data[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        result += [0, 0, 0, 1] + data[position + 4..<position + 4 + length]
        position += 4 + length
    }
    return result
}

/// Decodes the stream into raw frames with the pixel format `format`.
private func decodeInFFmpeg(_ stream: [UInt8], as format: String) throws -> (bytes: [UInt8], errors: String) {
    try decode(
        stream,
        with: [
            "ffmpeg", "-v", "error", "-f", "h264", "-i", "INPUT", "-f", "rawvideo", "-pix_fmt", format, "-fps_mode",
            "passthrough", "OUTPUT",
        ])
}

private func decode(_ stream: [UInt8], with command: [String]) throws -> (bytes: [UInt8], errors: String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("broadcast-encode-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appendingPathComponent("in.h264")
    let output = folder.appendingPathComponent("out.yuv")
    try Data(stream).write(to: input)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command.map {
        $0.replacingOccurrences(of: "INPUT", with: input.path).replacingOccurrences(of: "OUTPUT", with: output.path)
    }
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (Array(try Data(contentsOf: output)), text)
}

private func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int {
    (zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(one.count, other.count))
        / (RepeatPictureTests.size.area * 3 / 2)
}
