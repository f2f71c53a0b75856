import Foundation
import HLS
import HLSExtension
import Media
import Synchronization
import TestSupport
import Testing

struct UploaderTests {
    /// A store that accepts all objects, hangs, or fails.
    private final class FickleStore: SegmentStore {
        enum Mood: Equatable {
            case willing, hanging, failing
            case refusing(code: Int)
            /// Asks to wait.
            case busy(Duration)
            /// Refuses segments of more than ten bytes.
            case limited
        }

        let name = "the store"
        let mood = Mutex(Mood.willing)
        let taken = Mutex<[String]>([])
        /// What a deletion does.
        let deletion = Mutex<Result<Void, StoreError>?>(.success(()))
        /// The deletions that were begun.
        let deletions = Mutex<[String]>([])
        /// The uploads that were begun, and when.
        let begun = Mutex<[String]>([])
        let beginnings = Mutex<[ContinuousClock.Instant]>([])
        let left = Mutex<String?>(nil)
        /// How often another process still changes `left`, after each read of it.
        let changes = Mutex(0)
        let lastPlaylist = Mutex("")

        func put(_ object: StoredObject) async throws(StoreError) {
            begun.withLock { $0.append(object.name) }
            beginnings.withLock { $0.append(.now) }
            while mood.withLock({ $0 }) == .hanging, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            if Task.isCancelled { throw .unavailable("the request was cancelled") }
            if object.kind == .playlist { lastPlaylist.withLock { $0 = String(decoding: object.bytes, as: UTF8.self) } }
            if mood.withLock({ $0 }) == .failing { throw .unavailable("the store cannot be reached") }
            if case .busy(let time) = mood.withLock({ $0 }) {
                throw .unavailable("the store is busy", retryAfter: time)
            }
            if case .refusing(let code) = mood.withLock({ $0 }) { throw .refused(code: code, "the store refuses") }
            if mood.withLock({ $0 }) == .limited, object.kind == .segment, object.bytes.count > 10 {
                throw .refused(code: 413, "too large")
            }
            taken.withLock { $0.append(object.name) }
        }

        func playlist(named name: String) async -> String? {
            let text = left.withLock { $0 }
            let changes = changes.withLock { changes in
                defer { changes = max(0, changes - 1) }
                return changes
            }
            if changes > 0 { left.withLock { $0 = text.map { $0 + "." } } }
            return text
        }

        /// Hangs if `deletion` is nil. A deletion that can be seen has its result already, unless it hangs.
        func delete(_ name: String) async throws(StoreError) {
            var result = deletion.withLock { $0 }
            deletions.withLock { $0.append(name) }
            while !Task.isCancelled {
                if let result { return try result.get() }
                try? await Task.sleep(for: .milliseconds(5))
                result = deletion.withLock { $0 }
            }
        }
    }

    /// The reports of an uploader, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        func wait(for line: String) async throws {
            try await waitUntil(line) { all.contains(line) }
        }
    }

    private let store = FickleStore()
    private struct Pace: Equatable {
        var waiting: Int
        var bitrate: Int?
    }

    private let log = Log()
    private let paces = Paces()

    private final class Paces: Sendable {
        private let all = Mutex<[Pace]>([])
        var last: Pace? { all.withLock { $0.last } }
        func add(_ pace: Pace) { all.withLock { $0.append(pace) } }
    }

    private func uploader(
        uploadLimit: Duration = .seconds(60), longestAsked: Duration = .seconds(60), wasLive: Bool = false,
        continuing: @escaping @Sendable (String) -> MediaPlaylist? = { _ in nil }
    ) -> Uploader {
        let names = ObjectNames(playlist: "live.m3u8", format: .ts, date: Date(timeIntervalSince1970: 0), number: 1)
        let playlist = MediaPlaylist(window: 3, firstNumber: 1, targetDuration: 4)
        var policy = RetryPolicy()
        policy.uploadLimit = uploadLimit
        policy.longestAsked = longestAsked
        return Uploader(
            store: store, publication: Publication(names: names, playlist: playlist, maximumWaitingByteCount: 1000),
            policy: policy, wasLive: wasLive,
            continuing: continuing, report: { [log] in log.add($0) }, ready: { [log] in log.add("ready \($0)") },
            pace: { [paces] waiting, bitrate in paces.add(Pace(waiting: waiting, bitrate: bitrate)) },
            fail: { [log] in log.add("failed: \($0.message)") })
    }

    private func segment() -> Segment {
        Segment(bytes: [1, 2, 3], duration: MediaTime(milliseconds: 4000), date: Date(timeIntervalSince1970: 0))
    }

    /// A segment without a duration: it can be deleted as soon as it has left the playlist.
    private func shortSegment() -> Segment {
        Segment(bytes: [1], duration: .zero, date: Date(timeIntervalSince1970: 0))
    }

    @Test(arguments: [
        (true, "the store does not answer; 1 segment waits"), (false, "the store cannot be reached; 1 segment waits"),
    ])
    func `A store that hangs or fails for longer than the limit is not ready until it recovers`(
        hangs: Bool, sentence: String
    ) async throws {
        let uploader = uploader(uploadLimit: .milliseconds(300))
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        store.mood.withLock { $0 = hangs ? .hanging : .failing }
        uploader.append(segment())
        func sinceReady() -> ArraySlice<String> { log.all.drop { $0 != "ready true" } }
        try await waitUntil("the report of it") { sinceReady().drop { $0 != sentence }.contains("ready false") }
        store.mood.withLock { $0 = .willing }
        uploader.end()
        await run.value
        // A busy machine may make another upload last longer than the limit.
        let ready = sinceReady().filter { $0.hasPrefix("ready") }
        #expect(
            ready.count >= 3 && ready.last == "ready true" && zip(ready, ready.dropFirst()).allSatisfy { $0 != $1 },
            "\(ready)")
        #expect(log.all.contains("uploading again") && !log.all.contains { $0.hasPrefix("failed") })
    }

    @Test func `A short failure is reported, and the store remains ready`() async throws {
        let uploader = uploader(uploadLimit: .seconds(60))
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

    // MARK: Deletions

    @Test func `A deletion that hangs delays neither the uploads nor the end`() async throws {
        store.deletion.withLock { $0 = nil }
        let uploader = uploader()
        let run = Task { await uploader.run() }
        for _ in 0..<8 { uploader.append(shortSegment()) }
        try await waitUntil("a deletion") { store.deletions.withLock { $0.count } == 1 }
        for _ in 0..<8 { uploader.append(shortSegment()) }
        uploader.end()
        await run.value
        #expect(store.taken.withLock { $0.count { $0.hasSuffix(".ts") } } == 16)
        #expect(store.lastPlaylist.withLock { $0 }.hasSuffix("#EXT-X-ENDLIST\n") && uploader.hasPublishedEnd)
        #expect(store.deletions.withLock { $0.count } == 1)
    }

    @Test(arguments: [(503, true), (403, true), (StoreError.untrusted, true), (401, false)])
    func `A store that accepted an object may refuse the next ones for a time, but not the password`(
        code: Int, goesOn: Bool
    ) async throws {
        let uploader = uploader()
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        store.mood.withLock { $0 = .refusing(code: code) }
        uploader.append(segment())
        try await log.wait(for: goesOn ? "the store refuses; 1 segment waits" : "failed: the store refuses")
        store.mood.withLock { $0 = .willing }
        if goesOn {
            try await waitUntil("the second segment") { store.taken.withLock { $0.count { $0.hasSuffix(".ts") } } == 2 }
        }
        uploader.end()
        await run.value
        #expect(uploader.hasPublishedEnd == goesOn && log.all.contains { $0.hasPrefix("failed") } == !goesOn)
    }

    @Test func `A store that asks to wait is asked again after that, and after a minute at most`() async throws {
        #expect(RetryPolicy().longestAsked == .seconds(60))
        let uploader = uploader(longestAsked: .seconds(1))
        let run = Task { await uploader.run() }
        store.mood.withLock { $0 = .busy(.seconds(1_000_000)) }
        uploader.append(segment())
        try await log.wait(for: "the store is busy; 1 segment waits")
        store.mood.withLock { $0 = .willing }
        try await log.wait(for: "ready true")
        let times = store.beginnings.withLock { $0 }
        #expect(times.count >= 2 && times[1] - times[0] >= .seconds(1), "\(times)")
        uploader.end()
        await run.value
        #expect(uploader.hasPublishedEnd)
    }

    @Test func `An object that a server refuses after it accepted others is left out after three tries`() async throws {
        let uploader = uploader()
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        store.mood.withLock { $0 = .limited }
        uploader.append(
            Segment(
                bytes: [UInt8](repeating: 0, count: 20), duration: MediaTime(milliseconds: 4000),
                date: Date(timeIntervalSince1970: 0)))
        uploader.append(segment())
        uploader.end()
        await run.value
        #expect(store.begun.withLock { $0.count { $0.hasSuffix("000001.ts") } } == 4)
        #expect(store.taken.withLock { $0.count { $0.hasSuffix(".ts") } } == 2)
        #expect(
            uploader.lost.segments == 1 && uploader.lost.duration == MediaTime(milliseconds: 4000)
                && uploader.hasPublishedEnd)
        #expect(
            log.all.contains(
                "left out a segment of 0 kB that the store refuses: it is too large for the server (nginx: client_max_body_size)"
            ))
        #expect(store.lastPlaylist.withLock { $0 }.contains("#EXT-X-DISCONTINUITY\n"))
    }

    @Test func `A store that an earlier process used is tried until it answers`() async throws {
        store.mood.withLock { $0 = .refusing(code: 403) }
        let uploader = uploader(wasLive: true)
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await waitUntil("some tries") { store.begun.withLock { $0.count } >= 3 }
        store.mood.withLock { $0 = .willing }
        uploader.end()
        await run.value
        #expect(
            uploader.hasPublishedEnd && !log.all.contains { $0.hasPrefix("failed") } && log.all.contains("ready true"))
    }

    @Test func `The media that waits is reported, and that nothing waits any more`() async throws {
        let uploader = uploader()
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        store.mood.withLock { $0 = .hanging }
        for _ in 0..<3 { uploader.append(segment()) }
        #expect(paces.last?.waiting == 12_000)
        store.mood.withLock { $0 = .willing }
        uploader.end()
        await run.value
        #expect(paces.last?.waiting == 0)
    }

    @Test(arguments: [503, 403, 401, StoreError.untrusted])
    func `A store that refuses the first object is not tried again`(code: Int) async throws {
        store.mood.withLock { $0 = .refusing(code: code) }
        let uploader = uploader()
        uploader.append(segment())
        await uploader.run()
        #expect(log.all == ["failed: the store refuses"] && store.begun.withLock { $0.count } == 1)
    }

    @Test(arguments: [(405, 1), (501, 1), (403, 3)])
    func `A store that rejects deletions gets no further ones`(code: Int, count: Int) async throws {
        store.deletion.withLock { $0 = .failure(.refused(code: code, "no")) }
        let uploader = uploader()
        let run = Task { await uploader.run() }
        for _ in 0..<8 { uploader.append(shortSegment()) }
        try await log.wait(for: "old segments remain: the store does not accept DELETE (\(code))")
        for _ in 0..<8 { uploader.append(shortSegment()) }
        uploader.end()
        await run.value
        #expect(store.deletions.withLock { $0.count } == count && uploader.hasPublishedEnd)
    }

    @Test func `A deletion that fails for a time is tried again after the next upload`() async throws {
        store.deletion.withLock { $0 = .failure(.unavailable("away")) }
        let uploader = uploader()
        let run = Task { await uploader.run() }
        for _ in 0..<4 { uploader.append(shortSegment()) }
        try await waitUntil("a deletion") { store.deletions.withLock { !$0.isEmpty } }
        store.deletion.withLock { $0 = .success(()) }
        uploader.append(shortSegment())
        try await waitUntil("both deletions") { Set(store.deletions.withLock { $0 }).count == 2 }
        uploader.end()
        await run.value
        let first = store.deletions.withLock { $0 }.filter { $0.hasSuffix("000000.ts") }
        #expect(first.count >= 2)
    }

    // MARK: The end, and a new start

    @Test func `An upload that hangs at the end is abandoned for the final playlist`() async throws {
        let uploader = uploader()
        let run = Task { await uploader.run() }
        uploader.append(segment())
        try await log.wait(for: "ready true")
        try await waitUntil("the playlist") { store.taken.withLock { $0.contains("live.m3u8") } }
        store.mood.withLock { $0 = .hanging }
        uploader.append(segment())
        uploader.end()
        try await waitUntil("the upload") { store.begun.withLock { $0.contains { $0.hasSuffix("000001.ts") } } }
        uploader.skipToEnd()
        store.mood.withLock { $0 = .willing }
        await run.value
        #expect(uploader.hasPublishedEnd && store.lastPlaylist.withLock { $0 }.hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(!log.all.contains { $0.hasPrefix("failed") })
    }

    @Test func `A store that hangs for good has no final playlist, and the end returns`() async throws {
        let uploader = uploader()
        store.mood.withLock { $0 = .hanging }
        let run = Task { await uploader.run() }
        uploader.append(segment())
        uploader.end()
        uploader.skipToEnd()
        await run.value
        #expect(!uploader.hasPublishedEnd)
    }

    @Test func `The playlist of a process that crashed is continued`() async throws {
        store.left.withLock { $0 = "left" }
        let uploader = uploader { text in
            guard text == "left" else { return nil }
            var playlist = MediaPlaylist(window: 3, firstNumber: 41, targetDuration: 4)
            _ = playlist.append(
                .init(
                    name: "live-old.ts", duration: MediaTime(milliseconds: 4000), date: Date(timeIntervalSince1970: 0)))
            return playlist
        }
        let run = Task { await uploader.run() }
        uploader.append(segment())
        uploader.end()
        await run.value
        let lines = store.lastPlaylist.withLock { $0 }.split(separator: "\n")
        #expect(
            lines.contains("#EXT-X-MEDIA-SEQUENCE:41") && lines.contains("live-old.ts")
                && lines.contains("#EXT-X-DISCONTINUITY"))
    }

    @Test(arguments: [(1, true), (1000, false)])
    func `A playlist that another broadcast keeps changing is neither continued nor replaced`(
        changes: Int, isContinued: Bool
    ) async throws {
        store.left.withLock { $0 = "left" }
        store.changes.withLock { $0 = changes }
        let uploader = uploader { _ in
            var playlist = MediaPlaylist(window: 3, firstNumber: 41, targetDuration: 0)
            _ = playlist.append(.init(name: "live-old.ts", duration: .zero, date: Date(timeIntervalSince1970: 0)))
            return playlist
        }
        let run = Task { await uploader.run() }
        uploader.append(segment())
        let conflict =
            "failed: Another broadcast writes live.m3u8 to the store already. Stop it, or choose another name or address"
        if isContinued { try await log.wait(for: "ready true") } else { try await log.wait(for: conflict) }
        uploader.end()
        await run.value
        #expect(
            store.lastPlaylist.withLock { $0 }.contains("live-old.ts") == isContinued
                && log.all.contains(conflict) != isContinued)
        #expect(store.begun.withLock { $0.isEmpty } != isContinued)
    }
}
