import Foundation
import HLS
import LANExtension
import Media
import Testing

struct SegmentedStreamTests {
    private static let video = VideoTrackFormat(
        codec: .h264(
            sequenceParameterSet: [0x67, 0x64, 0x00, 0x1f, 0xac], pictureParameterSet: [0x68, 0xee, 0x3c, 0x80]),
        size: PixelSize(width: 1280, height: 720), frameRate: 30)

    private func stream(_ variant: SegmentedStream.Variant = .pictures, sound: AudioFormat? = nil) -> SegmentedStream {
        let date = Date(timeIntervalSince1970: 1_000_000)
        return SegmentedStream(variant, video: Self.video, sound: sound, epoch: date, now: date)
    }

    /// Adds the pictures of these seconds, ten a second; each of `byteCount` bytes. A keyframe comes when the stream
    /// asks for one, and first.
    private func play(_ stream: inout SegmentedStream, seconds: Range<Int>, byteCount: Int = 100) {
        var wantsKeyframe = seconds.lowerBound == 0
        for number in 10 * seconds.lowerBound..<10 * seconds.upperBound {
            let time = MediaTime(milliseconds: Int64(100 * number))
            stream.add(
                EncodedPacket(
                    track: .screen, presentationTime: time, decodeTime: time, isKeyframe: wantsKeyframe,
                    sequence: UInt32(number), data: [UInt8](repeating: 1, count: byteCount)), at: time)
            wantsKeyframe = stream.takeKeyframeRequest()
        }
    }

    private func segments(_ stream: SegmentedStream, _ name: String = "pictures.m3u8") -> [String] {
        let text = stream.object(named: name).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    @Test func `The playlist has the newest segments, and each one that it names exists`() throws {
        var stream = stream()
        #expect(segments(stream) == [])
        play(&stream, seconds: 0..<3)
        let first = try #require(segments(stream).first)
        #expect(!stream.isPlayable)
        play(&stream, seconds: 3..<15)
        #expect(stream.isPlayable)
        let names = segments(stream)
        #expect(names.count == 5 && !names.contains(first))
        #expect(names.allSatisfy { stream.object(named: $0)?.contentType == "video/mp4" })
        // A player may still have the older playlist.
        #expect(stream.object(named: first) != nil)
        play(&stream, seconds: 15..<40)
        #expect(stream.object(named: first) == nil)
        #expect(stream.object(named: "other.m4s") == nil)
    }

    @Test func `Large segments are not kept once the playlist does not name them`() throws {
        var stream = stream()
        play(&stream, seconds: 0..<3, byteCount: 200_000)
        let first = try #require(segments(stream).first)
        play(&stream, seconds: 3..<15, byteCount: 200_000)
        #expect(stream.object(named: first) == nil && segments(stream).count == 5)
        #expect(segments(stream).allSatisfy { stream.object(named: $0) != nil })
    }

    @Test func `PCM becomes Opus, except in the variant without sound`() throws {
        let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
        for variant in SegmentedStream.Variant.allCases {
            var stream = stream(variant, sound: format)
            for second in 0..<4 {
                for block in 0..<50 {
                    let time = MediaTime(milliseconds: Int64(1000 * second + 20 * block))
                    stream.add(
                        EncodedPacket(
                            track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true,
                            sequence: UInt32(50 * second + block), data: [UInt8](repeating: 3, count: 960 * 4)),
                        at: time)
                }
                play(&stream, seconds: second..<second + 1)
            }
            let list = try #require(stream.object(named: variant.playlist))
            let name = try #require(
                String(decoding: list.bytes, as: UTF8.self).firstMatch(of: /MAP:URI="([^"]+)"/)?.1)
            let header = String(
                decoding: try #require(stream.object(named: String(name))).bytes, as: Unicode.ASCII.self)
            #expect(header.contains("dOps") == (variant == .live), "\(variant)")
        }
    }
}
