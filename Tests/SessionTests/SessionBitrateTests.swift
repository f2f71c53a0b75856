import Media
import Session
import SessionFakes
import TestSupport
import Testing

/// Tests the bitrate of a session with a destination that is too slow.
struct SessionBitrateTests {
    /// The bitrate of `SessionConfiguration.silent`, in kbit/s.
    private static let wanted = 400

    @Test func `A lasting backlog lowers the bitrate, and a notice names the destination`() async throws {
        let stage = Stage()
        let live = FakeViewer("slow")
        let session = try await BroadcastSession.started(stage, [live.plan()], frames: 5, of: live)
        let events = EventRecorder(session)
        #expect(session.snapshot().video?.targetBitrate == Self.wanted)
        live.setRemarks { $0.backlog = MediaTime(milliseconds: 900) }
        try await waitUntil("the notice") {
            events.notices.contains { notice in
                if case .bitrateLowered(destination: "slow", from: Self.wanted, let lowered, sharedWith: []) = notice {
                    lowered < Self.wanted
                } else {
                    false
                }
            }
        }
        #expect(try #require(session.snapshot().video?.targetBitrate) < Self.wanted)
        #expect(await session.stop().failure == nil)
    }

    @Test
    func `A destination that is much too slow lowers the bitrate of a recording to half of it only, and is named`()
        async throws
    {
        let stage = Stage()
        let (recording, slow) = (FakeViewer("recording"), FakeViewer("slow"))
        let session = try await BroadcastSession.started(
            stage, [recording.plan(.recording, kind: .file, media: .init(prefersConstantPacing: true)), slow.plan()],
            frames: 5, of: recording)
        let events = EventRecorder(session)
        // What it says about its connection is used instead of its backlog.
        slow.setRemarks { $0.bitrate = 150 }
        try await waitUntil("the notice") {
            events.notices.contains {
                if case .tooSlowForShared("slow", _, Self.wanted / 2) = $0 { true } else { false }
            }
        }
        #expect(session.snapshot().video?.targetBitrate == Self.wanted / 2)
        #expect(
            events.notices.contains(
                .bitrateLowered(destination: "slow", from: Self.wanted, to: Self.wanted / 2, sharedWith: ["recording"]))
        )
        slow.setRemarks { $0.bitrate = 100_000 }
        try await waitUntil("the bitrate of before") { session.snapshot().video?.targetBitrate == Self.wanted }
        #expect(await session.stop().failure == nil)
    }

    @Test func `A far end that takes less is followed at once, not at the next look`() async throws {
        let live = FakeViewer("live")
        let session = try await BroadcastSession.started(Stage(), [live.plan()], frames: 5, of: live)
        let events = EventRecorder(session)
        let context = try #require(live.context)
        let audio = SessionConfiguration.silent(Stage()).media.audio.bitrate
        for target in stride(from: Self.wanted - 4, to: Self.wanted / 2, by: -4) {
            live.setRemarks { $0.bitrate = target + audio }
            context.acceptsLess()
            try await waitUntil("\(target)") { session.snapshot().video?.targetBitrate == target }
        }
        // Without the call, it would have followed at its looks, one for each of these.
        #expect(events.statisticsCount < 30, "49 times it had to follow")
        #expect(await session.stop().failure == nil)
    }

    @Test(arguments: [(150, 1000, 500, true), (500, 1000, 500, false), (700, 1000, 700, false), (700, 700, 700, false)])
    func `The slowest viewer decides, down to half of what the best destination takes`(
        slowest: Int, best: Int, bitrate: Int, exceeds: Bool
    ) {
        let shared = SharedBitrate(slowest: slowest, best: best)
        #expect(shared.bitrate == bitrate && shared.exceedsSlowest == exceeds)
    }

    @Test func `The backlog of a recording does not lower the bitrate`() async throws {
        let stage = Stage()
        let (recording, live) = (FakeViewer("recording"), FakeViewer("live"))
        let session = try await BroadcastSession.started(
            stage, [recording.plan(.recording, kind: .file, media: .init()), live.plan()], frames: 5, of: recording)
        let events = EventRecorder(session)
        recording.setRemarks { $0.backlog = MediaTime(milliseconds: 900) }
        // The backlog of a live destination lowers it after three readings.
        try await recording.waitForFrames(60)
        #expect(await session.stop().failure == nil)
        // A busy machine can delay the live one, which lowers it.
        #expect(!events.notices.contains { if case .bitrateLowered("recording", _, _, _) = $0 { true } else { false } })
    }
}
