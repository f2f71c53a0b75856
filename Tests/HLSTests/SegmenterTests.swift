import Foundation
import HLS
import Media
import Testing

struct SegmenterTests {
    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A, 0xDA], pictureParameterSet: [0x68, 0xCE]),
            size: PixelSize(width: 16, height: 16), frameRate: 10),
        audio: [
            AudioTrackFormat(
                track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 0)
        ])

    private func segmenter(_ format: SegmentFormat = .ts) -> Segmenter {
        Segmenter(
            Self.stream, format: format, duration: MediaTime(milliseconds: 4000),
            epoch: Date(timeIntervalSince1970: 1000))
    }

    private func picture(_ milliseconds: Int64, isKeyframe: Bool = false, isDiscontinuity: Bool = false)
        -> EncodedPacket
    {
        EncodedPacket(
            track: .screen, presentationTime: MediaTime(milliseconds: milliseconds),
            decodeTime: MediaTime(milliseconds: milliseconds),
            isKeyframe: isKeyframe, isDiscontinuity: isDiscontinuity, sequence: 0,
            data: [0, 0, 0, 2, isKeyframe ? 0x65 : 0x41, 0x88])
    }

    /// Returns ten pictures a second from one time to another, with a keyframe every `keyframes` milliseconds.
    private func pictures(_ from: Int64, _ to: Int64, keyframes: Int64) -> [EncodedPacket] {
        stride(from: from, to: to, by: 100).map { picture($0, isKeyframe: $0 % keyframes == 0) }
    }

    @Test func `A segment ends at the first keyframe after four seconds`() {
        var segmenter = segmenter()
        var segments = pictures(0, 9000, keyframes: 2000).compactMap { segmenter.append($0) }
        segments += [segmenter.end()].compactMap { $0 }
        #expect(segments.map(\.duration.milliseconds) == [4000, 4000, 1000])
        #expect(segments.map(\.date.timeIntervalSince1970) == [1000, 1004, 1008])
        #expect(segments.allSatisfy { !$0.isDiscontinuous && $0.header == nil })
    }

    @Test func `A keyframe that is slightly early ends a segment too`() {
        var segmenter = segmenter()
        let times: [Int64] = [0, 1980, 3960, 5950, 7930, 9000]
        let segments = times.compactMap { segmenter.append(picture($0, isKeyframe: true)) }
        #expect(segments.map(\.duration.milliseconds) == [3960, 3970])
    }

    @Test func `A late keyframe is requested once`() {
        var segmenter = segmenter()
        var requests: [Int64] = []
        for packet in pictures(0, 7000, keyframes: 10_000) {
            _ = segmenter.append(packet)
            if segmenter.takeKeyframeRequest() { requests.append(packet.presentationTime.milliseconds) }
        }
        #expect(requests == [4100])
        let segment = segmenter.append(picture(7000, isKeyframe: true))
        #expect(segment?.duration.milliseconds == 7000)
    }

    @Test func `After a gap, the next segment is marked as discontinuous`() {
        var segmenter = segmenter()
        for packet in pictures(0, 1000, keyframes: 2000) { _ = segmenter.append(packet) }
        let ended = segmenter.append(picture(6000, isKeyframe: true, isDiscontinuity: true))
        // The segment ends with its own last picture, before the gap.
        #expect(ended?.duration.milliseconds == 1000 && ended?.isDiscontinuous == false)
        let next = segmenter.end()
        #expect(next?.duration.milliseconds == 100 && next?.isDiscontinuous == true)
    }

    @Test func `After a gap without a keyframe, pictures are dropped and a keyframe is requested`() {
        var segmenter = segmenter()
        for packet in pictures(0, 1000, keyframes: 2000) { _ = segmenter.append(packet) }
        let packets = [picture(3000, isDiscontinuity: true), picture(3100), picture(3200, isKeyframe: true)]
        var requests: [Bool] = []
        let segments = packets.map { packet in
            defer { requests.append(segmenter.takeKeyframeRequest()) }
            return segmenter.append(packet)
        }
        #expect(requests == [true, false, false])
        #expect(segments.map { $0?.duration.milliseconds } == [nil, nil, 1000])
        let next = segmenter.end()
        #expect(next?.isDiscontinuous == true)
    }

    @Test func `Packets before the first keyframe are dropped`() {
        var segmenter = segmenter()
        let sound = EncodedPacket(
            track: .mixed, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0, data: [1, 2, 3])
        let segments = [segmenter.append(sound), segmenter.append(picture(100)), segmenter.end()]
        #expect(segments == [nil, nil, nil])
    }

    @Test func `A transport stream segment starts with its tables`() {
        var segmenter = segmenter()
        let segments = pictures(0, 8100, keyframes: 2000).compactMap { segmenter.append($0) }
        for segment in segments {
            #expect(segment.bytes.count % 188 == 0)
            // The program association table, PID 0, then the program map table, PID 0x1000.
            #expect(
                Array(segment.bytes[0..<3]) == [0x47, 0x40, 0x00]
                    && Array(segment.bytes[188..<191]) == [0x47, 0x50, 0x00])
        }
    }

    @Test func `Fragmented MP4 has one separate header`() throws {
        var segmenter = segmenter(.fmp4)
        var segments = pictures(0, 5000, keyframes: 2000).compactMap { segmenter.append($0) }
        segments += [segmenter.end()].compactMap { $0 }
        #expect(segments.count == 2 && segments[0].header == segments[1].header)
        #expect(try types(of: #require(segments[0].header)) == ["ftyp", "moov"])
        #expect(try types(of: segments[0].bytes) == ["moof", "mdat", "moof", "mdat"])
        #expect(try types(of: segments[1].bytes) == ["moof", "mdat"])
    }

    @Test func `A change of tracks starts a new segment with a new header`() {
        var segmenter = segmenter(.fmp4)
        _ = segmenter.append(picture(0, isKeyframe: true))
        var other = Self.stream
        other.audio = []
        let ended = segmenter.change(to: other)
        _ = segmenter.append(picture(100, isKeyframe: true))
        let next = segmenter.end()
        #expect(ended?.duration.milliseconds == 100 && next?.isDiscontinuous == true && next?.header != ended?.header)
    }

    /// Returns the types of the top-level boxes (ISO/IEC 14496-12, 4.2).
    private func types(of bytes: [UInt8]) throws -> [String] {
        var types: [String] = []
        var position = 0
        while position + 8 <= bytes.count {
            let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            types.append(String(decoding: bytes[position + 4..<position + 8], as: UTF8.self))
            try #require(size >= 8)
            position += size
        }
        #expect(position == bytes.count)
        return types
    }
}
