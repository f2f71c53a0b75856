import BroadcastExtension
import HLS
import Synchronization

/// Does a publication's steps with a store, one after another, again where the store was away. Whoever hands it segments never waits.
package final class Uploader: Sendable {
    private let store: any SegmentStore
    private let publication: Mutex<Publication>
    private let policy: RetryPolicy
    /// Is told what is going on, for people.
    private let report: @Sendable (String) -> Void
    /// Is told when the store takes something for the first time, and whenever it has not for a while (`RetryPolicy.hiccup`), or does again.
    private let ready: @Sendable (Bool) -> Void
    /// Is told that it has given up.
    private let fail: @Sendable (BroadcastFailure) -> Void
    /// Why the store did not take what is under way; nil where it has not said anything yet.
    private let refusal = Mutex<String?>(nil)
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    package init(
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
    package func append(_ segment: Segment) {
        publication.withLock { $0.append(segment) }
        wakeUp.yield()
    }

    /// Nothing more comes: `run` returns once everything is in place.
    package func end() {
        publication.withLock { $0.end() }
        wakeUp.yield()
    }

    /// Uploads until the end; returns early only where it has given up.
    package func run() async {
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
        let watch = Task { await tellWhenAway() }
        var failures = 0
        while true {
            do throws(StoreError) {
                try await store.put(object)
                watch.cancel()
                let wasAway = await watch.value
                refusal.withLock { $0 = nil }
                if failures > 0 || wasAway { report("uploading again\(lossText)") }
                if !hasWorked || wasAway { ready(true) }
                return true
            } catch {
                failures += 1
                guard await mayRetry(error, failures: failures, since: start, hasWorked: hasWorked) else {
                    watch.cancel()
                    return false
                }
            }
        }
    }

    /// Says that the store is away once a put has taken or failed for longer than a hiccup; true where it came to that.
    private func tellWhenAway() async -> Bool {
        guard (try? await Task.sleep(for: policy.hiccup)) != nil else { return false }
        let sentence = refusal.withLock { $0 } ?? "\(store.name) does not answer"
        report(waitingText(sentence))
        ready(false)
        return true
    }

    /// Waits before the next attempt; false where there is none.
    private func mayRetry(_ error: StoreError, failures: Int, since start: ContinuousClock.Instant, hasWorked: Bool) async -> Bool {
        let sentence: String
        switch error {
        // A server that has worked may be half up again: only who is not let in stays outside, and who must not be trusted.
        case .refused(let code, let reason) where !hasWorked || code == 401 || code == 403 || code == StoreError.untrusted:
            fail(BroadcastFailure(code: code, message: reason))
            return false
        case .refused(_, let reason), .unavailable(let reason): sentence = reason
        }
        guard ContinuousClock.now - start < (hasWorked ? policy.patience : policy.patienceBeforeFirst) else {
            // Where nothing ever worked, the host need not try either.
            fail(BroadcastFailure(code: 503, message: sentence, retry: hasWorked))
            return false
        }
        refusal.withLock { $0 = sentence }
        report(waitingText(sentence))
        return (try? await Task.sleep(for: policy.delay(after: failures))) != nil
    }

    /// A phrase, which goes on after “The connection is lost: ”.
    private func waitingText(_ sentence: String) -> String {
        let waiting = publication.withLock { $0.waitingSegments }
        return "\(sentence); \(waiting) \(waiting == 1 ? "segment waits" : "segments wait")\(lossText)"
    }

    private var lossText: String {
        let count = publication.withLock { $0.droppedSegments }
        return count == 0 ? "" : ", \(count) dropped"
    }
}
