import Media
import Pipeline
import SessionFakes
import Testing

/// Which packets reach which queue.
struct DistributorTests {
    private func queue() -> PacketQueue {
        let queue = PacketQueue(limits: .file)
        queue.open()
        return queue
    }

    private func summary(_ queue: PacketQueue) async -> [String] {
        queue.end()
        return await queue.remaining().map(\.summary)
    }

    @Test func `Each outlet gets the tracks that it takes`() async {
        let distributor = Distributor(clips: nil)
        let (pictures, sound) = (queue(), queue())
        distributor.add(.init(queue: pictures, tracks: [.screen], carriesMarks: true))
        distributor.add(.init(queue: sound, tracks: [.app, .mic], carriesMarks: false))
        _ = distributor.distribute([
            videoPacket(0, isKeyframe: true), soundPacket(.app, at: .zero), soundPacket(.mixed, at: .zero),
        ])
        #expect(await summary(pictures) == ["video 0"])
        #expect(await summary(sound) == ["app"])
    }

    @Test func `Raw and encoded packets do not mix`() async {
        let distributor = Distributor(clips: nil)
        let (raw, encoded) = (queue(), queue())
        distributor.add(.init(queue: raw, tracks: [.screen], coding: .raw, carriesMarks: true))
        distributor.add(.init(queue: encoded, tracks: [.screen], carriesMarks: true))
        #expect(distributor.tracks(.raw) == [.screen] && distributor.tracks() == [.screen])
        _ = distributor.distribute([videoPacket(1, isKeyframe: true)])
        distributor.distribute([videoPacket(2, isKeyframe: true)], .raw)
        distributor.distribute(.paused(at: MediaTime(milliseconds: 10)), .raw)
        #expect(await summary(raw) == ["video 2", "paused 10"])
        #expect(await summary(encoded) == ["video 1"])
    }

    @Test func `AAC, Opus and PCM of the same track do not mix, and each carries its marks`() async {
        let distributor = Distributor(clips: nil)
        let queues = Distributor.Coding.allCases.map { coding in
            let queue = queue()
            distributor.add(.init(queue: queue, tracks: [.mixed], coding: coding, carriesMarks: true))
            return queue
        }
        for (index, coding) in Distributor.Coding.allCases.enumerated() {
            #expect(distributor.tracks(coding) == [.mixed])
            distributor.distribute([EncodedPacket](repeating: soundPacket(.mixed, at: .zero), count: index + 1), coding)
            distributor.distribute(.paused(at: MediaTime(milliseconds: Int64(index))), coding)
        }
        for (index, queue) in queues.enumerated() {
            #expect(await summary(queue) == [String](repeating: "mixed", count: index + 1) + ["paused \(index)"])
        }
    }

    @Test func `An outlet that was removed gets nothing more`() async {
        let distributor = Distributor(clips: nil)
        let (first, second) = (queue(), queue())
        #expect(distributor.isEmpty)
        for queue in [first, second] {
            distributor.add(.init(queue: queue, tracks: [.screen], carriesMarks: true))
        }
        _ = distributor.distribute([videoPacket(0, isKeyframe: true)])
        distributor.remove(first)
        _ = distributor.distribute([videoPacket(1)])
        distributor.distribute(.paused(at: .zero))
        #expect(!distributor.isEmpty)
        #expect(await summary(first) == ["video 0"])
        #expect(await summary(second) == ["video 0", "video 1", "paused 0"])
        distributor.remove(second)
        #expect(distributor.isEmpty && distributor.tracks().isEmpty)
    }

    @Test func `Marks reach only the outlets that carry them, in their place between packets`() async {
        let distributor = Distributor(clips: nil)
        let (marked, plain) = (queue(), queue())
        distributor.add(.init(queue: marked, tracks: [.screen], carriesMarks: true))
        distributor.add(.init(queue: plain, tracks: [.screen], carriesMarks: false))
        _ = distributor.distribute([videoPacket(0, isKeyframe: true)])
        distributor.distribute(.paused(at: MediaTime(milliseconds: 33)))
        _ = distributor.distribute([videoPacket(1)])
        distributor.distribute(.resumed(at: MediaTime(milliseconds: 66)))
        _ = distributor.distribute([videoPacket(2)])
        #expect(await summary(marked) == ["video 0", "paused 33", "video 1", "resumed 66", "video 2"])
        #expect(await summary(plain) == ["video 0", "video 1", "video 2"])
    }

    @Test func `An outlet that joins during a pause begins with it, and one that joins later does not`() async {
        let distributor = Distributor(clips: nil)
        distributor.distribute(.paused(at: MediaTime(milliseconds: 100)))
        let (during, raw, deaf, later) = (queue(), queue(), queue(), queue())
        distributor.add(.init(queue: during, tracks: [.screen], carriesMarks: true))
        // Raw packets are at another place of the stream: the pause has not reached it.
        distributor.add(.init(queue: raw, tracks: [.screen], coding: .raw, carriesMarks: true))
        distributor.add(.init(queue: deaf, tracks: [.mixed], carriesMarks: false))
        distributor.distribute(.resumed(at: MediaTime(milliseconds: 200)))
        distributor.add(.init(queue: later, tracks: [.screen], carriesMarks: true))
        #expect(await summary(during) == ["paused 100", "resumed 200"])
        #expect(await summary(raw) == [])
        #expect(await summary(deaf) == [])
        #expect(await summary(later) == [])
    }

    @Test func `A queue that waits for a keyframe asks for one`() {
        let distributor = Distributor(clips: nil)
        let late = PacketQueue(limits: .live)
        late.open()
        distributor.add(.init(queue: late, tracks: [.screen], carriesMarks: true))
        #expect(distributor.distribute([videoPacket(1)]))
        #expect(!distributor.distribute([videoPacket(2, isKeyframe: true)]))
        #expect(!distributor.distribute([videoPacket(3)]))
        #expect(!distributor.distribute([]))
    }

    @Test func `The tracks for clips are encoded without a destination`() {
        let clips = ClipBuffer(length: MediaTime(milliseconds: 10_000))
        let distributor = Distributor(clips: clips)
        #expect(
            distributor.tracks() == [.mixed] && distributor.tracks(.raw).isEmpty && distributor.tracks(.opus).isEmpty)
        distributor.distribute([soundPacket(.mixed, at: .zero)], .opus)
        _ = distributor.distribute([
            videoPacket(0, isKeyframe: true), soundPacket(.app, at: .zero), soundPacket(.mixed, at: .zero),
            videoPacket(1),
        ])
        #expect(clips.excerpt(last: .zero)?.packets.map(\.track) == [.screen, .mixed, .screen])
    }

    @Test func `Clips leave out what is between the marks of the picture, and those of the sound do not count`() throws
    {
        let clips = ClipBuffer(length: MediaTime(milliseconds: 10_000))
        let (picture, sound) = (Distributor(clips: clips), Distributor(clips: clips, marksClips: false))
        _ = picture.distribute([videoPacket(0, isKeyframe: true)])
        sound.distribute(.paused(at: .zero))
        _ = picture.distribute([videoPacket(1)])
        picture.distribute(.paused(at: MediaTime(milliseconds: 60)), .raw)
        _ = picture.distribute([videoPacket(2)])
        picture.distribute(.paused(at: MediaTime(milliseconds: 100)))
        _ = picture.distribute([videoPacket(3, isKeyframe: true), videoPacket(4)])
        #expect(clips.excerpt(last: .zero)?.packets.map(\.sequence) == [0, 1, 2])
    }

    @Test func `Outlets join and leave while packets flow, and each gets a stretch without a gap`() async {
        let distributor = Distributor(clips: nil)
        let total = 2000
        async let received = withTaskGroup(of: [UInt32].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var all: [UInt32] = []
                    for _ in 0..<20 {
                        let queue = PacketQueue(limits: .file)
                        queue.open()
                        distributor.add(.init(queue: queue, tracks: [.screen], carriesMarks: true))
                        await Task.yield()
                        distributor.remove(queue)
                        queue.end()
                        let sequences = await queue.remaining().compactMap { element -> UInt32? in
                            if case .packet(let packet) = element { packet.sequence } else { nil }
                        }
                        if zip(sequences, sequences.dropFirst()).contains(where: { $0 + 1 != $1 }) { all += [.max] }
                        all += sequences
                    }
                    return all
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        for sequence in 0..<total { _ = distributor.distribute([videoPacket(sequence, isKeyframe: true)]) }
        #expect(await !received.contains(.max))
        #expect(distributor.isEmpty)
    }
}
