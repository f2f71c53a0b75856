import Concurrency
import Media
import Pipeline
import Session
import SessionFakes
import TestSupport
import Testing

/// A source that waits for changes: each one is the picture of the tick before it, so that it is sent at once.
struct ChangeTimeTests {
    @Test func `A change between two ticks is the picture of the first one`() async throws {
        let stage = Stage()
        stage.announceChanges()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage, frameRate: 5), destinations: [live.livePlan()])
        try await session.start()
        try await waitUntil("the first picture") { live.video.last?.reading == .number(0) }
        var early = 0
        for number in 1...9 {
            // The repeat picture of a tick arrives at its end, so the next tick has no picture yet.
            try await live.waitForFrames(1)
            stage.change()
            let change = session.snapshot().elapsed
            try await waitUntil("picture \(number)") { live.video.contains { $0.reading == .number(number) } }
            let picture = try #require(live.video.first { $0.reading == .number(number) })
            if picture.time <= change { early += 1 }
        }
        // A busy machine can notice a change only in the next tick.
        #expect(early >= 5, "\(early) of 9 pictures are in the tick of their change")
        _ = await session.stop()
        // Constant pacing: each tick has one picture.
        let ticks = live.video.map { $0.time.value(timescale: 5) }
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Starts a session of 60 ticks a second, and waits for the first frames.
    private func start(
        _ stage: Stage, _ viewer: FakeViewer, encoded: FakeViewer? = nil, pacing: FramePacer.Mode = .variable,
        frames: Int
    ) async throws -> BroadcastSession {
        var configuration = SessionConfiguration.silent(stage, frameRate: 60)
        configuration.media.pacing = pacing
        let session = BroadcastSession(
            configuration: configuration, destinations: [viewer.livePlan()] + (encoded.map { [$0.plan()] } ?? []))
        try await session.start()
        try await viewer.waitForFrames(frames)
        return session
    }

    /// Expects that each tick has a frame. A tick that a busy machine misses is filled in an encoded stream only, and
    /// not if the slate begins or ends there: neither it nor the picture may stand for the other.
    ///
    /// - Parameter shown: a viewer of raw pictures of the same session.
    private func expectEachTick(
        _ viewer: FakeViewer, beside shown: FakeViewer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let ticks = viewer.video.map { $0.time.value(timescale: 60) }
        let pictures = shown.video.map { (tick: $0.time.value(timescale: 60), isSlate: $0.reading == .slate) }
        let wrong = zip(ticks, ticks.dropFirst()).filter { one, next in
            let before = pictures.last { $0.tick <= one }
            let after = pictures.first { $0.tick >= next }
            return one + 1 != next && before?.isSlate == after?.isSlate
        }
        #expect(wrong.isEmpty && ticks.count > 60, "\(wrong)", sourceLocation: sourceLocation)
    }

    @Test func `A change that nothing reported is shown when the source looks again`() async throws {
        let stage = Stage()
        stage.announceChanges()
        stage.lookAgain()
        let viewer = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage, frameRate: 30), destinations: [viewer.livePlan()])
        try await session.start()
        try await viewer.waitForFrames(5)
        #expect(viewer.video.allSatisfy { $0.reading == .number(0) })
        stage.changeUnnoticed()
        try await waitUntil("the change") { viewer.video.last?.reading == .number(1) }
        _ = await session.stop()
        let numbers = viewer.video.map(\.reading)
        #expect(numbers.drop { $0 == .number(0) }.allSatisfy { $0 == .number(1) }, "the old picture came back")
    }

    /// - Parameter looksAgain: true if the source returns its picture at each look, without a report of a change.
    @Test(arguments: [FramePacer.Mode.variable, .constant], [false, true])
    func `A source that announces changes is asked less often while nothing changes`(
        pacing: FramePacer.Mode, looksAgain: Bool
    ) async throws {
        let stage = Stage()
        stage.announceChanges()
        if looksAgain { stage.lookAgain() }
        let viewer = FakeViewer()
        let encoded = FakeViewer("encoded")
        let session = try await start(stage, viewer, encoded: encoded, pacing: pacing, frames: 1)
        func elapsed() -> Double { session.snapshot().elapsed.seconds }
        // The picture settles first, which takes longer on a busy machine.
        try await waitUntil("a second with less than 20 looks") {
            let (start, looks) = (elapsed(), stage.lookTimes.count)
            try await waitUntil("a second") { elapsed() > start + 1 }
            return Double(stage.lookTimes.count - looks) / (elapsed() - start) < 20
        }
        // The picture still shows that the stream continues, and a change ends the rest.
        let shown = viewer.video.count
        try await waitUntil("more frames") { viewer.video.count >= shown + 2 }
        stage.change()
        try await waitUntil("the change") { viewer.video.last?.reading == .number(1) }
        // So it does in a pause, and while the desktop is locked. Their ends are shown although nothing changes.
        for withhold in [{ _ = $0 ? session.pause() : session.resume() }, { session.setDesktopLocked($0) }]
            as [(Bool) -> Void]
        {
            withhold(true)
            try await waitUntil("the slate") { viewer.video.last?.reading == .slate }
            try await waitUntil("a second with less than 20 rests") {
                let (start, rests) = (elapsed(), stage.rests)
                try await waitUntil("a second") { elapsed() > start + 1 }
                return Double(stage.rests - rests) / (elapsed() - start) < 20
            }
            withhold(false)
            try await waitUntil("the picture") { viewer.video.last?.reading == .number(1) }
        }
        _ = await session.stop()
        // Also the ticks in which the source was not asked.
        if pacing == .constant { expectEachTick(encoded, beside: viewer) }
    }

    @Test func `A pause and a change in a rest with constant pacing are shown in order`() async throws {
        let stage = Stage()
        stage.announceChanges()
        let (live, recording, encoded) = (FakeViewer("live"), FakeViewer("recording"), FakeViewer("encoded"))
        var configuration = SessionConfiguration.silent(stage, frameRate: 60)
        configuration.media.pacing = .constant
        let session = BroadcastSession(
            configuration: configuration, destinations: [live.livePlan(), recording.rawRecording(), encoded.plan()])
        try await session.start()
        for number in 1...8 {
            try await waitUntil("a rest") {
                let looks = stage.lookTimes.count
                try await live.waitForFrames(30)
                return stage.lookTimes.count - looks < 20
            }
            if number % 2 == 0 {
                #expect(session.pause())
                try await waitUntil("the slate") { live.video.last?.reading == .slate }
                stage.change()
                try await live.waitForFrames(75)
                #expect(session.resume())
            } else {
                stage.change()
            }
            try await waitUntil("picture \(number)") { live.video.last?.reading == .number(number) }
        }
        _ = await session.stop()
        #expect(recording.video.allSatisfy { $0.reading != .slate && $0.reading != .unknown })
        expectEachTick(encoded, beside: live)
        for viewer in [live, recording] {
            #expect(zip(viewer.video, viewer.video.dropFirst()).allSatisfy { $0.time < $1.time }, "\(viewer.name)")
            let numbers = viewer.video.compactMap { if case .number(let number) = $0.reading { number } else { nil } }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 }, "\(viewer.name)")
        }
    }

    @Test(arguments: [1, 2, 5]) func `With variable pacing, a still picture lasts as long as the broadcast`(frames: Int)
        async throws
    {
        let stage = Stage()
        stage.freeze()
        let viewer = FakeViewer()
        let session = try await start(stage, viewer, frames: frames)
        // A frame follows only 200 ms after the last one.
        let shown = try #require(stage.lookTimes.last)
        try await waitUntil("more ticks") {
            stage.lookTimes.last.map { $0 > shown + MediaTime(milliseconds: 50) } ?? false
        }
        _ = await session.stop()
        // What the source showed at the end of the session is not shown.
        let last = try #require(viewer.video.last?.time)
        #expect(stage.lookTimes.suffix(2).contains(last))
    }

    @Test func `A pause while a tick waits for a change puts no slate into a recording`() async throws {
        let stage = Stage()
        stage.announceChanges()
        stage.withholdAtRests()
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = BroadcastSession(
            configuration: .silent(stage, frameRate: 5), destinations: [live.livePlan(), recording.rawRecording()])
        try await session.start()
        for _ in 0..<3 {
            try await live.waitForFrames(2)
            #expect(session.pause())
            stage.change()
            try await waitUntil("the slate") { live.video.last?.reading == .slate }
            #expect(session.resume())
            try await waitUntil("a picture") { live.video.last?.reading != .slate }
        }
        _ = await session.stop()
        #expect(recording.video.allSatisfy { $0.reading != .slate && $0.reading != .unknown })
    }

    @Test func `A source that needs time after a pause gets it at a low rate too`() async throws {
        let stage = Stage()
        stage.delayResume(by: MediaTime(milliseconds: 200))
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage, frameRate: 2), destinations: [live.livePlan()])
        try await session.start()
        try await live.waitForFrames(1)
        for round in 1...2 {
            #expect(session.pause())
            try await waitUntil("the slate") { live.video.last?.reading == .slate }
            #expect(session.resume())
            try await waitUntil("a picture") { live.video.last?.reading != .slate }
            #expect(stage.preparations >= round)
        }
        _ = await session.stop()
    }

    @Test func `A pause, a lock and the end do not wait for a change`() async throws {
        let stage = Stage()
        stage.announceChanges()
        let live = FakeViewer()
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 3, of: live)
        #expect(session.pause())
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        #expect(session.resume())
        // The picture that did not change is shown again.
        try await waitUntil("the picture") { live.video.last?.reading == .number(0) }
        stage.lock(true)
        try await waitUntil("the slate of the lock") { live.video.last?.reading == .slate }
        stage.lock(false)
        try await waitUntil("the picture after the lock") { live.video.last?.reading == .number(0) }
        #expect(await session.stop().failure == nil)
        #expect(!live.video.contains { $0.reading == .unknown })
    }
}
