import Concurrency
import ContentCapture
import Media
import Session
import SessionFakes
import Synchronization
import TestSupport
import Testing

/// What viewers and recordings get around a pause: the pictures are numbered, so that each one can be told from those
/// before the pause.
struct SessionPauseTests {
    /// The numbers that were painted between two moments of `CLOCK_MONOTONIC`.
    private func painted(_ stage: Stage, from start: Int64, to end: Int64 = .max) -> Set<Int> {
        Set(stage.paintings.filter { $0.time > start && $0.time < end }.map(\.number))
    }

    private func numbers(_ viewer: FakeViewer) -> [Int] {
        viewer.video.compactMap { if case .number(let number)? = $0.reading { number } else { nil } }
    }

    /// The readings of the frames between the calls `paused` and `resumed`, and of the others.
    private func readings(_ viewer: FakeViewer) -> (paused: [NumberedPicture.Reading], shown: [NumberedPicture.Reading])
    {
        var isPaused = false
        var result: (paused: [NumberedPicture.Reading], shown: [NumberedPicture.Reading]) = ([], [])
        for call in viewer.calls {
            switch call {
            case .paused: isPaused = true
            case .resumed: isPaused = false
            case .packet(let packet):
                guard let reading = packet.reading else { continue }
                if isPaused { result.paused.append(reading) } else { result.shown.append(reading) }
            default: break
            }
        }
        return result
    }

    @Test
    func
        `After pause returns no viewer and no recording gets a picture that was painted later, and viewers get the slate`()
        async throws
    {
        let stage = Stage()
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), recording.rawRecording()], frames: 5, of: live)
        #expect(session.pause())
        let pause = SessionClock.monotonic()
        #expect(session.state == .paused)
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        try await live.waitForFrames(5)
        let resume = SessionClock.monotonic()
        #expect(session.resume())
        try await waitUntil("new pictures") {
            (numbers(live).last ?? 0) >= stage.lastNumber - 2 && live.calls.contains(.resumed)
        }
        try await live.waitForFrames(5)
        #expect(await session.stop().failure == nil)
        let hidden = painted(stage, from: pause, to: resume)
        for viewer in [live, recording] {
            #expect(hidden.isDisjoint(with: numbers(viewer)))
            #expect(viewer.lifecycle.map { "\($0)".prefix(7) } == ["started", "paused", "resumed", "finishe"])
        }
        #expect(readings(live).paused.allSatisfy { $0 == .slate } && readings(live).paused.count >= 5)
        #expect(!readings(live).shown.contains(.slate) && !readings(live).shown.contains(.unknown))
        #expect(readings(recording).paused.isEmpty && !readings(recording).shown.contains(.slate))
        #expect(!readings(recording).shown.contains(.unknown))
    }

    @Test func `A picture that is painted after a request to pause is never sent, even if its grab began before`()
        async throws
    {
        for isLive in [false, true] {
            let stage = Stage()
            let viewer = FakeViewer()
            let plan = isLive ? viewer.livePlan() : viewer.rawRecording()
            let session = try await BroadcastSession.started(stage, [plan], frames: 3, of: viewer)
            stage.hang(.sample)
            try await waitUntil("a grab that hangs") { stage.waiting == .sample }
            #expect(session.pause())
            let pause = SessionClock.monotonic()
            stage.release()
            try await waitUntil("ticks of the pause") { stage.rests >= 5 }
            let resume = SessionClock.monotonic()
            #expect(session.resume())
            try await waitUntil("the end of the pause") {
                viewer.calls.contains(.resumed) && viewer.calls.last?.packet != nil
            }
            _ = await session.stop()
            let hidden = painted(stage, from: pause, to: resume)
            #expect(!hidden.isEmpty)
            #expect(hidden.isDisjoint(with: numbers(viewer)), "live: \(isLive)")
            #expect(!readings(viewer).shown.contains(.slate))
        }
    }

    @Test func `A pause lasts until its source can show a picture, and files have no slate`() async throws {
        let stage = Stage()
        stage.delayResume(by: MediaTime(milliseconds: 200))
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), recording.rawRecording()], frames: 3, of: live)
        #expect(session.pause())
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        let resume = SessionClock.monotonic()
        #expect(session.resume())
        try await waitUntil("the end of the pause") {
            live.calls.contains(.resumed) && numbers(recording).last == stage.lastNumber
        }
        // A pause during this time is one with the first.
        let preparations = stage.preparations
        #expect(preparations > 0)
        #expect(session.pause() && session.resume() && session.pause())
        try await waitUntil("the second slate") { live.video.last?.reading == .slate }
        #expect(session.resume())
        try await waitUntil("pictures") {
            stage.preparations > preparations && numbers(recording).last == stage.lastNumber
        }
        _ = await session.stop()
        #expect(painted(stage, from: resume, to: resume + 190_000_000).isEmpty)
        #expect(readings(recording).paused.isEmpty && !readings(recording).shown.contains(.slate))
        #expect(readings(live).paused.allSatisfy { $0 == .slate } && !readings(live).shown.contains(.slate))
    }

    @Test func `A pause during the first grab after another pause shows no picture of before that one`() async throws {
        let stage = Stage()
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), recording.rawRecording()], frames: 3, of: live)
        #expect(session.pause())
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        stage.hang(.sample)
        #expect(session.resume())
        try await waitUntil("a grab that hangs") { stage.waiting == .sample }
        #expect(session.pause())
        let rests = stage.rests
        stage.release()
        try await waitUntil("ticks of the pause") { stage.rests >= rests + 5 }
        _ = await session.stop()
        let slate = try #require(live.video.firstIndex { $0.reading == .slate })
        #expect(live.video[slate...].allSatisfy { $0.reading == .slate })
        #expect(!readings(recording).shown.contains(.slate))
    }

    @Test func `A picture that is painted during a pause is never sent, even if its grab ends after resume`()
        async throws
    {
        let stage = Stage()
        let viewer = FakeViewer()
        let session = try await BroadcastSession.started(stage, [viewer.rawRecording()], frames: 3, of: viewer)
        stage.hang(.sample)
        try await waitUntil("a grab that hangs") { stage.waiting == .sample }
        #expect(session.pause())
        let pause = SessionClock.monotonic()
        stage.hang(.delivery)
        stage.release(.sample)
        try await waitUntil("a picture that is painted and not delivered") { stage.waiting == .delivery }
        let resume = SessionClock.monotonic()
        #expect(session.resume())
        stage.release()
        try await viewer.waitForFrames(3)
        _ = await session.stop()
        let hidden = painted(stage, from: pause, to: resume)
        #expect(hidden.count == 1 && hidden.isDisjoint(with: numbers(viewer)))
    }

    @Test func `A recording has no frame of the pause, no gap, and continues with a keyframe`() async throws {
        let stage = Stage()
        let (recording, live) = (FakeViewer("recording"), FakeViewer("live"))
        let session = BroadcastSession(
            configuration: .silent(stage),
            destinations: [recording.plan(.recording, kind: .file, media: .init()), live.plan()])
        try await session.start()
        for _ in 0..<3 {
            try await recording.waitForFrames(10)
            #expect(session.pause())
            try await waitUntil("the pause") { live.calls.last(where: { $0.packet == nil }) == .paused }
            try await live.waitForFrames(3)
            #expect(session.resume())
            try await waitUntil("the end of the pause") {
                recording.calls.last(where: { $0.packet == nil }) == .resumed
            }
        }
        try await recording.waitForFrames(5)
        _ = await session.stop()
        expectWhole(recording, besides: live)
        // Nothing is cut but the pauses: in the recording the next picture is one tick after the last one, or some if
        // the machine is busy.
        #expect(zip(recording.video, recording.video.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test func `A keyframe begins each pause and follows it for viewers`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = try await BroadcastSession.started(stage, [live.plan()], frames: 5, of: live)
        #expect(session.pause())
        try await waitUntil("the pause") { live.calls.contains(.paused) }
        try await live.waitForFrames(3)
        #expect(session.resume())
        try await waitUntil("the end of the pause") { live.calls.contains(.resumed) }
        try await live.waitForFrames(3)
        _ = await session.stop()
        for mark in [FakeViewer.Call.paused, .resumed] {
            let place = try #require(live.calls.firstIndex(of: mark))
            #expect(live.calls[place...].lazy.compactMap(\.packet).first { $0.track == .screen }?.isKeyframe == true)
        }
    }

    /// All of the pictures that the live viewer saw outside of pauses are in the recording, each cut is followed by a
    /// keyframe, and nothing of the pauses is in it.
    private func expectWhole(_ recording: FakeViewer, besides live: FakeViewer, thatDropped dropped: Int = 0) {
        var shown: [UInt32] = []
        var isPaused = false
        for call in live.calls {
            switch call {
            case .paused: isPaused = true
            case .resumed: isPaused = false
            case .packet(let packet): if packet.track == .screen && !isPaused { shown.append(packet.sequence) }
            default: break
            }
        }
        let recorded = recording.video.map(\.sequence)
        if dropped == 0 {
            #expect(live.video.allSatisfy { !$0.isDiscontinuity })
            // The live viewer may have begun with a later keyframe.
            // The live viewer may have begun with a later keyframe, and packets that have not been sent at the end may
            // be discarded.
            #expect(!shown.isEmpty && recorded.filter { $0 >= shown.first ?? 0 }.starts(with: shown))
        } else {
            #expect(Set(shown).isSubset(of: recorded))
        }
        var isAfterCut = true
        var wrong = 0
        for call in recording.calls {
            if call == .resumed { isAfterCut = true }
            guard let packet = call.packet, packet.track == .screen else { continue }
            if isAfterCut && !packet.isKeyframe { wrong += 1 }
            isAfterCut = false
        }
        #expect(wrong == 0)
        let marks = recording.lifecycle.filter { $0 == .paused || $0 == .resumed }
        #expect(marks.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? .paused : .resumed) })
    }

    @Test
    func `Two hundred pauses under load leave only painted pictures in a recording, and lose no keyframe interval`()
        async throws
    {
        try await withPeers { peers in
            let stage = Stage()
            let path = try peers.makeFolder("out") + "/out.mp4"
            let (recording, live) = (FakeViewer("recording"), FakeViewer("live"))
            let session = BroadcastSession(
                configuration: .silent(stage),
                destinations: [
                    .file(name: "file", path: path, format: .mp4),
                    recording.plan(.recording, kind: .file, media: .init()), live.plan(),
                ])
            try await session.start()
            try await live.waitForFrames(5)
            let busy = BusyThreads(count: 2)
            for round in 0..<200 {
                #expect(session.pause())
                // Some pauses last until viewers see them, some until a tick has passed, and some end at once.
                let rests = stage.rests
                switch round % 4 {
                case 0: try await waitUntil("the slate") { live.calls.last(where: { $0.packet == nil }) == .paused }
                case 1, 2: try await waitUntil("a tick") { stage.rests > rests }
                default: break
                }
                #expect(session.resume())
                let number = stage.lastNumber
                if round % 3 != 0 { try await waitUntil("a picture") { stage.lastNumber > number } }
            }
            withExtendedLifetime(busy) {}
            try await recording.waitForFrames(5)
            let outcome = await session.stop()
            #expect(outcome.destinations.map(\.state) == [.finished, .finished, .finished])
            #expect(outcome.destinations.prefix(2).map(\.dropped) == [0, 0])
            // The live viewer's queue holds two seconds, which the busy threads may take from it.
            expectWhole(recording, besides: live, thatDropped: outcome.destinations[2].dropped)

            let file = MediaFile(path: path, peers: peers)
            try await file.expectDecodable()
            let frames = try await FrameDecoder(path).frames(in: peers)
            let decoded = frames.map { NumberedPicture.read(luma: $0.bytes) }
            #expect(decoded.count == recording.video.count)
            #expect(!decoded.contains(.slate) && !decoded.contains(.unknown))
            let numbers = decoded.compactMap { if case .number(let number) = $0 { number } else { nil } }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
            let packets = try await FFProbe.packets(of: path, in: peers).filter { $0.kind == "video" }
            #expect(packets.map(\.isKeyframe) == recording.video.map(\.isKeyframe))
        }
    }

    @Test func `While the source hangs a pause shows the slate, and nothing of the hang's end`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
        stage.hang(.sample)
        try await waitUntil("a grab that hangs") { stage.waiting == .sample }
        try await live.waitForFrames(10)
        #expect(session.pause())
        let pause = SessionClock.monotonic()
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        stage.release()
        try await waitUntil("ticks of the pause") { stage.rests >= 5 }
        let resume = SessionClock.monotonic()
        #expect(session.resume())
        try await waitUntil("the end of the pause") { live.calls.contains(.resumed) }
        // Frames alone may be repeats of one picture.
        try await waitUntil("pictures") {
            numbers(live).last.map { $0 > (painted(stage, from: resume).min() ?? .max) } == true
        }
        _ = await session.stop()
        #expect(painted(stage, from: pause, to: resume).isDisjoint(with: numbers(live)))
        #expect(readings(live).paused.allSatisfy { $0 == .slate } && !readings(live).shown.contains(.slate))
        #expect(!readings(live).shown.contains(.unknown))
        #expect(numbers(live).last.map { $0 > (painted(stage, from: resume).min() ?? .max) } == true)
    }

    @Test func `If the source hangs during a pause, the recording contains no slate after resume`() async throws {
        let stage = Stage()
        let (recording, live) = (FakeViewer("recording"), FakeViewer("live"))
        let session = try await BroadcastSession.started(
            stage, [recording.rawRecording(), live.livePlan()], frames: 5, of: live)
        stage.hang(.rest)
        #expect(session.pause())
        try await waitUntil("a rest that hangs") { stage.waiting == .rest }
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        try await live.waitForFrames(3)
        #expect(session.resume())
        // Viewers keep getting the slate, since there is nothing else.
        try await live.waitForFrames(5)
        let number = stage.lastNumber
        stage.release()
        try await waitUntil("pictures") { (numbers(live).last ?? 0) > number + 5 }
        _ = await session.stop()
        #expect(readings(recording).paused.isEmpty)
        #expect(!readings(recording).shown.contains(.slate))
        #expect(recording.lifecycle.prefix(3) == [.started, .paused, .resumed])
    }

    @Test func `A session that is not live does not pause, and one that is not paused does not resume`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        #expect(!session.pause() && !session.resume())
        try await session.start()
        #expect(!session.resume())
        #expect(session.pause() && !session.pause())
        #expect(session.resume() && !session.resume())
        _ = await session.stop()
        #expect(!session.pause() && !session.resume())
    }

    @Test func `A session that is stopped during a pause ends properly, and its recording without the slate`()
        async throws
    {
        let stage = Stage()
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), recording.rawRecording()], frames: 5, of: live)
        #expect(session.pause())
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        let outcome = await session.stop()
        #expect(outcome.failure == nil && outcome.destinations.map(\.state) == [.finished, .finished])
        #expect(
            !numbers(recording).isEmpty && readings(recording).paused.isEmpty
                && !readings(recording).shown.contains(.slate))
    }

    @Test func `A destination that joins during a pause gets the slate, and pictures after it`() async throws {
        let stage = Stage()
        let live = FakeViewer("live")
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
        #expect(session.pause())
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        let (viewer, recording) = (FakeViewer("viewer"), FakeViewer("recording"))
        try await session.add(viewer.livePlan())
        try await session.add(recording.rawRecording())
        try await viewer.waitForFrames(3)
        try await waitUntil("the pause of the recording") { session.snapshot().destinations.last?.state == .paused }
        #expect(session.resume())
        try await waitUntil("pictures") { !numbers(viewer).isEmpty && !numbers(recording).isEmpty }
        _ = await session.stop()
        #expect(viewer.lifecycle.prefix(3) == [.started, .paused, .resumed])
        #expect(recording.lifecycle.prefix(3) == [.started, .paused, .resumed])
        #expect(readings(viewer).paused.allSatisfy { $0 == .slate } && !readings(viewer).shown.contains(.slate))
        #expect(readings(recording).paused.isEmpty && !readings(recording).shown.contains(.slate))
    }

    @Test func `A locked screen shows viewers the slate, and its end the screen`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        try await session.start()
        try await live.waitForFrames(5)
        stage.lock(true)
        try await waitUntil("the slate") { live.video.last?.reading == .slate && session.snapshot().isLocked }
        stage.lock(false)
        try await waitUntil("the screen") { live.video.last?.reading != .slate && !session.snapshot().isLocked }
        session.setDesktopLocked(true)
        try await waitUntil("the slate") { live.video.last?.reading == .slate && session.snapshot().isLocked }
        session.setDesktopLocked(false)
        try await waitUntil("the screen") { live.video.last?.reading != .slate && !session.snapshot().isLocked }
        _ = await session.stop()
        try await waitUntil("the end of the events") { events.isOver }
        #expect(events.notices.filter { $0 == .pipeline(.screenLocked) }.count == 2 && !events.states.contains(.paused))
    }

    @Test func `Sound is silent from the request to pause until resume`() async throws {
        let stage = Stage()
        let feed = SoundFeed()
        let live = FakeViewer()
        var configuration = SessionConfiguration.silent(stage)
        configuration.media.audio = .init(app: .init())
        configuration.media.audio.content = .feed(feed)
        let session = BroadcastSession(configuration: configuration, destinations: [live.livePlan()])
        try await session.start()
        let player = Task {
            // 10 ms of a loud tone, again and again, as an application plays it.
            let tone = (0..<960).map { ($0 / 40) % 2 == 0 ? Float(0.5) : -0.5 }
            while !Task.isCancelled {
                feed.push(tone)
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        let sound = { live.packets.filter { $0.track == .mixed } }
        try await waitUntil("sound") { sound().count { ($0.peak ?? 0) > 5000 } > 10 }
        #expect(session.pause())
        // The request is before this time.
        let paused = session.snapshot().elapsed
        try await waitUntil("silence") { sound().filter { $0.time >= paused }.count > 20 }
        let resumed = session.snapshot().elapsed
        #expect(session.resume())
        try await waitUntil("sound again") { (sound().last?.peak ?? 0) > 5000 }
        player.cancel()
        _ = await session.stop()
        // A block is 21 ms long.
        let silent = sound().filter { $0.time >= paused && $0.time + MediaTime(milliseconds: 22) < resumed }
        #expect(silent.count >= 10 && silent.allSatisfy { $0.peak == 0 })
    }
}
