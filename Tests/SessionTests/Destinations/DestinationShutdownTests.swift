import Concurrency
import Media
import Session
import SessionFakes
import TestSupport
import Testing
import Upload

/// Tests when a destination that does not end is abandoned. The times are those of a manual clock.
@Suite struct DestinationShutdownTests {
    /// A destination that is live, its viewer, and a shutdown that waits for it.
    private final class Rig: Sendable {
        let viewer = FakeViewer()
        let clock = ManualClock()
        let destination: Destination

        init(_ delivery: Delivery, kind: DestinationKind) {
            destination = Destination(plan: viewer.plan(delivery, kind: kind)) { _ in }
        }

        /// Starts the destination and ends it.
        ///
        /// - Parameter behaviour: of the viewer when its connection is finished.
        func shutDown(_ behaviour: FakeViewer.Behaviour?) async throws -> Task<Void, Never> {
            viewer.behave(behaviour, at: .finished)
            destination.start(StreamDescription(video: nil, audio: [])) {}
            try await waitUntil("a live destination") { destination.state == .live }
            let shutdown = DestinationShutdown(of: [destination], clock: clock)
            let task = Task { await shutdown.run(.asked) }
            if behaviour != nil { try await waitUntil("a handler that hangs") { viewer.hanging == .finished } }
            return task
        }
    }

    @Test func `Destinations that end in time are not abandoned, and no timer remains`() async throws {
        let rig = Rig(.live(retry: nil), kind: .rtmp)
        try await rig.shutDown(nil).value
        #expect(
            rig.destination.state == .finished
                && rig.viewer.lifecycle.last == .finished(deadline: ShutdownTimetable.streamEnd))
        try await waitUntil("the end of the timer") { rig.clock.sleeperCount == 0 }
    }

    @Test func `A live server that accepts nothing is abandoned first`() async throws {
        let rig = Rig(.live(retry: nil), kind: .rtmp)
        let shutdown = try await rig.shutDown(.hang)
        try await rig.clock.pass(ShutdownTimetable.backlogDiscarded)
        await shutdown.value
        #expect(rig.destination.state.isOver)
        #expect(rig.clock.waits.first == ShutdownTimetable.backlogDiscarded)
    }

    @Test func `An extension is abandoned later than a server`() async throws {
        let rig = Rig(.live(retry: nil), kind: .program("x"))
        let shutdown = try await rig.shutDown(.hang)
        try await rig.clock.pass(ShutdownTimetable.backlogDiscarded)
        try await rig.clock.pass(ShutdownTimetable.slowAbandoned - ShutdownTimetable.backlogDiscarded)
        try await waitUntil("the third wait") { rig.clock.waits.count == 3 }
        #expect(!rig.destination.state.isOver && rig.viewer.hanging == .finished)
        try await rig.clock.pass(ShutdownTimetable.extensionAbandoned - ShutdownTimetable.slowAbandoned)
        await shutdown.value
        #expect(rig.destination.state.isOver)
    }

    @Test func `A recording on a slow disk is not given up while its file grows`() async throws {
        let rig = Rig(.recording, kind: .file)
        rig.viewer.setRemarks { $0.isOnDisk = true }
        let shutdown = try await rig.shutDown(.hangForever)
        try await rig.clock.pass(ShutdownTimetable.backlogDiscarded)
        try await rig.clock.pass(ShutdownTimetable.slowAbandoned - ShutdownTimetable.backlogDiscarded)
        try await rig.clock.pass(ShutdownTimetable.extensionAbandoned - ShutdownTimetable.slowAbandoned)
        try await waitUntil("the wait for everything") { rig.clock.waits.count == 4 }
        rig.viewer.write(1000)
        try await rig.clock.pass(ShutdownTimetable.everythingAbandoned - ShutdownTimetable.extensionAbandoned)
        for count in 5...8 {
            try await waitUntil("the next wait") { rig.clock.waits.count == count }
            #expect(!rig.destination.state.isOver)
            rig.viewer.write(1000)
            try await rig.clock.pass(ShutdownTimetable.recordingProgress)
        }
        rig.viewer.letGo()
        await shutdown.value
        #expect(rig.destination.state == .finished)
    }

    @Test func `A destination that ignores its end counts as failed at last`() async throws {
        let rig = Rig(.recording, kind: .file)
        let shutdown = try await rig.shutDown(.hangForever)
        try await rig.clock.pass(ShutdownTimetable.backlogDiscarded)
        try await rig.clock.pass(ShutdownTimetable.slowAbandoned - ShutdownTimetable.backlogDiscarded)
        try await rig.clock.pass(ShutdownTimetable.extensionAbandoned - ShutdownTimetable.slowAbandoned)
        try await waitUntil("the last wait") { rig.clock.waits.count == 4 }
        #expect(!rig.destination.state.isOver)
        try await rig.clock.pass(ShutdownTimetable.everythingAbandoned - ShutdownTimetable.extensionAbandoned)
        await shutdown.value
        #expect(rig.destination.state == .failed && rig.destination.snapshot().error == .notFinishedInTime)
        rig.viewer.letGo()
    }
}
