import Concurrency
import Foundation
import Media
import RTMP
import Session
import SessionFakes
import TestSupport
import Testing
import Upload

/// Several destinations in one session: one that fails, one that joins, one that leaves.
struct SessionDestinationsTests {
    private static let lost = UploadError.connectionLost(status: nil)

    @Test func `If one of several destinations fails, the start returns and the others continue`() async throws {
        let (bad, good) = (FakeViewer("bad"), FakeViewer("good"))
        bad.behave(.fail(Self.lost), at: .started)
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [bad.livePlan(), good.livePlan()])
        try await session.start()
        #expect(session.state == .live && session.snapshot().destinations.map(\.state) == [.failed, .live])
        try await good.waitForFrames(10)
        let outcome = await session.stop()
        #expect(outcome.failure == nil && session.state == .failed)
        #expect(outcome.destinations.map(\.error) == [Self.lost, nil])
    }

    @Test func `The session ends by itself when the last destination has failed`() async throws {
        let (first, second) = (FakeViewer("first"), FakeViewer("second"))
        first.behave(.fail(Self.lost), at: .started)
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [first.livePlan(), second.livePlan()])
        try await session.start()
        try await second.waitForFrames(5)
        second.behave(.fail(Self.lost), at: .process)
        let outcome = await session.ended()
        #expect(outcome.failure == nil && session.state == .failed)
        #expect(outcome.destinations.map(\.state) == [.failed, .failed])
    }

    @Test func `A slow destination loses pictures, and another one does not`() async throws {
        let (slow, good) = (FakeViewer("slow"), FakeViewer("good"))
        slow.behave(.hang, at: .process, connection: 0)
        let media = MediaRequirements(audioTracks: [], prefersConstantPacing: true)
        let session = BroadcastSession(
            configuration: .silent(Stage(), frameRate: 60),
            // The queue of a recording holds 30 s, which is enough for a busy machine.
            destinations: [slow.plan(media: media), good.plan(.recording, kind: .file, media: media)])
        try await session.start()
        try await waitUntil("dropped pictures") { session.snapshot().destinations[0].dropped > 0 }
        #expect(session.snapshot().destinations[0].backlog <= MediaTime(milliseconds: 2000))
        #expect(session.snapshot().destinations[1].dropped == 0)
        #expect(zip(good.video, good.video.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence })
        slow.behave(nil, at: .process)
        slow.letGo()
        _ = await session.stop()
    }

    @Test func `Without sound, a live destination gets a silent track without gaps, and a recording gets none`()
        async throws
    {
        let (live, recording) = (FakeViewer("live"), FakeViewer("recording"))
        let session = BroadcastSession(
            configuration: .silent(Stage()),
            destinations: [
                live.plan(media: .init(video: .raw, audio: .pcm, prefersConstantPacing: true)),
                recording.plan(.recording, kind: .file, media: .init()),
            ])
        try await session.start()
        try await live.waitForFrames(30)
        #expect(session.snapshot().app == nil && session.snapshot().mic == nil)
        _ = await session.stop()
        #expect(live.streams.first?.audio.map(\.track) == [.mixed] && recording.streams.first?.audio.isEmpty == true)
        let sound = live.packets.filter { $0.track == .mixed }
        #expect(sound.count > 30 && sound.allSatisfy { $0.peak == 0 })
        #expect(zip(sound, sound.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence })
        #expect(Set(recording.packets.map(\.track)) == [.screen])
    }

    @Test func `A live destination that joins a recording without sound gets a silent track`() async throws {
        let (recording, live) = (FakeViewer("recording"), FakeViewer("live"))
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [recording.plan(.recording, kind: .file, media: .init())])
        try await session.start()
        try await recording.waitForFrames(5)
        try await session.add(live.livePlan())
        try await waitUntil("sound") { live.packets.contains { $0.track == .mixed } }
        _ = await session.stop()
        #expect(live.packets.filter { $0.track == .mixed }.allSatisfy { $0.peak == 0 })
        #expect(Set(recording.packets.map(\.track)) == [.screen])
    }

    @Test func `A destination that asks for keyframes all the time gets one a second at most`() async throws {
        let (eager, other) = (FakeViewer("eager"), FakeViewer("other"))
        let session = BroadcastSession(configuration: .silent(Stage()), destinations: [eager.plan(), other.plan()])
        try await session.start()
        try await waitUntil("a context") { eager.context != nil }
        let context = try #require(eager.context)
        let asking = Task {
            while !Task.isCancelled {
                context.requestKeyframe()
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        func keyframes() -> [FakeViewer.Packet] { other.video.filter(\.isKeyframe) }
        try await waitUntil("keyframes") { keyframes().count >= 5 }
        asking.cancel()
        _ = await session.stop()
        // The first picture of a stream is a keyframe anyway.
        let forced = keyframes().dropFirst().map(\.time)
        #expect(zip(forced, forced.dropFirst()).allSatisfy { $1 - $0 >= MediaTime(milliseconds: 999) }, "\(forced)")
    }

    @Test func `An added destination starts with a keyframe, and the others continue`() async throws {
        let stage = Stage()
        let (first, second) = (FakeViewer("first"), FakeViewer("second"))
        let session = try await BroadcastSession.started(stage, [first.plan()], frames: 5, of: first)
        try await session.add(second.plan())
        #expect(await session.waitUntilAnswered("second")?.state == .live)
        #expect(await session.waitUntilAnswered("nobody") == nil)
        try await second.waitForFrames(5)
        #expect(second.video.first?.isKeyframe == true)
        let outcome = await session.stop()
        #expect(
            outcome.destinations.map(\.name) == ["first", "second"]
                && outcome.destinations.map(\.state) == [.finished, .finished])
        #expect(zip(first.video, first.video.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence })
    }

    @Test func `Destinations that are added at the same time share one encoder and one recording of the sound`()
        async throws
    {
        let (first, stage) = (FakeViewer("first"), Stage())
        let pictures = MediaRequirements(audioTracks: [], prefersConstantPacing: true)
        let session = try await BroadcastSession.started(stage, [first.plan(media: pictures)], frames: 3, of: first)
        let others = (0..<4).map { FakeViewer("other \($0)") }
        // Another size than the first one's: it needs an encoder of its own.
        let plans = others.map { viewer in
            var plan = viewer.plan()
            plan.picture.size = PixelSize(width: 64, height: 32)
            return plan
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for plan in plans { group.addTask { try await session.add(plan) } }
            try await group.waitForAll()
        }
        for viewer in others { try await waitUntil("its sound") { viewer.packets.count { $0.track == .mixed } >= 10 } }
        #expect(session.encoderCount == 2)
        for viewer in others {
            let times = viewer.packets.filter { $0.track == .mixed }.map(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
        }
        _ = await session.stop()
    }

    @Test
    func
        `A destination of raw pictures that joins a still screen gets the present picture, not that of an earlier one`()
        async throws
    {
        let stage = Stage()
        let (live, first, second, paused) = (
            FakeViewer("live"), FakeViewer("first"), FakeViewer("second"), FakeViewer("paused")
        )
        stage.announceChanges()
        let session = try await BroadcastSession.started(stage, [live.plan()], frames: 5, of: live)
        try await session.add(first.livePlan())
        try await first.waitForFrames(2)
        #expect(first.video.allSatisfy { $0.reading == .number(stage.lastNumber) })
        _ = try await session.remove(named: "first")
        let before = stage.lastNumber
        stage.change()
        try await waitUntil("the change") { stage.lastNumber > before }
        try await live.waitForFrames(5)
        try await session.add(second.livePlan())
        try await second.waitForFrames(2)
        #expect(second.video.allSatisfy { $0.reading == .number(stage.lastNumber) })
        #expect(session.pause())
        try await waitUntil("the slate") { second.video.last?.reading == .slate }
        try await session.add(paused.livePlan())
        try await paused.waitForFrames(2)
        #expect(paused.video.allSatisfy { $0.reading == .slate })
        _ = await session.stop()
    }

    @Test func `A file that is added late begins at time zero`() async throws {
        try await withPeers { peers in
            let formats = [ContainerFormat.mp4, .mkv, .y4m, .flv, .mpegts, .h264]
            let folder = try peers.makeFolder("out")
            let stage = Stage()
            let (first, recording) = (FakeViewer("first"), FakeViewer("recording"))
            let session = try await BroadcastSession.started(stage, [first.plan()], frames: 75, of: first)
            let before = stage.lastNumber
            for format in formats {
                try await session.add(
                    .file(name: "late \(format)", path: "\(folder)/late.\(format.rawValue)", format: format))
            }
            try await session.add(recording.plan(.recording, kind: .file, media: .init()))
            try await recording.waitForFrames(20)
            let outcome = await session.stop()
            #expect(outcome.destinations.count == 8 && outcome.destinations.allSatisfy { $0.state == .finished })
            #expect(recording.video.first?.time == .zero && recording.video.first?.isKeyframe == true)
            for format in formats {
                try await expectStart(
                    of: MediaFile(path: "\(folder)/late.\(format.rawValue)", peers: peers), format, addedAfter: before)
            }
        }
    }

    /// Expects that a file begins at time zero with pictures that were painted about when it was added.
    private func expectStart(of media: MediaFile, _ format: ContainerFormat, addedAfter before: Int) async throws {
        try await media.expectDecodable()
        let numbers = try await FrameDecoder(media.path).frames(in: media.peers).compactMap { frame -> Int? in
            if case .number(let number) = NumberedPicture.read(luma: frame.bytes) { number } else { nil }
        }
        // Nothing of what was painted more than a second before it was added.
        #expect(
            (numbers.first ?? 0) >= before - 30 && numbers.count >= 15,
            "\(format): \(numbers.count) frames from \(numbers.first ?? 0) on, \(before)")
        guard [.mp4, .mkv, .flv].contains(format) else { return }
        let seconds = try await FFProbe.probe(media.path, in: media.peers).format.seconds
        let times = try await FFProbe.packets(of: media.path, in: media.peers).filter { $0.kind == "video" }
            .compactMap { $0.pts.flatMap { Double($0) } }
        let (begin, end) = (times.min() ?? -1, times.max() ?? -1)
        #expect(
            (0..<0.1).contains(begin) && abs(seconds - end) < 0.2, "\(format): \(begin) s to \(end) s of \(seconds) s")
    }

    @Test func `Destinations that join and leave at the same time always get pictures`() async throws {
        let keeper = FakeViewer("keeper")
        let session = BroadcastSession(configuration: .silent(Stage()), destinations: [keeper.plan()])
        try await session.start()
        // A destination that joins an encode may wait a second for its keyframe, so five encodes take turns at the same
        // time.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for height in [32, 48, 64, 80, 96] {
                group.addTask {
                    try await Self.expectPictures(of: PixelSize(width: 64, height: height), in: session, rounds: 5)
                }
            }
            try await group.waitForAll()
        }
        _ = await session.stop()
    }

    /// Adds and removes destinations that share an encode, and expects that each of them gets pictures.
    private static func expectPictures(of size: PixelSize, in session: BroadcastSession, rounds: Int) async throws {
        func plan(_ viewer: FakeViewer) -> DestinationPlan {
            var plan = viewer.plan()
            plan.picture = PictureRequirements(size: size, bitrate: 100)
            return plan
        }
        var last = FakeViewer("\(size) 0")
        try await session.add(plan(last))
        for round in 1...rounds {
            let (former, next) = (last.name, FakeViewer("\(size) \(round)"))
            // The last destination of an encode leaves while another one chooses that encode.
            async let removed = session.remove(named: former)
            try await session.add(plan(next))
            #expect(try await removed?.state == .finished)
            try await waitUntil("a picture") { next.video.count >= 2 }
            last = next
        }
        #expect(last.video.first?.isKeyframe == true)
    }

    @Test func `A destination with its own picture gets its own rendition, which ends with it`() async throws {
        let (first, small) = (FakeViewer("first"), FakeViewer("small"))
        let session = BroadcastSession(configuration: .silent(Stage()), destinations: [first.plan()])
        try await session.start()
        var plan = small.plan()
        plan.picture = PictureRequirements(size: PixelSize(width: 64, height: 32), bitrate: 100)
        try await session.add(plan)
        try await small.waitForFrames(5)
        #expect(small.streams.first?.video?.size == PixelSize(width: 64, height: 32))
        #expect(first.streams.first?.video?.size == NumberedPicture.size)
        #expect(try await session.remove(named: "small")?.state == .finished)
        try await first.waitForFrames(5)
        _ = await session.stop()
    }

    @Test func `A destination is rejected if its name or file is in use, or if the session is not live`() async throws {
        try await withPeers { peers in
            let path = try peers.makeFolder("out") + "/out.mp4"
            let viewer = FakeViewer("viewer")
            let session = BroadcastSession(
                configuration: .silent(Stage()),
                destinations: [viewer.livePlan(), .file(name: "file", path: path, format: .mp4)])
            await #expect(throws: SessionError.notBegun) { try await session.add(FakeViewer("early").livePlan()) }
            try await session.start()
            await #expect(throws: SessionError.nameInUse("viewer")) {
                try await session.add(FakeViewer("viewer").livePlan())
            }
            await #expect(throws: SessionError.pathInUse(path)) {
                try await session.add(.file(name: "other", path: path, format: .mp4))
            }
            let folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
            try await waitUntil("the file") { session.snapshot().destinations[1].byteCount > 0 }
            let other = folder + "/../out/out.mp4"
            await #expect(throws: SessionError.pathInUse(other)) {
                try await session.add(.file(name: "other", path: other, format: .mp4))
            }
            await #expect(throws: UploadError.cannotCreate(path: path, .inUse)) {
                try await session.saveClip(last: .zero, to: path)
            }
            _ = await session.stop()
            await #expect(throws: SessionError.ending) { try await session.add(FakeViewer("late").livePlan()) }
        }
    }

    @Test func `An address belongs to one destination until that one is removed`() async throws {
        let address = DestinationAddress(try RTMPURL("rtmp://live.example/app/key"))
        var first = FakeViewer("first").livePlan()
        first.address = address
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [first, FakeViewer("second").livePlan()])
        try await session.start()
        let again = {
            var plan = FakeViewer("again").livePlan()
            plan.address = address
            return plan
        }()
        await #expect(throws: SessionError.addressInUse(by: "first")) { try await session.add(again) }
        #expect(try await session.remove(named: "first")?.state == .finished)
        try await session.add(again)
        #expect(await session.stop().destinations.count { $0.name == "again" } == 1)
    }

    @Test func `The name of a destination that has failed is free again`() async throws {
        let (good, bad, again) = (FakeViewer("good"), FakeViewer("other"), FakeViewer("other"))
        bad.behave(.fail(Self.lost), at: .started)
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [good.livePlan(), bad.livePlan()])
        try await session.start()
        try await session.add(again.livePlan())
        #expect(await session.waitUntilAnswered("other")?.state == .live)
        #expect(session.snapshot().destinations.map(\.name) == ["good", "other"])
        #expect(await session.stop().destinations.map(\.state) == [.finished, .finished])
        #expect(session.state == .finished)
    }

    @Test func `An addition that is withdrawn leaves the failure that it replaced`() async throws {
        let (good, bad) = (FakeViewer("good"), FakeViewer("other"))
        bad.behave(.fail(Self.lost), at: .started)
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [good.livePlan(), bad.livePlan()])
        try await session.start()
        for _ in 0..<2 {
            let again = FakeViewer("other")
            again.behave(.fail(.connectionLost(status: "again")), at: .started)
            try await session.add(again.livePlan())
            #expect(await session.waitUntilAnswered("other")?.error == .connectionLost(status: "again"))
            session.withdraw("other")
            #expect(session.snapshot().destinations.map(\.error) == [nil, Self.lost])
        }
        session.withdraw("good")
        #expect(await session.stop().destinations.map(\.state) == [.finished, .failed])
    }

    @Test func `A failed destination that the user removes is not in the results`() async throws {
        let (good, bad) = (FakeViewer("good"), FakeViewer("bad"))
        bad.behave(.fail(Self.lost), at: .started)
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [good.livePlan(), bad.livePlan()])
        try await session.start()
        #expect(session.snapshot().destinations.map(\.state) == [.live, .failed])
        #expect(try await session.remove(named: "bad")?.state == .failed)
        #expect(try await session.remove(named: "bad") == nil)
        #expect(await session.stop().destinations.map(\.name) == ["good"])
        #expect(session.state == .finished)
    }

    @Test func `A destination that is removed ends properly, and the last one stays`() async throws {
        let (first, second) = (FakeViewer("first"), FakeViewer("second"))
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [first.livePlan(), second.livePlan()])
        try await session.start()
        try await first.waitForFrames(5)
        #expect(try await session.remove(named: "nobody") == nil)
        #expect(try await session.remove(named: "first")?.state == .finished)
        #expect(first.calls.last == .finished(deadline: ShutdownTimetable.streamEnd))
        await #expect(throws: SessionError.onlyDestination("second")) { try await session.remove(named: "second") }
        #expect(try await session.remove(named: "first") == nil)
        try await second.waitForFrames(5)
        let outcome = await session.stop()
        #expect(outcome.destinations.map(\.name) == ["first", "second"] && session.state == .finished)
    }

    @Test func `Of two that are removed at once one stays`() async throws {
        let (first, second) = (FakeViewer("first"), FakeViewer("second"))
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [first.livePlan(), second.livePlan()])
        try await session.start()
        let refused = await withTaskGroup(of: Bool.self) { group in
            for name in ["first", "second"] {
                group.addTask {
                    do throws(SessionError) {
                        _ = try await session.remove(named: name)
                        return false
                    } catch {
                        return error == .onlyDestination(name)
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 1 && session.state == .live)
        _ = await session.stop()
    }

    @Test func `A destination that fails while the user removes it does not fail the session`() async throws {
        let (good, hanging) = (FakeViewer("good"), FakeViewer("hanging"))
        hanging.behave(.fail(Self.lost), at: .finished)
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [good.livePlan(), hanging.livePlan()])
        try await session.start()
        #expect(try await session.remove(named: "hanging")?.state == .failed)
        #expect(session.snapshot().destinations.map(\.name) == ["good"])
        _ = await session.stop()
        #expect(session.state == .finished)
    }

    @Test func `Retry ends the waits of those that wait, and names them`() async throws {
        let clock = ManualClock()
        let (good, lost) = (FakeViewer("good"), FakeViewer("lost"))
        lost.behave(.fail(Self.lost), at: .process, connection: 0)
        let plan = lost.plan(
            .live(retry: ReconnectionPolicy(waits: Backoff(first: .seconds(2), longest: .seconds(60)))),
            media: .init(video: .raw, audio: .pcm, prefersConstantPacing: true))
        let session = BroadcastSession(
            configuration: .silent(Stage()), destinations: [good.livePlan(), plan], clock: clock)
        try await session.start()
        try await waitUntil("the loss") {
            session.snapshot().destinations[1].state == .reconnecting && clock.sleeperCount == 1
        }
        #expect(session.retry("good") == [] && session.retry("nobody") == [])
        #expect(session.retry(nil) == ["lost"])
        try await waitUntil("the connection") { session.snapshot().destinations[1].state == .live }
        #expect(lost.connections == 2 && session.snapshot().destinations[1].reconnects == 1 && session.retry(nil) == [])
        _ = await session.stop()
    }

    @Test func `A clip contains the last seconds, and an event reports it`() async throws {
        try await withPeers { peers in
            let path = try peers.makeFolder("clips") + "/clip.mp4"
            let live = FakeViewer()
            var configuration = SessionConfiguration.silent(Stage())
            configuration.media.clipBuffer = MediaTime(milliseconds: 10_000)
            configuration.media.coding.keyframeInterval = MediaTime(milliseconds: 500)
            let session = BroadcastSession(
                configuration: configuration, destinations: [live.plan(), .clips(name: "clips")])
            let events = EventRecorder(session)
            try await session.start()
            try await live.waitForFrames(45)
            let before = umask(0)
            defer { umask(before) }
            let clip = try #require(try await session.saveClip(last: MediaTime(milliseconds: 500), to: path))
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            #expect(clip.path == path && clip.duration >= MediaTime(milliseconds: 500))
            try await MediaFile(path: path, peers: peers).expectDecodable()
            let frames = try await FrameDecoder(path).frames(in: peers)
            #expect(frames.count >= 15 && !frames.map { NumberedPicture.read(luma: $0.bytes) }.contains(.unknown))
            await #expect(throws: UploadError.self) {
                try await session.saveClip(last: .zero, to: "/nowhere/at/all.mp4")
            }
            _ = await session.stop()
            try await waitUntil("the end of the events") { events.isOver }
            #expect(events.events.contains { if case .clip(clip) = $0 { true } else { false } })
        }
    }

    @Test func `Without a clip buffer there is no clip, and without sound there is no microphone`() async throws {
        let recording = FakeViewer().plan(.recording, kind: .file, media: .init())
        let session = BroadcastSession(configuration: .silent(Stage()), destinations: [recording])
        try await session.start()
        #expect(try await session.saveClip(last: .zero, to: "/nowhere/clip.mp4") == nil)
        #expect(session.setMicrophone { !$0 } == nil)
        #expect(session.hide(.windowClass("a")) == nil && session.unhide(.windowClass("a")) == nil)
        _ = await session.stop()
    }
}
