import Capture
import Media
import Session
import SessionFakes
import TestSupport
import Testing
import Upload

/// How a session starts and ends, and what it reports meanwhile.
struct SessionLifecycleTests {
    // MARK: Start

    @Test func `Start returns once the destination is live, and stop once everything is closed`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        #expect(session.state == .starting && session.snapshot().elapsed == .zero)
        try await session.start()
        #expect(session.state == .live && session.snapshot().destinations.map(\.state) == [.live])
        try await live.waitForFrames(5)
        let snapshot = session.snapshot()
        #expect(
            snapshot.source == SourceDescription(kind: .application, name: "stage")
                && snapshot.sourceSize == NumberedPicture.size)
        #expect(
            snapshot.video?.size == NumberedPicture.size && snapshot.video?.frameRate == 30
                && (snapshot.video?.captured ?? 0) > 0)
        #expect(snapshot.app == nil && snapshot.mic == nil && !snapshot.isLocked)
        let outcome = await session.stop()
        #expect(outcome.failure == nil && outcome.destinations.map(\.state) == [.finished])
        #expect(session.state == .finished)
        // The end of a session does not wait longer than 400 ms for its source.
        try await waitUntil("the end of the source") { stage.openSources == 0 }
        try await waitUntil("the end of the events") { events.isOver }
        #expect(events.states == [.live, .finishing, .finished])
        #expect(await session.ended().destinations.map(\.name) == ["viewer"])
    }

    @Test func `A session cannot be started twice`() async throws {
        let stage = Stage()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [FakeViewer().livePlan()])
        try await session.start()
        await #expect(throws: SessionError.notBegun) { try await session.start() }
        #expect(session.state == .live)
        _ = await session.stop()
        await #expect(throws: SessionError.notBegun) { try await session.start() }
    }

    @Test func `Stop before the start returns at once, and a start after it ends properly`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let outcome = await session.stop()
        #expect(outcome.failure == nil && outcome.destinations.isEmpty)
        try await session.start()
        let ended = await session.ended()
        #expect(ended.failure == nil && session.state == .finished)
        try await waitUntil("the end of the source") { stage.openSources == 0 }
    }

    @Test func `Any number of tasks can stop a session`() async throws {
        let session = BroadcastSession(configuration: .silent(Stage()), destinations: [FakeViewer().livePlan()])
        try await session.start()
        let states = await withTaskGroup(of: [DestinationState].self) { group in
            for _ in 0..<8 { group.addTask { await session.stop().destinations.map(\.state) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(states == Array(repeating: [.finished], count: 8))
    }

    @Test func `A source that cannot be opened fails the start`() async throws {
        let stage = Stage()
        stage.refuse(.noActiveWindow)
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        await #expect(throws: SessionError.pipeline(.capture(.noActiveWindow))) { try await session.start() }
        #expect(session.state == .failed && live.calls.isEmpty)
        #expect(await session.stop().failure == .pipeline(.capture(.noActiveWindow)))
        try await waitUntil("the end of the events") { events.isOver }
        #expect(events.states == [.failed])
    }

    @Test func `An encoder that cannot be opened fails the start, and closes the source`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        var configuration = SessionConfiguration.silent(stage)
        configuration.media.coding.preset = "no such preset"
        let session = BroadcastSession(configuration: configuration, destinations: [live.plan()])
        let error = await #expect(throws: SessionError.self) { try await session.start() }
        guard case .pipeline(.encode(.cannotOpenVideo))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(session.state == .failed && live.calls.isEmpty)
        try await waitUntil("the end of the source") { stage.openSources == 0 }
    }

    @Test func `A picture that cannot be encoded fails the start`() async throws {
        let stage = Stage()
        var configuration = SessionConfiguration.silent(stage)
        configuration.media.outputSize = PixelSize(width: 8, height: 8)
        let session = BroadcastSession(configuration: configuration, destinations: [FakeViewer().plan()])
        await #expect(throws: SessionError.pipeline(.unusableSize(PixelSize(width: 8, height: 8)))) {
            try await session.start()
        }
        try await waitUntil("the end of the source") { stage.openSources == 0 }
    }

    @Test func `A source without two columns of pixels fails the start, also with a chosen size`() async throws {
        let stage = Stage()
        stage.resize(to: PixelSize(width: 1, height: 64))
        var configuration = SessionConfiguration.silent(stage)
        configuration.media.outputSize = PixelSize(width: 128, height: 64)
        let session = BroadcastSession(configuration: configuration, destinations: [FakeViewer().plan()])
        await #expect(throws: SessionError.pipeline(.unusableSource(PixelSize(width: 1, height: 64)))) {
            try await session.start()
        }
        try await waitUntil("the end of the source") { stage.openSources == 0 }
    }

    // MARK: The end

    @Test(arguments: [1, 2]) func `A session of few frames a second does not leave its capture thread behind`(
        frameRate: Int
    ) async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(
            configuration: .silent(stage, frameRate: frameRate), destinations: [live.livePlan()])
        try await session.start()
        // The next tick is later than the time that the end of the session has for the thread.
        try await live.waitForFrames(1)
        #expect(await session.stop().failure == nil)
        #expect(stage.openSources == 0)
    }

    @Test func `A session ends by itself after its duration`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        var configuration = SessionConfiguration.silent(stage)
        configuration.duration = MediaTime(milliseconds: 700)
        let session = BroadcastSession(configuration: configuration, destinations: [live.livePlan()])
        try await session.start()
        let outcome = await session.ended()
        #expect(outcome.failure == nil && outcome.destinations.map(\.state) == [.finished])
        #expect(session.snapshot().elapsed >= MediaTime(milliseconds: 700))
        // The stream goes on up to the end: at most the last three pictures that were painted are not in it.
        let last = live.video.compactMap { if case .number(let number)? = $0.reading { number } else { nil } }.max()
        #expect(try #require(last) >= stage.lastNumber - 3)
        #expect(live.calls.last == .finished(deadline: ShutdownTimetable.streamEnd))
    }

    @Test func `A duration ends the session also while it is paused`() async throws {
        var configuration = SessionConfiguration.silent(Stage())
        configuration.duration = MediaTime(milliseconds: 500)
        let session = BroadcastSession(configuration: configuration, destinations: [FakeViewer().livePlan()])
        try await session.start()
        _ = session.pause()
        #expect(await session.ended().failure == nil)
        #expect(session.state == .finished)
    }

    @Test func `The end of the source ends the session properly`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
        stage.end()
        let outcome = await session.ended()
        #expect(
            outcome.failure == nil && outcome.destinations.map(\.state) == [.finished] && session.state == .finished)
        #expect(session.snapshot().endReason == nil)
    }

    @Test func `The snapshot says why a source ended that was closed, unless the user stopped the session before`()
        async throws
    {
        for isStopped in [false, true] {
            let (stage, live) = (Stage(), FakeViewer())
            let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
            #expect(session.snapshot().endReason == nil)
            if isStopped { session.requestStop() }
            stage.give(.noSharedMemory)
            stage.give(.windowClosed("Notes"))
            stage.end()
            _ = await session.ended()
            #expect(session.snapshot().endReason == (isStopped ? nil : .windowClosed("Notes")))
        }
    }

    @Test func `A source that fails ends the session with its error, and destinations are closed`() async throws {
        let stage = Stage()
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), recording.rawRecording()], frames: 5, of: live)
        stage.fail(.displayServerGone(":9"))
        let outcome = await session.ended()
        #expect(outcome.failure == .pipeline(.capture(.displayServerGone(":9"))) && session.state == .failed)
        #expect(outcome.destinations.map(\.state) == [.finished, .finished])
        #expect(live.calls.last == .finished(deadline: ShutdownTimetable.streamEnd))
        #expect(recording.calls.last == .finished(deadline: ShutdownTimetable.handlerFinish))
    }

    @Test func `Handlers that hang are abandoned in the times of the timetable, and the others end properly`()
        async throws
    {
        let (starts, works, ends, good) = (
            FakeViewer("starts"), FakeViewer("works"), FakeViewer("ends"), FakeViewer("good")
        )
        starts.behave(.hang, at: .started)
        works.behave(.hang, at: .process)
        ends.behave(.hang, at: .finished)
        let clock = ManualClock()
        let session = BroadcastSession(
            configuration: .silent(Stage()),
            destinations: [starts.livePlan(), works.livePlan(), ends.livePlan(), good.livePlan()], clock: clock)
        let starting = Task { try await session.start() }
        try await waitUntil("handlers that hang") {
            starts.hanging == .started && works.hanging == .process && good.video.count > 5
        }
        let ending = Task { await session.stop() }
        try await clock.pass(ShutdownTimetable.backlogDiscarded)
        // The second time has to pass only if a server accepted data after the end began: what was on its way to
        // `ends`.
        let passing = Task {
            try await clock.pass(ShutdownTimetable.slowAbandoned - ShutdownTimetable.backlogDiscarded)
        }
        let outcome = await ending.value
        passing.cancel()
        try await starting.value
        #expect(outcome.destinations.map(\.name) == ["starts", "works", "ends", "good"])
        // The user stopped them, and their viewers have what their servers accepted.
        #expect(outcome.destinations.map(\.state) == [.finished, .finished, .finished, .finished])
        #expect(outcome.destinations.map(\.error) == [nil, nil, nil, nil])
        #expect(outcome.failure == nil && session.state == .finished)
        #expect(clock.waits.first == ShutdownTimetable.backlogDiscarded && clock.waits.count <= 3)
    }

    @Test func `A handler that does not end is abandoned at last, and an extension gets more time than others`()
        async throws
    {
        let (blocked, program) = (FakeViewer("blocked"), FakeViewer("program"))
        blocked.behave(.hangForever, at: .finished)
        program.behave(.hang, at: .finished)
        var plan = program.livePlan()
        plan.kind = .program("hls")
        let clock = ManualClock()
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [blocked.livePlan(), plan], clock: clock)
        try await session.start()
        let ending = Task { await session.stop() }
        try await waitUntil("handlers that hang") { blocked.hanging == .finished && program.hanging == .finished }
        try await clock.pass(ShutdownTimetable.backlogDiscarded)
        try await clock.pass(ShutdownTimetable.slowAbandoned - ShutdownTimetable.backlogDiscarded)
        try await waitUntil("the time of extensions") { clock.waits.count == 3 }
        #expect(session.state == .finishing && program.hanging == .finished)
        try await clock.pass(ShutdownTimetable.extensionAbandoned - ShutdownTimetable.slowAbandoned)
        try await waitUntil("the end of the extension") { session.snapshot().destinations[1].state == .failed }
        #expect(session.state == .finishing && !session.snapshot().destinations[0].state.isOver)
        try await clock.pass(ShutdownTimetable.everythingAbandoned - ShutdownTimetable.extensionAbandoned)
        let outcome = await ending.value
        #expect(outcome.destinations.map(\.state) == [.failed, .failed])
        #expect(outcome.destinations.map(\.error) == [.notFinishedInTime, .notFinishedInTime])
        #expect(blocked.hanging == .finished)
        blocked.letGo()
    }

    // MARK: Events

    @Test func `Each destination receives the application in the detail of its plan`() async throws {
        let stage = Stage()
        let viewers = ApplicationDetail.allCases.map { FakeViewer("\($0)") }
        let plans = zip(viewers, ApplicationDetail.allCases).map { viewer, detail in
            var plan = viewer.livePlan()
            plan.applicationDetail = detail
            return plan
        }
        let session = BroadcastSession(configuration: .silent(stage), destinations: plans)
        try await session.start()
        var application = ApplicationInformation(id: "firefox", title: "my bank")
        application.name = "Firefox"
        #expect(session.annotate(application))
        let expected: [[String: String]] = [
            [:], ["application": "firefox", "applicationName": "Firefox"],
            ["application": "firefox", "applicationName": "Firefox", "applicationTitle": "my bank"],
        ]
        for (viewer, values) in zip(viewers, expected) where !values.isEmpty {
            try await waitUntil("the annotation") { viewer.calls.contains(.annotated(values)) }
        }
        #expect(await session.stop().failure == nil)
        for (viewer, values) in zip(viewers, expected) {
            let annotations = viewer.calls.filter { if case .annotated = $0 { true } else { false } }
            #expect(annotations == (values.isEmpty ? [] : [.annotated(values)]))
        }
    }

    @Test func `Events without a reader delay nothing, and the newest are kept`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        try await session.start()
        for number in 0..<3000 { session.annotate(["number": "\(number)"]) }
        try await waitUntil("the annotations") { live.calls.contains(.annotated(["number": "2999"])) }
        try await live.waitForFrames(5)
        #expect(session.pause() && session.resume())
        #expect(await session.stop().failure == nil)
        var events: [SessionEvent] = []
        for await event in session.events { events.append(event) }
        #expect(events.count <= 512)
        guard case .state(.finished)? = events.last else {
            Issue.record("The last event is \(String(describing: events.last)).")
            return
        }
        let states = events.compactMap { if case .state(let state) = $0 { state } else { nil } }
        #expect(states == [.paused, .live, .finishing, .finished])
    }

    @Test func `Reports of the source become events`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        try await session.start()
        stage.give(.noSharedMemory)
        stage.give(ApplicationInformation(id: "Gedit", title: "A text"))
        stage.rename("another monitor")
        try await waitUntil("the events") {
            events.notices.contains(.pipeline(.source(.noSharedMemory)))
                && events.events.contains {
                    if case .application(let application) = $0 { application.id == "Gedit" } else { false }
                }
                && session.snapshot().source?.name == "another monitor"
        }
        session.annotate(["subject": "frames"])
        try await waitUntil("the annotation") {
            live.calls.contains { if case .annotated(let values) = $0 { values["subject"] == "frames" } else { false } }
        }
        try await waitUntil("figures") { events.events.contains { if case .statistics = $0 { true } else { false } } }
        _ = await session.stop()
        #expect(events.events.contains { if case .annotation(["subject": "frames"]) = $0 { true } else { false } })
    }

    @Test
    func `A source that shrinks to less than a picture gives viewers the slate and one notice, until it is larger`()
        async throws
    {
        let stage = Stage()
        let live = FakeViewer()
        let session = BroadcastSession(configuration: .silent(stage), destinations: [live.livePlan()])
        let events = EventRecorder(session)
        try await session.start()
        try await live.waitForFrames(5)
        let small = PixelSize(width: 128, height: 1)
        stage.resize(to: small)
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        try await live.waitForFrames(5)
        stage.resize(to: NumberedPicture.size)
        try await waitUntil("pictures") { if case .number? = live.video.last?.reading { true } else { false } }
        _ = await session.stop()
        try await waitUntil("the end of the events") { events.isOver }
        #expect(
            events.notices.filter { $0 == .pipeline(.source(.tooSmall(small))) }.count == 1
                && !live.video.contains { $0.reading == .unknown })
    }

    @Test func `A source with nothing to show gives viewers the slate`() async throws {
        let stage = Stage()
        let live = FakeViewer()
        let session = try await BroadcastSession.started(stage, [live.livePlan()], frames: 5, of: live)
        stage.withhold(true)
        try await waitUntil("the slate") { live.video.last?.reading == .slate }
        stage.withhold(false)
        try await waitUntil("pictures") { if case .number? = live.video.last?.reading { true } else { false } }
        _ = await session.stop()
        #expect(live.lifecycle.count == 2 && !live.video.contains { $0.reading == .unknown })
    }
}
