import Concurrency
import Media
import Session
import Synchronization
import TestSupport
import Upload

extension SessionConfiguration {
    /// The numbered pictures of `stage` without sound.
    package static func silent(_ stage: Stage, frameRate: Int = 30) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.media.picture = stage.picture
        configuration.media.frameRate = frameRate
        configuration.media.audio.app = nil
        configuration.media.rateControl = .bitrate(400)
        configuration.media.coding.preset = "ultrafast"
        return configuration
    }
}

extension BroadcastSession {
    /// Starts a session with the pictures of `stage` and without sound.
    ///
    /// - Returns: the session, after `viewer` has received `frames` frames.
    package static func started(
        _ stage: Stage, _ destinations: [DestinationPlan], frames: Int, of viewer: FakeViewer
    ) async throws -> BroadcastSession {
        let session = BroadcastSession(configuration: .silent(stage), destinations: destinations)
        try await session.start()
        try await viewer.waitForFrames(frames)
        return session
    }
}

extension FakeViewer {
    /// Waits until the viewer has received `count` more frames.
    package func waitForFrames(_ count: Int) async throws {
        let before = video.count
        try await waitUntil("\(count) frames") { video.count >= before + count }
    }
}

/// Collects the events of a session.
package final class EventRecorder: Sendable {
    private let state = Mutex<(events: [SessionEvent], isOver: Bool)>(([], false))

    package init(_ session: BroadcastSession) {
        let events = session.events
        Task {
            for await event in events { state.withLock { $0.events.append(event) } }
            state.withLock { $0.isOver = true }
        }
    }

    package var events: [SessionEvent] { state.withLock { $0.events } }
    package var isOver: Bool { state.withLock { $0.isOver } }
    package var states: [SessionState] { events.compactMap { if case .state(let state) = $0 { state } else { nil } } }
    /// How often the session has reported its figures.
    package var statisticsCount: Int { events.count { if case .statistics = $0 { true } else { false } } }
    package var notices: [SessionNotice] {
        events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }
}

/// Threads that use the processor until the value is released, one for each core and one more.
package final class BusyThreads: Sendable {
    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }
    private let flag = Flag()

    package init(count: Int) {
        for _ in 0..<count {
            _ = NamedThread(name: "busy") { [flag] in
                var value: UInt64 = 1
                while !flag.isSet.withLock({ $0 }) {
                    for _ in 0..<100_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
                }
                if value == 0 { print("") }
            }
        }
    }

    deinit { flag.isSet.withLock { $0 = true } }
}
