import FoundationEssentials
import Media
import Synchronization
import Testing

@Suite struct PacketQueueTests {
    static let small = limits(.dropsArrivals)
    static let smallLive = limits(.skipsToNewestKeyframe)

    private static func limits(_ overflow: PacketQueue.Limits.Overflow) -> PacketQueue.Limits {
        PacketQueue.Limits(
            duration: MediaTime(milliseconds: 1000), byteCount: 1000, startsWithVideo: true, overflow: overflow)
    }

    // MARK: Start

    @Test func `packets before open are discarded and not counted`() async {
        let queue = PacketQueue(limits: .live)
        queue.push(video(0, at: 0, keyframe: true))
        queue.open()
        queue.end()
        #expect(await drain(queue).isEmpty)
        #expect(queue.droppedFrames == 0)
    }

    @Test func `a live queue starts with a keyframe and drops audio before it`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        queue.push(sound(0, at: 0))
        queue.push(video(0, at: 10, keyframe: false))
        queue.push(sound(1, at: 20))
        queue.push(video(1, at: 30, keyframe: true))
        queue.push(sound(2, at: 40))
        queue.end()
        #expect(await drain(queue) == ["screen 1 key", "mixed 2"])
        #expect(queue.droppedFrames == 0)
    }

    @Test func `annotations of an outage take the place of one, with the newest values`() async {
        let queue = PacketQueue(limits: .live)
        queue.push(.annotated(["subject": "frames"]))
        for number in 0..<10_000 { queue.push(.annotated(["title": "\(number)"])) }
        queue.push(.paused(at: MediaTime(milliseconds: 5)))
        queue.push(.annotated(["title": "last"]))
        var elements: [PacketQueue.Element] = []
        queue.end()
        while let element = await queue.next() { elements.append(element) }
        #expect(elements.count == 2)
        guard case .paused = elements.first, case .annotated(["subject": "frames", "title": "last"]) = elements.last
        else {
            Issue.record("\(elements)")
            return
        }
    }

    @Test func `a file queue keeps audio before the first keyframe`() async {
        let queue = PacketQueue(limits: .file)
        queue.open()
        queue.push(sound(0, at: 0))
        queue.push(video(0, at: 10, keyframe: false))
        queue.push(video(1, at: 30, keyframe: true))
        queue.end()
        #expect(await drain(queue) == ["mixed 0", "screen 1 key"])
    }

    @Test func `push requests a keyframe until one arrives`() {
        let queue = PacketQueue(limits: .live)
        queue.open()
        #expect(queue.push(video(0, at: 0, keyframe: false)))
        #expect(queue.push(video(1, at: 33, keyframe: false)))
        #expect(!queue.push(video(2, at: 66, keyframe: true)))
        #expect(!queue.push(video(3, at: 100, keyframe: false)))
    }

    // MARK: Overflow of a live queue

    @Test func `a live queue that overflows drops the video before its newest keyframe, which is marked`() async {
        let queue = PacketQueue(limits: Self.smallLive)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        for index in 1...5 { queue.push(video(UInt32(index), at: Int64(index) * 100, keyframe: false)) }
        queue.push(sound(0, at: 550))
        queue.push(video(6, at: 600, keyframe: true))
        queue.push(video(7, at: 700, keyframe: false))
        // No keyframe is requested, because one waits.
        #expect(!queue.push(video(8, at: 1001, keyframe: false)))
        queue.end()
        #expect(await drain(queue) == ["mixed 0", "screen 6 key gap", "screen 7", "screen 8"])
        #expect(queue.droppedFrames == 6)
    }

    @Test func `a keyframe that arrives in a full live queue replaces the video that waits`() async {
        let queue = PacketQueue(limits: Self.smallLive)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 500))
        queue.push(video(1, at: 10, keyframe: false, bytes: 400))
        queue.push(sound(0, at: 15, bytes: 50))
        queue.push(video(2, at: 20, keyframe: true, bytes: 600))
        queue.push(video(3, at: 30, keyframe: false, bytes: 10))
        queue.end()
        #expect(await drain(queue) == ["mixed 0", "screen 2 key gap", "screen 3"])
        #expect(queue.droppedFrames == 2)
    }

    @Test func `a live queue without a newer keyframe keeps what waits, and requests one when half of it is taken`()
        async
    {
        let queue = PacketQueue(limits: Self.smallLive)
        queue.open()
        for index in 0...10 { queue.push(video(UInt32(index), at: Int64(index) * 100, keyframe: index == 0)) }
        // The queue is full. A keyframe now would only replace what the destination cannot take anyway.
        #expect(!queue.push(video(11, at: 1100, keyframe: false)))
        #expect(await take(5, of: queue) == ["screen 0 key", "screen 1", "screen 2", "screen 3", "screen 4"])
        #expect(queue.push(video(12, at: 1200, keyframe: false)))
        #expect(!queue.push(video(13, at: 1300, keyframe: true)))
        queue.end()
        #expect(
            await drain(queue) == [
                "screen 5", "screen 6", "screen 7", "screen 8", "screen 9", "screen 10", "screen 13 key gap",
            ])
        #expect(queue.droppedFrames == 2)
    }

    @Test func `the newest of several keyframes is kept, also with sound that is older than the limit`() async {
        let queue = PacketQueue(limits: Self.smallLive)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        for index in 0..<50 {
            queue.push(sound(UInt32(index), at: Int64(index) * 100, bytes: 1))
            queue.push(video(UInt32(index) + 1, at: Int64(index) * 100 + 50, keyframe: index % 4 == 0))
        }
        queue.end()
        let taken = await drain(queue)
        #expect(taken.filter { $0.hasPrefix("mixed") } == (0..<50).map { "mixed \($0)" })
        let pictures = taken.filter { $0.hasPrefix("screen") }
        // At most a second waits, and it starts with a keyframe: every fourth picture is one.
        #expect(pictures.count < 11 && pictures.first == "screen 41 key gap")
        #expect(
            pictures.suffix(6) == [
                "screen 45 key", "screen 46", "screen 47", "screen 48", "screen 49 key", "screen 50",
            ])
    }

    /// A reader that takes one picture while two arrive. Each requested keyframe is delivered with the next picture.
    @Test func `a live reader that is too slow requests a keyframe only every few seconds`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        var requests = 0
        var isWanted = true
        for tick in 0..<1800 {
            let needsKeyframe = queue.push(video(UInt32(tick), at: Int64(tick) * 1000 / 30, keyframe: isWanted))
            isWanted = needsKeyframe
            if needsKeyframe { requests += 1 }
            if tick % 2 == 1 { _ = await queue.next() }
        }
        // The queue takes 2 to 4 s to fill, and 2 s to become half empty.
        #expect((5...15).contains(requests), "\(requests) keyframes in a minute")
        #expect(queue.backlog <= PacketQueue.Limits.live.duration)
    }

    @Test func `a live reader that takes nothing requests no keyframe after the first`() {
        let queue = PacketQueue(limits: .live)
        queue.open()
        var requests = 0
        var isWanted = true
        for tick in 0..<1800 {
            isWanted = queue.push(video(UInt32(tick), at: Int64(tick) * 1000 / 30, keyframe: isWanted))
            if isWanted { requests += 1 }
            queue.push(sound(UInt32(tick), at: Int64(tick) * 1000 / 30))
        }
        #expect(requests == 0)
    }

    // MARK: Overflow of a recording

    @Test func `video over the byte limit is dropped up to a keyframe and counted, and the gap is marked`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 400))
        queue.push(video(1, at: 10, keyframe: false, bytes: 600))
        queue.push(video(2, at: 20, keyframe: false, bytes: 1))
        #expect(await take(2, of: queue) == ["screen 0 key", "screen 1"])
        // There is space again, but these packets depend on the dropped picture.
        #expect(queue.push(video(3, at: 30, keyframe: false, bytes: 1)))
        queue.push(video(4, at: 40, keyframe: true, bytes: 1))
        queue.push(video(5, at: 50, keyframe: false, bytes: 1))
        queue.end()
        #expect(await drain(queue) == ["screen 4 key gap", "screen 5"])
        #expect(queue.droppedFrames == 2)
    }

    @Test func `An hour of silence that arrives at once does not fill the memory`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        for index in 0..<169_000 { queue.push(sound(UInt32(index), at: Int64(index) * 21, bytes: 6)) }
        queue.end()
        #expect(await drain(queue).count == 30_001)
    }

    @Test func `exactly as many bytes as the limit are accepted`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 999))
        queue.push(video(1, at: 10, keyframe: false, bytes: 1))
        queue.push(video(2, at: 20, keyframe: false, bytes: 1))
        queue.end()
        #expect(await drain(queue) == ["screen 0 key", "screen 1"])
        #expect(queue.droppedFrames == 1)
    }

    @Test func `video over the time limit is dropped, and exactly the limit is accepted`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 5000, keyframe: true))
        queue.push(video(1, at: 6000, keyframe: false))
        #expect(queue.backlog == MediaTime(milliseconds: 1000))
        queue.push(video(2, at: 6001, keyframe: false))
        queue.push(video(3, at: 6010, keyframe: true))
        queue.end()
        #expect(await drain(queue) == ["screen 0 key", "screen 1"])
        #expect(queue.droppedFrames == 2)
    }

    @Test func `a keyframe over the limit is dropped, and the next one that fits is accepted`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 900))
        queue.push(video(1, at: 10, keyframe: true, bytes: 900))
        queue.push(video(2, at: 20, keyframe: true, bytes: 50))
        queue.end()
        #expect(await drain(queue) == ["screen 0 key", "screen 2 key gap"])
        #expect(queue.droppedFrames == 1)
    }

    @Test func `an empty queue accepts a picture larger than the limit`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 50_000))
        queue.end()
        #expect(await drain(queue) == ["screen 0 key"])
    }

    @Test func `audio is not dropped if video exceeds the limit`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 990))
        for index in 0..<40 {
            queue.push(sound(UInt32(index), at: Int64(index) * 100, bytes: 20))
            queue.push(video(UInt32(index) + 1, at: Int64(index) * 100, keyframe: index % 5 == 0, bytes: 100))
        }
        queue.end()
        let taken = await drain(queue)
        #expect(taken == ["screen 0 key"] + (0..<40).map { "mixed \($0)" })
        #expect(queue.droppedFrames == 40)
    }

    @Test func `audio over the byte limit is dropped only if nothing is ever taken`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 10))
        for index in 0..<12 { queue.push(sound(UInt32(index), at: Int64(index) * 20, bytes: 100)) }
        queue.end()
        #expect(await drain(queue) == ["screen 0 key"] + (0..<10).map { "mixed \($0)" })
    }

    @Test func `taking an element frees space`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        for index in 0..<500 {
            queue.push(video(UInt32(index), at: Int64(index) * 33, keyframe: index == 0, bytes: 600))
            let expected = index == 0 ? "screen 0 key" : "screen \(index)"
            let taken = await take(1, of: queue)
            guard taken != [expected] else { continue }
            Issue.record("\(taken) in the place of \(expected)")
            return
        }
        #expect(queue.droppedFrames == 0)
        #expect(queue.backlog == .zero)
    }

    @Test func `after discardAll, video restarts at the next keyframe`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 990))
        queue.push(sound(0, at: 0))
        queue.discardAll()
        #expect(queue.backlog == .zero)
        queue.push(video(1, at: 33, keyframe: false, bytes: 990))
        queue.push(video(2, at: 66, keyframe: true, bytes: 990))
        queue.end()
        let taken = await drain(queue)
        #expect(taken.count == 1)
        #expect(taken.first?.hasPrefix("screen 2 key") == true)
    }

    // MARK: Lifecycle

    @Test func `lifecycle elements keep their position between the packets`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        queue.push(.paused(at: MediaTime(milliseconds: 5)))
        queue.push(.resumed(at: MediaTime(milliseconds: 8)))
        queue.push(sound(0, at: 10))
        queue.push(.annotated(["title": "Terminal"]))
        queue.push(video(1, at: 33, keyframe: false))
        queue.end()
        #expect(
            await drain(queue) == [
                "screen 0 key", "paused at 5", "resumed at 8", "mixed 0", "annotated title=Terminal", "screen 1",
            ])
    }

    @Test func `annotations that wait are merged into one, whose values are the newest`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        for index in 0..<1000 { queue.push(.annotated(["title": "page \(index)"])) }
        queue.push(.annotated(["application": "Browser"]))
        queue.push(video(1, at: 33, keyframe: false))
        #expect(await take(2, of: queue) == ["screen 0 key", "annotated application=Browser, title=page 999"])
        // That one does not wait any more.
        queue.push(.annotated(["title": "Terminal"]))
        queue.end()
        #expect(await drain(queue) == ["screen 1", "annotated title=Terminal"])
    }

    @Test func `a closed queue keeps one annotation, with the newest values`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        queue.push(.annotated(["title": "a", "application": "x"]))
        queue.close()
        for title in ["b", "c"] { queue.push(.annotated(["title": title])) }
        queue.end()
        #expect(await drain(queue) == ["annotated application=x, title=c"])
    }

    @Test func `a full queue accepts lifecycle elements`() async {
        let queue = PacketQueue(limits: Self.small)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 1000))
        queue.push(video(1, at: 33, keyframe: false, bytes: 1000))
        queue.push(.paused(at: MediaTime(milliseconds: 5)))
        queue.end()
        #expect(await drain(queue) == ["screen 0 key", "paused at 5"])
    }

    @Test func `after the end, waiting elements are still returned and new ones are rejected`() async {
        let queue = PacketQueue(limits: .live)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        queue.end()
        queue.push(video(1, at: 33, keyframe: true))
        queue.push(.paused(at: MediaTime(milliseconds: 5)))
        #expect(await drain(queue) == ["screen 0 key"])
        #expect(await queue.next() == nil)
        #expect(queue.droppedFrames == 0)
    }

    // MARK: Waiting

    @Test func `a consumer waits for a packet and receives it`() async throws {
        let queue = PacketQueue(limits: .live)
        queue.open()
        let consumer = Task { await queue.next().map(describe) }
        try await Task.sleep(for: .milliseconds(20))
        queue.push(video(7, at: 0, keyframe: true))
        #expect(await consumer.value == "screen 7 key")
    }

    @Test func `a consumer in no hurry gets what waits when it has the duration of a batch`() async {
        let queue = PacketQueue(limits: .file)
        queue.open()
        queue.takeInBatches(of: MediaTime(milliseconds: 100))
        let taken = Mutex<[String]>([])
        let consumer = Task {
            while let element = await queue.next() { taken.withLock { $0.append(describe(element)) } }
        }
        queue.push(video(0, at: 0, keyframe: true))
        await expectCount(1, of: taken)
        for number in 1...3 { queue.push(video(UInt32(number), at: Int64(number) * 33, keyframe: false)) }
        // A consumer that takes each packet would have taken them.
        for _ in 0..<100 { await Task.yield() }
        #expect(taken.withLock { $0.count } == 1)
        #expect(queue.backlog == .zero)
        queue.push(sound(4, at: 133))
        await expectCount(5, of: taken)
        // The last ones are as old as a batch is long.
        queue.push(video(5, at: 233, keyframe: false))
        await expectCount(6, of: taken)
        queue.push(video(5, at: 266, keyframe: false))
        queue.push(.paused(at: MediaTime(milliseconds: 170)))
        await expectCount(8, of: taken)
        queue.push(video(6, at: 300, keyframe: false, bytes: 64 << 10))
        await expectCount(9, of: taken)
        queue.push(video(7, at: 333, keyframe: false))
        queue.end()
        await consumer.value
        #expect(taken.withLock { $0.count } == 10)
    }

    @Test func `a batch that is not complete can be discarded, and the next one begins anew`() async {
        let queue = PacketQueue(limits: .file)
        queue.open()
        queue.takeInBatches(of: MediaTime(milliseconds: 100))
        queue.push(video(0, at: 0, keyframe: true))
        #expect(await take(1, of: queue) == ["screen 0 key"])
        queue.push(video(1, at: 33, keyframe: false))
        queue.discardAll()
        queue.push(video(2, at: 66, keyframe: true))
        queue.push(.annotated(["title": "a"]))
        #expect(await take(2, of: queue) == ["screen 2 key gap", "annotated title=a"])
        queue.push(video(3, at: 99, keyframe: false))
        queue.close()
        queue.push(.paused(at: MediaTime(milliseconds: 110)))
        #expect(await take(1, of: queue) == ["paused at 110"])
        queue.end()
        #expect(await queue.next() == nil)
    }

    /// Waits until that many elements were taken.
    private func expectCount(_ count: Int, of taken: borrowing Mutex<[String]>) async {
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while taken.withLock({ $0.count }) < count, ContinuousClock.now < deadline { await Task.yield() }
        #expect(taken.withLock { $0.count } == count)
    }

    @Test func `a lifecycle element and the end resume a waiting consumer`() async throws {
        let queue = PacketQueue(limits: .live)
        let consumer = Task { await drain(queue) }
        try await Task.sleep(for: .milliseconds(20))
        queue.push(.paused(at: MediaTime(milliseconds: 5)))
        try await Task.sleep(for: .milliseconds(20))
        queue.end()
        #expect(await consumer.value == ["paused at 5"])
    }

    @Test(arguments: [PacketQueue.Limits.Overflow.skipsToNewestKeyframe, .dropsArrivals])
    func `many producers with a slow consumer lose only pictures, and the order is kept`(
        overflow: PacketQueue.Limits.Overflow
    ) async {
        let queue = PacketQueue(
            limits: PacketQueue.Limits(
                duration: MediaTime(milliseconds: 60_000), byteCount: 40_000, startsWithVideo: true, overflow: overflow)
        )
        queue.open()
        queue.push(video(0, at: 0, keyframe: true))
        let count: UInt32 = 3000
        let consumer = Task {
            var taken: [EncodedPacket] = []
            while let element = await queue.next() {
                if case .packet(let packet) = element { taken.append(packet) }
                if taken.count % 64 == 0 { try? await Task.sleep(for: .microseconds(500)) }
            }
            return taken
        }
        await withTaskGroup(of: Void.self) { producers in
            producers.addTask {
                for index in 1...count {
                    queue.push(video(index, at: Int64(index), keyframe: index % 20 == 0, bytes: 1000))
                    if index % 16 == 0 { await Task.yield() }
                }
            }
            for track in [Track.app, .mic, .mixed] {
                producers.addTask {
                    for index in 0..<count {
                        queue.push(sound(index, at: Int64(index), track: track, bytes: 4))
                        if index % 16 == 0 { await Task.yield() }
                    }
                }
            }
        }
        queue.end()
        let taken = await consumer.value
        for track in [Track.app, .mic, .mixed] {
            let isComplete = taken.filter { $0.track == track }.map(\.sequence) == Array(0..<count)
            #expect(isComplete, "sound of \(track.name) is missing or out of order")
        }
        let pictures = taken.filter { $0.track == .screen }
        #expect(pictures.count + queue.droppedFrames == Int(count) + 1)
        for (one, next) in zip(pictures, pictures.dropFirst()) {
            let isGap = next.sequence != one.sequence + 1
            guard next.sequence <= one.sequence || isGap != next.isDiscontinuity || (isGap && !next.isKeyframe) else {
                continue
            }
            Issue.record(
                "picture \(next.sequence) after \(one.sequence): keyframe \(next.isKeyframe), marked \(next.isDiscontinuity)"
            )
            return
        }
    }

    @Test(arguments: [PacketQueue.Limits.Overflow.skipsToNewestKeyframe, .dropsArrivals])
    func `the queue remains bounded if the consumer stops`(overflow: PacketQueue.Limits.Overflow) async {
        let queue = PacketQueue(
            limits: PacketQueue.Limits(
                duration: MediaTime(milliseconds: 2000), byteCount: 100_000, startsWithVideo: true, overflow: overflow))
        queue.open()
        for index in 0..<100_000 {
            queue.push(video(UInt32(index), at: Int64(index) * 33, keyframe: index % 60 == 0, bytes: 3000))
            queue.push(sound(UInt32(index), at: Int64(index) * 33, bytes: 100))
        }
        queue.end()
        var bytes = 0
        while let element = await queue.next() {
            if case .packet(let packet) = element { bytes += packet.data.count }
        }
        #expect(bytes <= 200_000)
    }

    @Test func `a consumer that is always a little late does not retain the packets that it has taken`() async throws {
        let queue = PacketQueue(limits: .file)
        queue.open()
        queue.push(video(0, at: 0, keyframe: true, bytes: 4 << 20))
        let before = try residentBytes()
        // One packet always waits, so the queue is never empty.
        for index in 1...60 {
            queue.push(video(UInt32(index), at: Int64(index) * 33, keyframe: true, bytes: 4 << 20))
            _ = await queue.next()
        }
        // Two packets of 4 MiB exist at a time.
        #expect(try residentBytes() - before < 48 << 20)
        #expect(queue.droppedFrames == 0)
    }

    private func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[1])) * 4096
    }

    /// Takes `count` elements, which must be available.
    private func take(_ count: Int, of queue: PacketQueue) async -> [String] {
        var taken: [String] = []
        while taken.count < count, let element = await queue.next() { taken.append(describe(element)) }
        return taken
    }
}

private func video(_ sequence: UInt32, at milliseconds: Int64, keyframe: Bool, bytes: Int = 10) -> EncodedPacket {
    packet(.screen, sequence, milliseconds, keyframe, bytes)
}

private func sound(_ sequence: UInt32, at milliseconds: Int64, track: Track = .mixed, bytes: Int = 10) -> EncodedPacket
{
    packet(track, sequence, milliseconds, true, bytes)
}

private func packet(_ track: Track, _ sequence: UInt32, _ milliseconds: Int64, _ isKeyframe: Bool, _ bytes: Int)
    -> EncodedPacket
{
    let time = MediaTime(milliseconds: milliseconds)
    return EncodedPacket(
        track: track, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, sequence: sequence,
        data: [UInt8](repeating: 1, count: bytes))
}

/// Takes all elements up to the queue's end.
private func drain(_ queue: PacketQueue) async -> [String] {
    var taken: [String] = []
    while let element = await queue.next() { taken.append(describe(element)) }
    return taken
}

private func describe(_ element: PacketQueue.Element) -> String {
    switch element {
    case .packet(let packet):
        "\(packet.track.name) \(packet.sequence)\(packet.track == .screen && packet.isKeyframe ? " key" : "")\(packet.isDiscontinuity ? " gap" : "")"
    case .paused(let time): "paused at \(time.milliseconds)"
    case .resumed(let time): "resumed at \(time.milliseconds)"
    case .annotated(let values):
        "annotated " + values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")
    }
}
