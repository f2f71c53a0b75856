import Media
import Testing

@Suite struct PauseTimelineTests {
    private func packet(_ track: Track, at milliseconds: Int64, isKeyframe: Bool = false) -> EncodedPacket {
        let time = MediaTime(milliseconds: milliseconds)
        return EncodedPacket(
            track: track, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, sequence: 0, data: [1])
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

    /// Pictures at 25 per second with two B-frames, in decode order, from tick `first` on: IDR, P, B, B, P, B, B.
    private func reordered(from first: Int64, at rate: Int64 = 25, previous: [Int64]) -> [EncodedPacket] {
        let display = previous + (first..<first + 7)
        return ([0, 3, 1, 2, 6, 4, 5] as [Int64]).enumerated().map { index, offset in
            let shown = MediaTime(value: first + offset, timescale: rate)
            return EncodedPacket(
                track: .screen, presentationTime: shown, decodeTime: MediaTime(value: display[index], timescale: rate),
                isKeyframe: index == 0,
                sequence: 0, data: [1])
        }
    }

    @Test func `after a cut, reordered pictures have increasing decode times, and none is decoded after it is shown`() {
        var timeline = PauseTimeline()
        var placed = reordered(from: 0, previous: [-2, -1]).compactMap { timeline.place($0) }
        timeline.pause(at: MediaTime(value: 7, timescale: 25))
        // The slate has few pictures, as with variable pacing.
        let slate = ([7, 12] as [Int64]).map { MediaTime(value: $0, timescale: 25) }
        for (index, time) in slate.enumerated() {
            let packet = EncodedPacket(
                track: .screen, presentationTime: time, decodeTime: MediaTime(value: Int64(index) + 5, timescale: 25),
                isKeyframe: index == 0,
                sequence: 0, data: [1])
            #expect(timeline.place(packet) == nil)
        }
        timeline.resume(at: MediaTime(value: 20, timescale: 25))
        placed += reordered(from: 20, previous: [7, 12]).compactMap { timeline.place($0) }
        #expect(
            placed.map { $0.presentationTime.value(timescale: 25) } == [0, 3, 1, 2, 6, 4, 5, 7, 10, 8, 9, 13, 11, 12])
        #expect(placed.map { $0.decodeTime.value(timescale: 25) } == Array(-2...11))
        #expect(placed.allSatisfy { $0.decodeTime <= $0.presentationTime })
    }

    @Test func `pictures are removed in decode order`() {
        var timeline = PauseTimeline()
        #expect(timeline.place(packet(.screen, at: 900, isKeyframe: true)) != nil)
        timeline.pause(at: MediaTime(milliseconds: 1000))
        #expect(timeline.place(packet(.screen, at: 1040)) == nil)
        // It is shown before the pause, but refers to the removed picture.
        #expect(timeline.place(packet(.screen, at: 980)) == nil)
        timeline.resume(at: MediaTime(milliseconds: 2000))
        #expect(timeline.place(packet(.screen, at: 1990)) == nil)
        #expect(timeline.place(packet(.screen, at: 2000, isKeyframe: true))?.presentationTime.milliseconds == 1000)
        #expect(timeline.place(packet(.screen, at: 2040))?.presentationTime.milliseconds == 1040)
    }

    @Test func `sound that would overlap the sound before the cut is left out`() {
        var timeline = PauseTimeline()
        func sound(_ index: Int64) -> EncodedPacket {
            let time = MediaTime(value: index * 1024, timescale: 48_000)
            return EncodedPacket(
                track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: 0, data: [1])
        }
        var placed: [EncodedPacket] = []
        for pause in [(start: 1000, end: 2033), (start: 3000, end: 3267)] as [(start: Int64, end: Int64)] {
            timeline.pause(at: MediaTime(milliseconds: pause.start))
            timeline.resume(at: MediaTime(milliseconds: pause.end))
            #expect(timeline.place(packet(.screen, at: pause.end, isKeyframe: true)) != nil)
        }
        for index in 0..<235 as Range<Int64> { if let packet = timeline.place(sound(index)) { placed.append(packet) } }
        let steps = zip(placed, placed.dropFirst()).map { ($1.presentationTime - $0.presentationTime).seconds }
        #expect(placed.count > 160)
        #expect(steps.allSatisfy { $0 > 0.0203 && $0 < 0.0428 }, "\(steps.min() ?? 0) to \(steps.max() ?? 0)")
    }
}
