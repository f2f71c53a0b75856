import Capture
import Encode
import Session
import SessionFakes
import TestSupport
import Testing

/// A source that hangs, as Xlib does while the X server is stopped.
struct StalledSourceTests {
    /// The description of the stage.
    private static let stage = SourceDescription(kind: .application, name: "stage")

    @Test func `Viewers get a repeat picture at every tick while the source hangs, and whole pictures after it`()
        async throws
    {
        let stage = Stage()
        let (live, encoded) = (FakeViewer("live"), FakeViewer("encoded"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), encoded.plan()], frames: 10, of: live)
        stage.hang(.sample)
        try await waitUntil("a grab that hangs") { stage.waiting == .sample }
        let last = stage.lastNumber
        // The last picture is on its way.
        try await waitUntil("the last picture") { live.video.last?.reading == .number(last) }
        let first = live.video.count
        try await live.waitForFrames(45)
        let repeats = live.video[first...].prefix(45)
        #expect(repeats.allSatisfy { $0.reading == .number(last) })
        // Each of them is one tick after the one before.
        let ticks = repeats.map { $0.time.value(timescale: 30) }
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 + 1 == $1 })
        let hung = session.snapshot()
        #expect(hung.state == .live)
        stage.release()
        try await waitUntil("new pictures") {
            if case .number(let number)? = live.video.last?.reading { number > last + 10 } else { false }
        }
        #expect(await session.stop().failure == nil)
        #expect(!live.video.contains { $0.reading == .unknown || $0.reading == .slate })
        #expect(zip(live.video, live.video.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(
            zip(encoded.video, encoded.video.dropFirst()).allSatisfy {
                $0.time < $1.time && $0.sequence + 1 == $1.sequence
            })
        let numbers = live.video.compactMap { if case .number(let number)? = $0.reading { number } else { nil } }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `Ticks that the source misses are filled, so that a stream without timestamps keeps its speed`()
        async throws
    {
        try await Self.expectFilledTicks(latency: .low)
    }

    fileprivate static func expectFilledTicks(latency: CodingOptions.Latency) async throws {
        let stage = Stage()
        let encoded = FakeViewer("encoded")
        var configuration = SessionConfiguration.silent(stage)
        configuration.media.coding.latency = latency
        let session = BroadcastSession(configuration: configuration, destinations: [encoded.plan()])
        try await session.start()
        try await encoded.waitForFrames(5)
        for _ in 0..<5 {
            stage.hang(.sample)
            try await waitUntil("a grab that hangs") { stage.waiting == .sample }
            // Less than a stall that the encoder covers at once.
            try await Task.sleep(for: .milliseconds(200))
            stage.release()
            try await encoded.waitForFrames(10)
        }
        _ = await session.stop()
        // With B pictures the order of decoding is another one.
        let ticks = encoded.video.map { $0.time.value(timescale: 30) }.sorted()
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 + 1 == $1 }, "\(ticks)")
    }

    @Test func `After a hang every picture has a tick of its own`() async throws {
        let stage = Stage()
        let live = FakeViewer("live")
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
        for _ in 0..<4 {
            stage.hang(.sample)
            let count = live.video.count
            try await waitUntil("a grab that hangs") { stage.waiting == .sample }
            try await waitUntil("repeat pictures") { live.video.count >= count + 10 }
            stage.release()
            try await live.waitForFrames(5)
        }
        _ = await session.stop()
        let ticks = live.video.map { $0.time.seconds * 30 }
        #expect(ticks.allSatisfy { abs($0 - $0.rounded()) < 0.001 })
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 - $0 > 0.999 })
    }

    @Test func `The session reports that the source hangs, and later that it answers`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        try await session.start()
        try await live.waitForFrames(5)
        stage.hang(.sample)
        try await waitUntil("the notice") { events.notices.contains(.pipeline(.sourceStalled(Self.stage))) }
        stage.release()
        try await waitUntil("the second notice") { events.notices.contains(.pipeline(.sourceAnswersAgain(Self.stage))) }
        _ = await session.stop()
    }

    @Test func `A session whose source hangs ends every destination properly`() async throws {
        try await withPeers { peers in
            let stage = Stage()
            let path = try peers.makeFolder("out") + "/out.mp4"
            let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
            let session = BroadcastSession(
                configuration: .silent(stage),
                destinations: [
                    live.plan(), recording.plan(.recording, kind: .file, media: .init()),
                    .file(name: "file", path: path, format: .mp4),
                ])
            try await session.start()
            try await recording.waitForFrames(30)
            stage.hang(.sample)
            try await waitUntil("a grab that hangs") { stage.waiting == .sample }
            let outcome = await session.stop()
            #expect(stage.waiting == .sample)
            #expect(outcome.failure == nil && outcome.destinations.map(\.state) == [.finished, .finished, .finished])
            #expect(live.calls.last == .finished(deadline: ShutdownTimetable.streamEnd))
            #expect(recording.calls.last == .finished(deadline: ShutdownTimetable.handlerFinish))
            try await MediaFile(path: path, peers: peers).expectDecodable()
            let frames = try await FrameDecoder(path).frames(in: peers)
            #expect(frames.count == recording.video.count)
            stage.release()
            try await waitUntil("the end of the source") { stage.openSources == 0 }
        }
    }

    @Test func `A session ends on request while the opening of its source hangs`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        stage.hang(.opening)
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        let starting = Task { try await session.start() }
        try await waitUntil("an opening that hangs") { stage.waiting == .opening }
        let outcome = await session.stop()
        try await starting.value
        #expect(outcome.failure == nil && session.state == .finished && live.calls.isEmpty)
        try await waitUntil("the end of the events") { events.isOver }
        #expect(events.states == [.finishing, .finished])
        // What opens after that is closed again.
        stage.release()
        try await waitUntil("the end of the capture thread") { stage.openSources == 0 && stage.waiting == nil }
        #expect(stage.paintings.isEmpty)
    }

    @Test func `A recording without viewers waits for a source that hangs, and continues after it`() async throws {
        let stage = Stage()
        let recording = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [recording.rawRecording()])
        let events = EventRecorder(session)
        try await session.start()
        try await recording.waitForFrames(5)
        stage.hang(.sample)
        try await waitUntil("the notice") { events.notices.contains(.pipeline(.sourceStalled(Self.stage))) }
        stage.release()
        try await recording.waitForFrames(5)
        _ = await session.stop()
        #expect(!recording.video.contains { $0.reading == .unknown || $0.reading == .slate })
    }

    @Test func `A still picture that hangs is whole when something joins after the hang`() async throws {
        let stage = Stage()
        let live = FakeViewer("live")
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
        stage.freeze()
        try await live.waitForFrames(5)
        stage.hang(.sample)
        try await waitUntil("a grab that hangs") { stage.waiting == .sample }
        #expect(session.pause())
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        #expect(session.resume())
        stage.release()
        // Nothing changes on the screen any more, and viewers see it nevertheless.
        try await waitUntil("the picture") { live.video.last?.reading == .number(stage.lastNumber) }
        try await live.waitForFrames(10)
        #expect(live.video.last?.reading == .number(stage.lastNumber))
        _ = await session.stop()
    }
}

/// How long the end takes while the source hangs, and ticks that are filled only by an encoder that is scheduled in
/// time.
struct StalledSourceTimingTests {
    /// An encoder that is not scheduled for a quarter of a second leaves ticks out.
    @Test func `Ticks that the source misses are filled in a stream with B pictures too`() async throws {
        try await StalledSourceTests.expectFilledTicks(latency: .normal)
    }

    @Test(arguments: [Stage.Place.opening, .sample, .rest])
    func `A session whose source hangs ends within two seconds`(place: Stage.Place) async throws {
        let stage = Stage()
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        if place == .opening { stage.hang(.opening) }
        let session = BroadcastSession(
            configuration: .silent(stage),
            destinations: [live.plan(), recording.plan(.recording, kind: .file, media: .init())])
        let starting = Task { try await session.start() }
        if place != .opening {
            try await waitUntil("frames") { live.video.count > 5 }
            stage.hang(place)
            if place == .rest { #expect(session.pause()) }
        }
        try await waitUntil("a source that hangs") { stage.waiting == place }
        let start = ContinuousClock.now
        let outcome = await session.stop()
        #expect(ContinuousClock.now - start < .seconds(2))
        try await starting.value
        #expect(outcome.failure == nil)
        if place != .opening { #expect(outcome.destinations.map(\.state) == [.finished, .finished]) }
        stage.release()
    }
}
