import BroadcastExtension
import HLS
import Synchronization

/// Does a publication's steps with a store, one after another, again where the store was away. Whoever hands it segments never waits.
final class Uploader: Sendable {
    /// Failures in a row that are more than a hiccup.
    private static let outage = 3

    private let store: any SegmentStore
    private let publication: Mutex<Publication>
    private let policy: RetryPolicy
    /// Is told what is going on, for people.
    private let report: @Sendable (String) -> Void
    /// Is told when the store takes something for the first time, and whenever it does not any more, or does again.
    private let ready: @Sendable (Bool) -> Void
    /// Is told that it has given up.
    private let fail: @Sendable (BroadcastFailure) -> Void
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(
        store: any SegmentStore, publication: Publication, policy: RetryPolicy = RetryPolicy(), report: @escaping @Sendable (String) -> Void,
        ready: @escaping @Sendable (Bool) -> Void, fail: @escaping @Sendable (BroadcastFailure) -> Void
    ) {
        self.store = store
        self.publication = Mutex(publication)
        self.policy = policy
        self.report = report
        self.ready = ready
        self.fail = fail
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Hands on a segment.
    func append(_ segment: Segment) {
        publication.withLock { $0.append(segment) }
        wakeUp.yield()
    }

    /// Nothing more comes: `run` returns once everything is in place.
    func end() {
        publication.withLock { $0.end() }
        wakeUp.yield()
    }

    /// Uploads until the end; returns early only where it has given up.
    func run() async {
        var hasWorked = false
        for await _ in wakeUps {
            while let step = publication.withLock({ $0.nextStep() }) {
                guard await perform(step, hasWorked: hasWorked) else { return await store.shutDown() }
                hasWorked = true
                publication.withLock { $0.complete() }
            }
            if publication.withLock({ $0.isFinished }) { break }
        }
        await store.shutDown()
    }

    /// False where it gave up.
    private func perform(_ step: Publication.Step, hasWorked: Bool) async -> Bool {
        switch step {
        case .put(let object): return await put(object, hasWorked: hasWorked)
        case .delete(let name):
            // What is left behind is in nobody's way.
            try? await store.delete(name)
            return true
        }
    }

    private func put(_ object: StoredObject, hasWorked: Bool) async -> Bool {
        let start = ContinuousClock.now
        var failures = 0
        while true {
            do throws(StoreError) {
                try await store.put(object)
                if failures > 0 { report("uploading again\(lossText)") }
                if !hasWorked || failures >= Self.outage { ready(true) }
                return true
            } catch {
                failures += 1
                if failures == Self.outage { ready(false) }
                guard await mayRetry(error, failures: failures, since: start, hasWorked: hasWorked) else { return false }
            }
        }
    }

    /// Waits before the next attempt; false where there is none.
    private func mayRetry(_ error: StoreError, failures: Int, since start: ContinuousClock.Instant, hasWorked: Bool) async -> Bool {
        let sentence: String
        switch error {
        // A server that has worked may be half up again: only who is not let in stays outside.
        case .refused(let code, let reason) where !hasWorked || code == 401 || code == 403:
            fail(BroadcastFailure(code: code, message: reason))
            return false
        case .refused(_, let reason), .unavailable(let reason): sentence = reason
        }
        guard ContinuousClock.now - start < (hasWorked ? policy.patience : policy.patienceBeforeFirst) else {
            // Where nothing ever worked, the host need not try either.
            fail(BroadcastFailure(code: 503, message: sentence, retry: hasWorked))
            return false
        }
        let waiting = publication.withLock { $0.waitingSegments }
        report("waiting: \(sentence); \(waiting) \(waiting == 1 ? "segment waits" : "segments wait")\(lossText)")
        return (try? await Task.sleep(for: policy.delay(after: failures))) != nil
    }

    private var lossText: String {
        let count = publication.withLock { $0.droppedSegments }
        return count == 0 ? "" : ", \(count) dropped"
    }
}
