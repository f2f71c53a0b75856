import Destinations
import Media
import Testing

/// What is kept of the past, and what is cut out of it.
struct ClipBufferTests {
    /// 30 pictures a second with a keyframe each second, and a packet of sound with each picture.
    private func buffer(length: Int64, seconds: Int, bytes: Int = 100) -> ClipBuffer {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: length))
        for index in 0..<seconds * 30 {
            buffer.push(videoPacket(index, isKeyframe: index % 30 == 0, bytes: bytes))
            buffer.push(soundPacket(at: MediaTime(value: Int64(index), timescale: 30), sequence: index))
        }
        return buffer
    }

    @Test func `Clips begin with the first keyframe after what was hidden`() throws {
        let buffer = buffer(length: 60_000, seconds: 3)
        buffer.forget()
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        // Until a picture follows the rule, nothing is kept, also no keyframe.
        buffer.push(videoPacket(90, isKeyframe: true, bytes: 100))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        buffer.keep(after: MediaTime(value: 95, timescale: 30))
        // What the encoder still had.
        for index in 91...95 { buffer.push(videoPacket(index, isKeyframe: index == 94, bytes: 100)) }
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        for index in 96...100 { buffer.push(videoPacket(index, isKeyframe: index == 96, bytes: 100)) }
        let excerpt = try #require(buffer.excerpt(last: MediaTime(milliseconds: 60_000)))
        #expect(excerpt.packets.count == 5 && excerpt.start == MediaTime(value: 96, timescale: 30))
    }

    @Test func `Without a picture there is no excerpt`() {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 5000))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        buffer.push(soundPacket(at: .zero))
        buffer.push(videoPacket(0))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
    }

    @Test func `An excerpt begins with the keyframe before the wanted stretch, at time zero`() throws {
        let excerpt = try #require(buffer(length: 60_000, seconds: 10).excerpt(last: MediaTime(milliseconds: 2500)))
        // The last picture is at 9.967 s, so 2.5 s before it is 7.467 s, and the keyframe before that is at 7 s.
        #expect(excerpt.start == MediaTime(milliseconds: 7000))
        #expect(excerpt.duration == MediaTime(value: 299, timescale: 30) - MediaTime(milliseconds: 7000))
        let first = try #require(excerpt.packets.first)
        #expect(first.isKeyframe && first.track == .screen && first.presentationTime == .zero && first.sequence == 210)
        #expect(excerpt.packets.count == 180 && excerpt.packets.allSatisfy { $0.presentationTime >= .zero })
    }

    @Test func `An excerpt that is longer than the buffer contains all of it`() throws {
        let excerpt = try #require(buffer(length: 60_000, seconds: 3).excerpt(last: MediaTime(milliseconds: 100_000)))
        #expect(excerpt.start == .zero && excerpt.packets.count == 180)
    }

    @Test func `An excerpt of length zero contains the last group of pictures`() throws {
        let excerpt = try #require(buffer(length: 60_000, seconds: 3).excerpt(last: .zero))
        #expect(excerpt.start == MediaTime(milliseconds: 2000))
    }

    @Test func `Packets that are older than the length are dropped in whole groups of pictures`() throws {
        let excerpt = try #require(buffer(length: 4000, seconds: 20).excerpt(last: MediaTime(milliseconds: 100_000)))
        let first = try #require(excerpt.packets.first)
        #expect(first.isKeyframe)
        // At the last keyframe, 19 s, everything from 15 s on is needed.
        #expect(excerpt.start == MediaTime(milliseconds: 15_000))
        #expect(excerpt.duration >= MediaTime(milliseconds: 4000))
    }

    @Test func `The memory is limited also if the pictures are large`() throws {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 3_600_000))
        let data = [UInt8](repeating: 0, count: 64 << 20)
        for index in 0..<12 {
            let time = MediaTime(milliseconds: Int64(index) * 1000)
            buffer.push(
                EncodedPacket(track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(index), data: data))
        }
        let excerpt = try #require(buffer.excerpt(last: MediaTime(milliseconds: 3_600_000)))
        #expect(excerpt.packets.count == 8 && excerpt.packets.first?.sequence == 4)
    }

    @Test func `Sound from before the first keyframe is omitted, even if it arrives later`() throws {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 60_000))
        buffer.push(videoPacket(0, isKeyframe: true))
        buffer.push(videoPacket(30, isKeyframe: true))
        // The mixer is behind the encoder.
        buffer.push(soundPacket(at: MediaTime(milliseconds: 900)))
        buffer.push(soundPacket(at: MediaTime(milliseconds: 1000)))
        let excerpt = try #require(buffer.excerpt(last: .zero))
        #expect(excerpt.packets.map(\.track) == [.screen, .mixed] && excerpt.packets.map(\.presentationTime) == [.zero, .zero])
    }
}
