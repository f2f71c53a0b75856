import Media
import Pipeline
import SessionFakes
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
        buffer.forget(rules: 1)
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        // Until a picture follows the rule, nothing is kept, also no keyframe.
        buffer.push(videoPacket(90, isKeyframe: true, bytes: 100))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        buffer.keep(rules: 1, after: MediaTime(value: 95, timescale: 30))
        // What the encoder still had.
        for index in 91...95 { buffer.push(videoPacket(index, isKeyframe: index == 94, bytes: 100)) }
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        for index in 96...100 { buffer.push(videoPacket(index, isKeyframe: index == 96, bytes: 100)) }
        let excerpt = try #require(buffer.excerpt(last: MediaTime(milliseconds: 60_000)))
        #expect(excerpt.packets.count == 5 && excerpt.start == MediaTime(value: 96, timescale: 30))
    }

    @Test func `A request to forget what is forgotten already does not end the clips`() {
        let buffer = buffer(length: 60_000, seconds: 3)
        // A rule of the start is hidden again: the clips never had it.
        buffer.forget(rules: 0)
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 60_000))?.start == .zero)
        buffer.forget(rules: 1)
        buffer.keep(rules: 1, after: nil)
        for index in 90...100 { buffer.push(videoPacket(index, isKeyframe: index == 90, bytes: 100)) }
        buffer.forget(rules: 1)
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 60_000))?.start == MediaTime(milliseconds: 3000))
    }

    @Test func `Clips do not begin again with a picture that follows only an earlier rule`() {
        let buffer = buffer(length: 60_000, seconds: 3)
        buffer.forget(rules: 1)
        buffer.forget(rules: 2)
        buffer.keep(rules: 1, after: nil)
        buffer.push(videoPacket(90, isKeyframe: true, bytes: 100))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 60_000)) == nil)
        buffer.keep(rules: 2, after: nil)
        // The request of the earlier rule was late.
        buffer.forget(rules: 1)
        buffer.push(videoPacket(120, isKeyframe: true, bytes: 100))
        buffer.push(videoPacket(121, bytes: 100))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 60_000))?.start == MediaTime(milliseconds: 4000))
    }

    @Test func `Without a picture there is no excerpt`() {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 5000))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        buffer.push(soundPacket(at: .zero))
        buffer.push(videoPacket(0))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
    }

    @Test func `One picture has no duration, so it is no excerpt, and a keyframe at the end does not begin one`() {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 5000))
        buffer.push(videoPacket(0, isKeyframe: true))
        #expect(buffer.excerpt(last: MediaTime(milliseconds: 1000)) == nil)
        buffer.push(videoPacket(30, isKeyframe: true))
        #expect(buffer.excerpt(last: .zero)?.duration == MediaTime(milliseconds: 1000))
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
                EncodedPacket(
                    track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(index),
                    data: data))
        }
        let excerpt = try #require(buffer.excerpt(last: MediaTime(milliseconds: 3_600_000)))
        #expect(excerpt.packets.count == 8 && excerpt.packets.first?.sequence == 4)
    }

    @Test func `A pause is left out of a clip, and the clip says when it began in the session`() throws {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 60_000))
        func push(_ ticks: Range<Int>, isKeyframe: (Int) -> Bool) {
            for index in ticks {
                buffer.push(videoPacket(index, isKeyframe: isKeyframe(index)))
                buffer.push(soundPacket(at: MediaTime(value: Int64(index), timescale: 30), sequence: index))
            }
        }
        push(0..<60) { $0 % 30 == 0 }
        buffer.note(.paused(at: MediaTime(milliseconds: 2000)))
        push(60..<120) { $0 % 30 == 0 }
        // During the pause, the clip is what was before it.
        let during = try #require(buffer.excerpt(last: MediaTime(milliseconds: 60_000)))
        #expect(during.start == .zero && during.packets.map(\.sequence).max() == 59)
        buffer.note(.resumed(at: MediaTime(milliseconds: 4000)))
        push(120..<180) { $0 % 30 == 0 }
        let all = try #require(buffer.excerpt(last: MediaTime(milliseconds: 60_000)))
        #expect(all.packets.count == 240 && all.duration == MediaTime(value: 119, timescale: 30))
        let times = all.packets.filter { $0.track == .screen }.map(\.presentationTime.milliseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { (33...34).contains($1 - $0) })
        // A part of both sides, and a part after the pause.
        let both = try #require(buffer.excerpt(last: MediaTime(milliseconds: 2500)))
        #expect(both.start == MediaTime(milliseconds: 1000) && both.packets.count == 180)
        let after = try #require(buffer.excerpt(last: MediaTime(milliseconds: 500)))
        #expect(after.start == MediaTime(milliseconds: 5000) && after.packets.first?.presentationTime == .zero)
    }

    @Test func `Sound that arrives before its picture is in the clip, and none after the last picture`() throws {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 60_000))
        // The encoder has a lookahead of ten pictures.
        for index in 0..<100 {
            buffer.push(soundPacket(at: MediaTime(value: Int64(index), timescale: 30), sequence: index))
            if index >= 10 { buffer.push(videoPacket(index - 10, isKeyframe: (index - 10) % 30 == 0)) }
        }
        let excerpt = try #require(buffer.excerpt(last: MediaTime(milliseconds: 1000)))
        // The last picture is 89, and the keyframe a second before it is 30.
        #expect(excerpt.start == MediaTime(milliseconds: 1000))
        for track in [Track.screen, .mixed] {
            #expect(excerpt.packets.filter { $0.track == track }.map(\.sequence) == Array(30...89))
        }
    }

    @Test func `A clip that had to wait ends when it was asked for`() throws {
        let buffer = buffer(length: 60_000, seconds: 10)
        let excerpt = try #require(
            buffer.excerpt(last: MediaTime(milliseconds: 1500), until: MediaTime(milliseconds: 5000)))
        #expect(excerpt.start == MediaTime(milliseconds: 3000) && excerpt.duration == MediaTime(milliseconds: 2000))
        #expect(excerpt.packets.last?.sequence == 150)
        #expect(
            buffer.excerpt(last: .zero, until: MediaTime(milliseconds: 20_000))?.start == MediaTime(milliseconds: 9000))
    }

    @Test func `Sound from before the first keyframe is omitted, even if it arrives later`() throws {
        let buffer = ClipBuffer(length: MediaTime(milliseconds: 60_000))
        buffer.push(videoPacket(0, isKeyframe: true))
        buffer.push(videoPacket(30, isKeyframe: true))
        buffer.push(videoPacket(31))
        // The mixer is behind the encoder.
        buffer.push(soundPacket(at: MediaTime(milliseconds: 900)))
        buffer.push(soundPacket(at: MediaTime(milliseconds: 1000)))
        let excerpt = try #require(buffer.excerpt(last: .zero))
        #expect(
            excerpt.packets.map(\.track) == [.screen, .screen, .mixed]
                && excerpt.packets.first?.presentationTime == .zero && excerpt.packets.last?.presentationTime == .zero)
    }
}
