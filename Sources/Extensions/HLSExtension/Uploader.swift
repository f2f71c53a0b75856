import BroadcastExtension
import Concurrency
import HLS
import Media
import Synchronization

/// Performs the uploads of a publication with a store, one at a time, and retries while the store is not available.
/// Deletions are performed beside them, and never delay them. Adding a segment never waits.
package final class Uploader: Sendable {
    private let store: any SegmentStore
    private let publication: Mutex<Publication>
    private let policy: RetryPolicy
    /// Called with the current state as text for the user.
    private let report: @Sendable (String) -> Void
    /// Called with true when the store accepts the first object and after each outage, and with false when an outage
    /// exceeds `RetryPolicy.uploadLimit`.
    private let ready: @Sendable (Bool) -> Void
    /// Called with the media that waits in milliseconds, and the bitrate in kbit/s that the store accepts, if a limit
    /// is known.
    private let pace: @Sendable (Int, Int?) -> Void
    /// Called when the uploader gives up.
    private let fail: @Sendable (BroadcastFailure) -> Void
    /// The reason why the store rejected the current object, or nil if it did not answer yet.
    private let refusal = Mutex<String?>(nil)
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    /// The upload that is in progress.
    private let current = Mutex<Task<Outcome, Never>?>(nil)
    /// True after `skipToEnd`.
    private let isHurried = Atomic(false)
    /// Set by `end`.
    private let ended = Once<Void>()
    private let origin = ContinuousClock.now
    /// True if an earlier process of the destination was live.
    private let wasLive: Bool
    private let rate = Mutex((pace: UploadPace(), start: MediaTime?.none))
    /// Returns the playlist to continue for the text of the one that exists, or nil to start a new one.
    private let continued: @Sendable (String) -> MediaPlaylist?

    /// In seconds. A playlist of another program can declare anything.
    private static let longestSegment = 40

    private enum Outcome {
        case done
        /// `skipToEnd` ended it.
        case abandoned
        /// The store refuses this object and may accept the next one.
        case leftOut
        case gaveUp
    }

    package init(
        store: any SegmentStore, publication: Publication, policy: RetryPolicy = RetryPolicy(), wasLive: Bool = false,
        continuing continued: @escaping @Sendable (String) -> MediaPlaylist? = { _ in nil },
        report: @escaping @Sendable (String) -> Void,
        ready: @escaping @Sendable (Bool) -> Void, pace: @escaping @Sendable (Int, Int?) -> Void = { _, _ in },
        fail: @escaping @Sendable (BroadcastFailure) -> Void
    ) {
        self.wasLive = wasLive
        self.pace = pace
        self.continued = continued
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
        reportPace()
    }

    /// Ends the upload: `run` returns when everything is uploaded.
    package func end() {
        publication.withLock { $0.end() }
        ended.set(())
        wakeUp.yield()
    }

    /// Abandons the segments that wait, so that the final playlist is uploaded now. Call this after `end`.
    package func skipToEnd() {
        isHurried.store(true, ordering: .relaxed)
        current.withLock { $0 }?.cancel()
    }

    /// The segments that players never get.
    package var lost: LostMedia {
        publication.withLock { LostMedia(segments: $0.droppedSegments, duration: $0.droppedDuration) }
    }

    /// Reports the waiting media, and lowers the ceiling if the current upload is late.
    private func reportPace() {
        let (segments, waiting) = publication.withLock { ($0.waitingSegments, $0.waitingDuration) }
        let current = publication.withLock { $0.currentSegment }
        let now = now
        let ceiling = rate.withLock { rate in
            if segments > 1, let start = rate.start, let current {
                rate.pace.isLate(byteCount: current.byteCount, duration: current.duration, in: now - start)
            }
            return rate.pace.ceiling
        }
        // The segment that is being uploaded does not wait.
        pace(segments > 1 ? Int(waiting.milliseconds) : 0, ceiling)
    }

    /// True when the final playlist was uploaded.
    package var hasPublishedEnd: Bool { publication.withLock { $0.hasPublishedEnd } }

    /// The reason why the store rejected the latest object, or nil if it accepted it or did not answer yet.
    package var problem: String? { refusal.withLock { $0 } }

    /// Uploads until the end. Returns early only if the uploader gives up.
    package func run() async {
        let cleaner = Cleaner(store: store, report: report)
        let cleaning = Task {
            await cleaner.run(next: { [self] in publication.withLock { $0.nextDeletion(at: now) } }) { [self] in
                publication.withLock { $0.completeDeletion() }
            }
        }
        if await resume() { await upload { cleaner.wake() } }
        // Objects that are not due or not deleted yet remain, because players need them longer than this process
        // exists.
        cleaning.cancel()
        await cleaning.value
        await store.shutDown()
    }

    /// Continues the playlist that a process left that did not end it. Returns false if another broadcast writes the
    /// playlist, for example one of another machine: the two would delete each other's segments.
    private func resume() async -> Bool {
        let name = publication.withLock { $0.names.playlist }
        guard var text = await store.playlist(named: name) else { return true }
        var changes = 0
        while let playlist = continued(text) {
            // A broadcast that goes on changes its playlist within that time (RFC 8216, 6.2.1). The end of this one
            // does not wait for it.
            let isEnding =
                await ended.value(within: .seconds(1.5 * Double(min(playlist.targetDuration, Self.longestSegment))))
                != nil
            let later = await isEnding ? nil : store.playlist(named: name)
            guard let later, later != text else {
                publication.withLock { $0.resume(playlist) }
                return true
            }
            // The first change can be an upload that the other process began before it crashed.
            changes += 1
            guard changes < 2 else {
                fail(store.conflict(over: name))
                return false
            }
            text = later
        }
        return true
    }

    /// - Parameter uploaded: called after each upload.
    private func upload(_ uploaded: () -> Void) async {
        var hasWorked = wasLive
        var isReady = false
        // A store that refuses every object is not available.
        var leftOut = 0
        for await _ in wakeUps {
            while let object = publication.withLock({ $0.nextUpload() }) {
                let segment = publication.withLock { $0.currentSegment }
                let start = now
                rate.withLock { $0.start = object.kind == .segment ? start : nil }
                switch await perform(
                    object, hasWorked: hasWorked, isReady: isReady, mayLeaveOut: leftOut < policy.leftOutInRow)
                {
                case .done:
                    hasWorked = true
                    isReady = true
                    if object.kind == .segment { leftOut = 0 }
                    publication.withLock { $0.completeUpload(at: now) }
                    if object.kind == .segment, let segment { note(segment) }
                    uploaded()
                case .leftOut:
                    leftOut += 1
                    rate.withLock { $0.start = nil }
                    publication.withLock { $0.leaveOutSegment() }
                    reportPace()
                case .abandoned: publication.withLock { $0.skipToEnd() }
                case .gaveUp: return
                }
            }
            if publication.withLock({ $0.isFinished }) { return }
        }
    }

    private func note(_ segment: Segment) {
        let isLast = publication.withLock { $0.waitingSegments == 0 }
        rate.withLock { rate in
            // The time of the attempt that succeeded.
            guard let start = rate.start else { return }
            let elapsed = now - start
            rate.start = nil
            rate.pace.uploaded(byteCount: segment.byteCount, duration: segment.duration, in: elapsed, isLast: isLast)
        }
        reportPace()
    }

    private var now: MediaTime { MediaTime(ContinuousClock.now - origin) }

    /// - Parameters:
    ///   - hasWorked: true if the store accepted an object, now or in an earlier process.
    ///   - isReady: true if that was reported.
    ///   - mayLeaveOut: true if an object that the store refuses is left out.
    private func perform(_ object: StoredObject, hasWorked: Bool, isReady: Bool, mayLeaveOut: Bool) async -> Outcome {
        let task = Task { await put(object, hasWorked: hasWorked, isReady: isReady, mayLeaveOut: mayLeaveOut) }
        current.withLock { $0 = task }
        // `skipToEnd` may have looked for the task before it was stored.
        if isHurried.load(ordering: .relaxed), object.kind != .playlist { task.cancel() }
        return await task.value
    }

    private func put(_ object: StoredObject, hasWorked: Bool, isReady: Bool, mayLeaveOut: Bool) async -> Outcome {
        let start = ContinuousClock.now
        let watch = Task { await tellWhenAway() }
        var failures = 0
        var refusals = 0
        while true {
            do throws(StoreError) {
                rate.withLock { if $0.start != nil { $0.start = now } }
                try await store.put(object)
                watch.cancel()
                let wasAway = await watch.value
                refusal.withLock { $0 = nil }
                if failures > 0 || wasAway { report("uploading again\(lossText)") }
                if !isReady || wasAway { ready(true) }
                return .done
            } catch {
                if Task.isCancelled {
                    watch.cancel()
                    return .abandoned
                }
                failures += 1
                if hasWorked, mayLeaveOut, object.kind != .playlist, error.isAboutObject {
                    refusals += 1
                    if refusals >= policy.refusalsOfObject {
                        watch.cancel()
                        if await watch.value { ready(true) }
                        report(leftOutText(object, error))
                        return .leftOut
                    }
                }
                guard await mayRetry(error, failures: failures, since: start, hasWorked: hasWorked) else {
                    watch.cancel()
                    return Task.isCancelled ? .abandoned : .gaveUp
                }
            }
        }
    }

    /// Reports that the store is not available when an upload takes longer than `uploadLimit`. Returns true if it
    /// reported that.
    private func tellWhenAway() async -> Bool {
        guard (try? await Task.sleep(for: policy.uploadLimit)) != nil else { return false }
        let sentence = refusal.withLock { $0 } ?? "\(store.name) does not answer"
        report(waitingText(sentence))
        ready(false)
        return true
    }

    /// Waits before the next attempt. Returns false if there is no further attempt.
    private func mayRetry(_ error: StoreError, failures: Int, since start: ContinuousClock.Instant, hasWorked: Bool)
        async -> Bool
    {
        let sentence: String
        var asked = Duration.zero
        switch error {
        // A server that worked before can be in the middle of a restart, or behind a captive portal, which answers with
        // anything. Only a wrong password is permanent.
        case .refused(let code, let reason) where !hasWorked || ReportedCode(code) == .unauthorized:
            fail(BroadcastFailure(code: code, message: reason))
            return false
        case .refused(_, let reason): sentence = reason
        case .unavailable(let reason, let retryAfter):
            sentence = reason
            asked = min(retryAfter ?? .zero, policy.longestAsked)
        }
        guard hasWorked || ContinuousClock.now - start < policy.longestFirstOutage else {
            // If no upload ever succeeded, the host does not retry either.
            fail(BroadcastFailure(code: 503, message: sentence))
            return false
        }
        refusal.withLock { $0 = sentence }
        report(waitingText(sentence))
        return (try? await Task.sleep(for: max(asked, policy.backoff.delay(afterFailures: failures)))) != nil
    }

    private func leftOutText(_ object: StoredObject, _ error: StoreError) -> String {
        var text = "left out a segment of \(object.bytes.count / 1000) kB that \(store.name) refuses"
        if case .refused(413, _) = error { text += ": it is too large for the server (nginx: client_max_body_size)" }
        return text
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
