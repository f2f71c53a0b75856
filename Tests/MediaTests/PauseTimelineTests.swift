import Media
import Testing

@Suite struct PauseTimelineTests {
    private func packet(_ track: Track, at milliseconds: Int64, isKeyframe: Bool = false) -> EncodedPacket {
        let time = MediaTime(milliseconds: milliseconds)
        return EncodedPacket(track: track, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, sequence: 0, data: [1])
    }

    @Test func `without a pause, packets keep their time`() {
        var timeline = PauseTimeline()
        #expect(timeline.place(packet(.screen, at: 40))?.presentationTime.milliseconds == 40)
    }

    @Test func `a paused interval is removed up to the first keyframe after it`() {
        var timeline = PauseTimeline()
        timeline.pause(at: MediaTime(milliseconds: 1000))
        #expect(timeline.place(packet(.screen, at: 990))?.presentationTime.milliseconds == 990)
        #expect(timeline.place(packet(.screen, at: 1000)) == nil)
        timeline.resume(at: MediaTime(milliseconds: 5000))
        #expect(timeline.place(packet(.screen, at: 4900, isKeyframe: true)) == nil)
        #expect(timeline.place(packet(.screen, at: 5010)) == nil)
        #expect(timeline.place(packet(.screen, at: 5040, isKeyframe: true))?.presentationTime.milliseconds == 1000)
        #expect(timeline.place(packet(.screen, at: 5073))?.presentationTime.milliseconds == 1033)
    }

    @Test func `late audio is classified by its own time`() {
        var timeline = PauseTimeline()
        timeline.pause(at: MediaTime(milliseconds: 1000))
        timeline.resume(at: MediaTime(milliseconds: 3000))
        _ = timeline.place(packet(.screen, at: 3000, isKeyframe: true))
        #expect(timeline.place(packet(.mixed, at: 980, isKeyframe: true))?.presentationTime.milliseconds == 980)
        #expect(timeline.place(packet(.mixed, at: 2990, isKeyframe: true)) == nil)
        #expect(timeline.place(packet(.mixed, at: 3010, isKeyframe: true))?.presentationTime.milliseconds == 1010)
    }

    @Test func `several pauses add up`() {
        var timeline = PauseTimeline()
        for second in [1, 3] as [Int64] {
            timeline.pause(at: MediaTime(milliseconds: second * 1000))
            timeline.resume(at: MediaTime(milliseconds: second * 1000 + 500))
            _ = timeline.place(packet(.screen, at: second * 1000 + 500, isKeyframe: true))
        }
        #expect(timeline.place(packet(.screen, at: 4000))?.presentationTime.milliseconds == 3000)
        #expect(timeline.place(packet(.mixed, at: 2000, isKeyframe: true))?.presentationTime.milliseconds == 1500)
    }
}
