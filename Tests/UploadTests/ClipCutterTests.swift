import Media
import Testing
import Upload

/// The assignment of packets to clips.
struct ClipCutterTests {
    private func picture(_ milliseconds: Int64, isKeyframe: Bool = false) -> EncodedPacket {
        let time = MediaTime(milliseconds: milliseconds)
        return EncodedPacket(
            track: .screen, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe,
            sequence: UInt32(milliseconds), data: [])
    }

    private func sound(_ milliseconds: Int64) -> EncodedPacket {
        let time = MediaTime(milliseconds: milliseconds)
        return EncodedPacket(
            track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(milliseconds),
            data: [])
    }

    @Test func `A clip starts with a keyframe and ends at the first one after its length`() {
        var cutter = ClipCutter(length: MediaTime(milliseconds: 1000), hasSound: false)
        #expect(cutter.append(picture(0)) == [])
        #expect(
            cutter.append(picture(100, isKeyframe: true)) == [
                .begin(MediaTime(milliseconds: 100)), .append(picture(100)),
            ])
        #expect(cutter.append(picture(1000, isKeyframe: true)) == [.append(picture(1000))])
        #expect(cutter.append(picture(1200)) == [.append(picture(1200))])
        let time = MediaTime(milliseconds: 1300)
        #expect(cutter.append(picture(1300, isKeyframe: true)) == [.end(time), .begin(time), .append(picture(1300))])
        #expect(cutter.finish() == [.end(time)])
        #expect(cutter.finish() == [])
    }

    @Test func `Late sound belongs to the clip of its time`() {
        var cutter = ClipCutter(length: MediaTime(milliseconds: 1000), hasSound: true)
        _ = cutter.append(picture(0, isKeyframe: true))
        let time = MediaTime(milliseconds: 1000)
        #expect(cutter.append(picture(1000, isKeyframe: true)) == [])
        #expect(cutter.append(sound(980)) == [.append(sound(980))])
        #expect(cutter.append(picture(1033)) == [])
        #expect(
            cutter.append(sound(1001)) == [
                .end(time), .begin(time), .append(picture(1000)), .append(picture(1033)), .append(sound(1001)),
            ])
    }

    @Test func `Sound that arrives before its picture belongs to the clip of its time`() {
        var cutter = ClipCutter(length: MediaTime(milliseconds: 1000), hasSound: true)
        var steps = cutter.append(sound(20))
        steps += cutter.append(picture(0, isKeyframe: true))
        for time: Int64 in [400, 700] { steps += cutter.append(sound(time)) }
        steps += cutter.append(picture(600))
        for time: Int64 in [990, 1010] { steps += cutter.append(sound(time)) }
        steps += cutter.append(picture(1000, isKeyframe: true))
        steps += cutter.append(sound(1300))
        steps += cutter.append(picture(1400))
        steps += cutter.finish()
        let (first, second) = (MediaTime(milliseconds: 1000), MediaTime(milliseconds: 1400))
        #expect(
            steps == [
                .begin(.zero), .append(picture(0)), .append(picture(600)), .append(sound(20)), .append(sound(400)),
                .append(sound(700)),
                .append(sound(990)), .end(first),
                .begin(first), .append(picture(1000)), .append(picture(1400)), .append(sound(1010)),
                .append(sound(1300)), .end(second),
            ], "\(steps)")
    }

    @Test func `Missing sound does not delay a clip`() {
        var cutter = ClipCutter(length: MediaTime(milliseconds: 1000), hasSound: true)
        _ = cutter.append(picture(0, isKeyframe: true))
        #expect(cutter.append(picture(1000, isKeyframe: true)) == [])
        #expect(cutter.append(picture(1400)) == [])
        #expect(cutter.append(picture(1600)).count == 5)
        #expect(cutter.finish() == [.end(MediaTime(milliseconds: 1600))])
    }
}
