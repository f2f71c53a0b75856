import Foundation
import HLS
import Media
import Synchronization
import Testing
import broadcast_hls

struct UploaderTests {
    /// A store that accepts all objects, hangs, or fails.
    private final class FickleStore: SegmentStore {
        enum Mood {
            case willing, hanging, failing
        }

        let name = "the store"
        let mood = Mutex(Mood.willing)
        let taken = Mutex<[String]>([])

        func put(_ object: StoredObject) async throws(StoreError) {
            while mood.withLock({ $0 }) == .hanging { try? await Task.sleep(for: .milliseconds(5)) }
            if mood.withLock({ $0 }) == .failing { throw .unavailable("the store cannot be reached") }
            taken.withLock { $0.append(object.name) }
        }

        func delete(_ name: String) async throws(StoreError) {}
    }

    /// The reports of an uploader, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        func wait(for line: String) async throws {
            let deadline = ContinuousClock.now + .seconds(20)
            while !all.contains(line) {
                try #require(ContinuousClock.now < deadline, "\(line) is not in \(all)")
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private let store = FickleStore()
    private let log = Log()

    private func uploader(hiccup: Duration) -> Uploader {
        let names = ObjectNames(playlist: "live.m3u8", format: .ts, date: Date(timeIntervalSince1970: 0), number: 1)
        let playlist = MediaPlaylist(window: 3, firstNumber: 1, targetDuration: 4)
        var policy = RetryPolicy()
        policy.hiccup = hiccup
        return Uploader(
            store: store, publication: Publication(names: names, playlist: playlist, maximumWaitingByteCount: 1000), policy: policy,
            report: { [log] in log.add($0) }, ready: { [log] in log.add("ready \($0)") }, fail: { [log] in log.add("failed: \($0.message)") })
    }

    private func segment() -> Segment {
        Segment(bytes: [1, 2, 3], duration: MediaTime(milliseconds: 4000), date: Date(timeIntervalSince1970: 0))
    }

    @Test(arguments: [
        (true, "the store does not answer; 1 segment waits"), (false, "the store cannot be reached; 1 segment waits"),
    ])
    func `A store that hangs or fails for longer than the limit is not ready until it recovers`(
        hangs: Bool, sentence: String
    ) async throws {
        let uploader = uploader(hiccup: .milliseconds(300))
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        store.mood.withLock { $0 = hangs ? .hanging : .failing }
        uploader.append(segment())
        try await log.wait(for: "ready false")
        #expect(log.all.contains(sentence))
        store.mood.withLock { $0 = .willing }
        uploader.end()
        await run.value
        #expect(log.all.filter { $0.hasPrefix("ready") } == ["ready true", "ready false", "ready true"])
        #expect(log.all.contains("uploading again") && !log.all.contains { $0.hasPrefix("failed") })
    }

    @Test func `A short failure is reported, and the store remains ready`() async throws {
        let uploader = uploader(hiccup: .seconds(60))
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        store.mood.withLock { $0 = .failing }
        uploader.append(segment())
        try await log.wait(for: "the store cannot be reached; 1 segment waits")
        store.mood.withLock { $0 = .willing }
        uploader.end()
        await run.value
        #expect(log.all.last == "uploading again")
        #expect(log.all.filter { $0.hasPrefix("ready") } == ["ready true"])
    }
}
