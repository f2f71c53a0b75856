import Concurrency
import Media
import Session
import TestSupport
import Testing

/// Tests the state and the time of a session.
@Suite struct SessionProgressTests {
    @Test func `A session starts once`() {
        let progress = SessionProgress()
        #expect(!progress.isStarted && !progress.hasBegun && progress.state == .starting && progress.now == .zero)
        #expect(progress.markStarted() && !progress.markStarted() && progress.isStarted)
    }

    @Test func `A state changes only as it is allowed, and only from the expected one`() {
        let progress = SessionProgress()
        #expect(!progress.transition(to: .paused) && progress.state == .starting)
        #expect(!progress.transition(to: .live, from: .paused) && progress.state == .starting)
        #expect(progress.transition(to: .live, from: .starting))
        #expect(progress.transition(to: .paused) && progress.transition(to: .live, from: .paused))
        #expect(progress.transition(to: .finishing) && progress.transition(to: .finished))
        #expect(!progress.transition(to: .live) && progress.state == .finished)
    }

    @Test func `The time of a session runs from its beginning to its end`() async throws {
        let progress = SessionProgress()
        progress.begin(SessionClock())
        #expect(progress.hasBegun)
        _ = progress.transition(to: .live)
        try await waitUntil("time to pass") { progress.now > .zero }
        #expect(!progress.stateAndEnd.hasStopped)
        _ = progress.transition(to: .finishing)
        let end = progress.now
        #expect(progress.stateAndEnd.state == .finishing && progress.stateAndEnd.hasStopped && end > .zero)
        try await Task.sleep(for: .milliseconds(2))
        #expect(progress.now == end)
    }

    @Test func `A session that ends before it began has no length`() {
        let progress = SessionProgress()
        _ = progress.transition(to: .finishing)
        #expect(progress.now == .zero && !progress.stateAndEnd.hasStopped)
    }
}
