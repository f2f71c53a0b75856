import Media
import Session
import SessionFakes
import TestSupport
import Testing

/// Tests the bitrate of a session with a destination that is too slow.
@Suite(.serialized) struct SessionBitrateTests {
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
                if case .bitrateLowered(destination: "slow", from: Self.wanted, let lowered) = notice { lowered < Self.wanted } else { false }
            }
        }
        #expect(try #require(session.snapshot().video?.targetBitrate) < Self.wanted)
        #expect(await session.stop().failure == nil)
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
        #expect(!events.notices.contains { if case .bitrateLowered("recording", _, _) = $0 { true } else { false } })
    }
}
