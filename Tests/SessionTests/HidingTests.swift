import Capture
import Concurrency
import Media
import Session
import SessionFakes
import TestSupport
import Testing
import WindowPrivacy

/// A request to hide something is done when viewers see nothing more of it, also with a source that does not answer.
struct HidingTests {
    private func numbers(_ viewer: FakeViewer, from index: Int) -> [Int] {
        viewer.video.dropFirst(index).compactMap { if case .number(let number)? = $0.reading { number } else { nil } }
    }

    /// Viewers with constant and with variable pacing.
    private func start(_ stage: Stage) async throws -> (BroadcastSession, [FakeViewer]) {
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = try await BroadcastSession.started(
            stage, [live.livePlan(), recording.rawRecording()], frames: 5, of: live)
        try await waitUntil("a picture of both") { recording.video.count >= 5 }
        return (session, [live, recording])
    }

    @Test func `An application that was in front before a new rule is not told any more`() async throws {
        let live = FakeViewer()
        let session = BroadcastSession(
            configuration: .silent(Stage(hidesWindows: true)), destinations: [live.livePlan()])
        try await session.start()
        var application = ApplicationInformation(id: "secret", title: "my bank")
        #expect(session.annotate(application))
        #expect(session.hide(.windowClass("secret")) == true)
        application.title = "my other bank"
        #expect(!session.annotate(application))
        #expect(await session.stop().failure == nil)
        let titles = live.calls.compactMap { call in
            if case .annotated(let values) = call { values["applicationTitle"] } else { nil }
        }
        #expect(!titles.contains("my other bank"))
    }

    @Test func `When a rule is hidden, no viewer sees a picture from before it any more`() async throws {
        let stage = Stage(hidesWindows: true)
        let (session, viewers) = try await start(stage)
        let last = stage.lastNumber
        #expect(session.hide(.windowClass("secret")) == true)
        #expect(await session.waitUntilHidden(isPause: false) == .done)
        let counts = viewers.map(\.video.count)
        try await viewers[0].waitForFrames(5)
        _ = await session.stop()
        // A picture that was painted before the request can be on its way to the viewer, but not after the answer.
        for (viewer, count) in zip(viewers, counts) {
            #expect(numbers(viewer, from: count + 2).allSatisfy { $0 > last }, "\(viewer.name)")
        }
    }

    @Test func `A rule on a still screen is done without a new picture`() async throws {
        let stage = Stage(hidesWindows: true)
        let (session, _) = try await start(stage)
        stage.announceChanges()
        try await Task.sleep(for: .milliseconds(300))
        #expect(session.hide(.windowClass("secret")) == true)
        #expect(await session.waitUntilHidden(isPause: false) == .done)
        _ = await session.stop()
    }

    @Test func `While the source hangs, a hidden rule gives viewers the slate, and the request is not done`()
        async throws
    {
        let stage = Stage(hidesWindows: true)
        let (session, viewers) = try await start(stage)
        // The picture is painted, and still shows the window.
        stage.hang(.delivery)
        try await waitUntil("a grab that hangs") { stage.waiting == .delivery }
        let last = stage.lastNumber
        #expect(session.hide(.windowClass("secret")) == true)
        #expect(await session.waitUntilHidden(isPause: false) == .covered)
        for viewer in viewers {
            try await waitUntil("the slate of \(viewer.name)") { viewer.video.last?.reading == .slate }
        }
        let counts = viewers.map(\.video.count)
        stage.release()
        for viewer in viewers {
            try await waitUntil("new pictures of \(viewer.name)") {
                if case .number(let number)? = viewer.video.last?.reading { number > last + 5 } else { false }
            }
        }
        #expect(await session.waitUntilHidden(isPause: false) == .done)
        _ = await session.stop()
        for (viewer, count) in zip(viewers, counts) {
            #expect(numbers(viewer, from: count).allSatisfy { $0 > last }, "\(viewer.name)")
        }
    }

    @Test func `The rules of the start are those of each session, and a change leaves the configuration alone`()
        async throws
    {
        let stage = Stage(hidesWindows: true)
        var configuration = SessionConfiguration.silent(stage)
        configuration.media.hiddenWindows = HiddenWindowSettings([.windowClass("secret")])
        for _ in 0..<2 {
            let viewer = FakeViewer("viewer")
            let session = BroadcastSession(configuration: configuration, destinations: [viewer.livePlan()])
            try await session.start()
            #expect(session.hide(.windowClass("secret")) == false && session.hide(.windowClass("other")) == true)
            #expect(session.unhide(.windowClass("secret")) == true)
            #expect(session.snapshot().hiddenWindows.map(\.rule) == ["class:other"])
            _ = await session.stop()
        }
        #expect(configuration.media.hiddenWindows.rules == [.windowClass("secret")])
    }

    @Test(arguments: [true, false])
    func `A pause is done when viewers see the slate, also while the source hangs`(isLive: Bool) async throws {
        let stage = Stage()
        let viewer = FakeViewer("viewer")
        // A recording leaves the pause out, and gets its mark.
        let plan = isLive ? viewer.livePlan() : viewer.plan(.recording, kind: .file, media: .init())
        let session = try await BroadcastSession.started(stage, [plan], frames: 5, of: viewer)
        stage.hang(.sample)
        try await waitUntil("a grab that hangs") { stage.waiting == .sample }
        #expect(session.pause())
        #expect(await session.waitUntilHidden(isPause: true) == .done)
        try await waitUntil("the pause") { viewer.calls.contains(.paused) }
        #expect(session.resume())
        stage.release()
        try await waitUntil("the resume") { viewer.calls.contains(.resumed) }
        let count = viewer.video.count
        try await waitUntil("new pictures") { viewer.video.count > count + 5 }
        _ = await session.stop()
    }

    @Test func `A clip has no picture from before a rule`() async throws {
        try await withPeers { peers in
            let stage = Stage(hidesWindows: true)
            let viewer = FakeViewer("viewer")
            var configuration = SessionConfiguration.silent(stage)
            configuration.media.clipBuffer = MediaTime(milliseconds: 60_000)
            let session = BroadcastSession(configuration: configuration, destinations: [viewer.livePlan()])
            try await session.start()
            try await viewer.waitForFrames(30)
            #expect(session.hide(.windowClass("secret")) == true)
            #expect(await session.waitUntilHidden(isPause: false) == .done)
            let hidden = session.snapshot().elapsed
            try await viewer.waitForFrames(15)
            let path = try peers.makeFolder("out") + "/clip.mp4"
            let clip = try #require(try await session.saveClip(last: MediaTime(milliseconds: 60_000), to: path))
            // The rule was applied some ticks before the answer.
            #expect(clip.start > hidden - MediaTime(milliseconds: 500), "\(clip.start) \(hidden)")
            _ = await session.stop()
        }
    }

    @Test func `A rule that exists already does not end the clips`() async throws {
        try await withPeers { peers in
            let stage = Stage(hidesWindows: true)
            let viewer = FakeViewer("viewer")
            var configuration = SessionConfiguration.silent(stage)
            configuration.media.clipBuffer = MediaTime(milliseconds: 60_000)
            let session = BroadcastSession(configuration: configuration, destinations: [viewer.livePlan()])
            try await session.start()
            try await viewer.waitForFrames(5)
            #expect(session.hide(.windowClass("secret")) == true)
            #expect(await session.waitUntilHidden(isPause: false) == .done)
            let hidden = session.snapshot().elapsed
            try await viewer.waitForFrames(15)
            // A removed rule changes the revision, and hides nothing.
            #expect(session.hide(.windowClass("other")) == true)
            #expect(await session.waitUntilHidden(isPause: false) == .done)
            #expect(session.unhide(.windowClass("other")) == true)
            let again = session.snapshot().elapsed
            try await viewer.waitForFrames(15)
            for _ in 0..<2 {
                #expect(session.hide(.windowClass("secret")) == false)
                #expect(await session.waitUntilHidden(isPause: false) == .done)
            }
            try await viewer.waitForFrames(15)
            let path = try peers.makeFolder("out") + "/clip.mp4"
            let clip = try #require(try await session.saveClip(last: MediaTime(milliseconds: 60_000), to: path))
            #expect(
                clip.start > hidden && clip.start < again + MediaTime(milliseconds: 500),
                "\(clip.start) \(hidden) \(again)")
            _ = await session.stop()
        }
    }
}
