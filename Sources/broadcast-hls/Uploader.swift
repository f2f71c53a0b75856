import BroadcastExtension
import HLS
import Synchronization

/// Performs the steps of a publication with a store, one at a time, and retries while the store is not available.
/// Adding a segment never waits.
package final class Uploader: Sendable {
    private let store: any SegmentStore
    private let publication: Mutex<Publication>
    private let policy: RetryPolicy
    /// Called with the current state as text for the user.
    private let report: @Sendable (String) -> Void
    /// Called with true when the store accepts the first object and after each outage, and with false when an outage
    /// exceeds `RetryPolicy.hiccup`.
    private let ready: @Sendable (Bool) -> Void
    /// Called when the uploader gives up.
    private let fail: @Sendable (BroadcastFailure) -> Void
    /// The reason why the store rejected the current object, or nil if it did not answer yet.
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

    /// Adds a segment.
    package func append(_ segment: Segment) {
        publication.withLock { $0.append(segment) }
        wakeUp.yield()
    }

    /// Ends the upload: `run` returns when everything is uploaded.
    package func end() {
        publication.withLock { $0.end() }
        wakeUp.yield()
    }

    /// Uploads until the end. Returns early only if the uploader gives up.
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

    /// Performs a step. Returns false if the uploader gave up.
    private func perform(_ step: Publication.Step, hasWorked: Bool) async -> Bool {
        switch step {
        case .put(let object): return await put(object, hasWorked: hasWorked)
        case .delete(let name):
            // An object that remains in the store does no harm.
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

    /// Reports that the store is not available when an upload takes longer than `hiccup`. Returns true if it reported
    /// that.
    private func tellWhenAway() async -> Bool {
        guard (try? await Task.sleep(for: policy.hiccup)) != nil else { return false }
        let sentence = refusal.withLock { $0 } ?? "\(store.name) does not answer"
        report(waitingText(sentence))
        ready(false)
        return true
    }

    /// Waits before the next attempt. Returns false if there is no further attempt.
    private func mayRetry(_ error: StoreError, failures: Int, since start: ContinuousClock.Instant, hasWorked: Bool) async -> Bool {
        let sentence: String
        switch error {
        // A server that worked before can be in the middle of a restart. Only missing authorisation and a missing trust
        // are permanent.
        case .refused(let code, let reason) where !hasWorked || code == 401 || code == 403 || code == StoreError.untrusted:
            fail(BroadcastFailure(code: code, message: reason))
            return false
        case .refused(_, let reason), .unavailable(let reason): sentence = reason
        }
        guard ContinuousClock.now - start < (hasWorked ? policy.patience : policy.patienceBeforeFirst) else {
            // If no upload ever succeeded, the host does not retry either.
            fail(BroadcastFailure(code: 503, message: sentence, retry: hasWorked))
            return false
        }
        refusal.withLock { $0 = sentence }
        report(waitingText(sentence))
        return (try? await Task.sleep(for: policy.delay(after: failures))) != nil
    }

    /// Returns a phrase that follows “The connection is lost: ”.
    private func waitingText(_ sentence: String) -> String {
        let waiting = publication.withLock { $0.waitingSegments }
        return "\(sentence); \(waiting) \(waiting == 1 ? "segment waits" : "segments wait")\(lossText)"
    }

    private var lossText: String {
        let count = publication.withLock { $0.droppedSegments }
        return count == 0 ? "" : ", \(count) dropped"
    }
}
