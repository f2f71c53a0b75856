import Media
import Mux
import Synchronization
import Testing

/// Long recordings: the sample tables leave the memory, and the file at the end is the same.
struct NumberLogTests {
    /// Keeps what it gets, or has lost it.
    private final class Store: SpillStore {
        let stored = Mutex<[UInt8]>([])
        let isLost: Bool
        let capacity: Int

        init(isLost: Bool = false, capacity: Int = .max) {
            self.isLost = isLost
            self.capacity = capacity
        }

        func append(_ bytes: [UInt8]) -> Int? {
            stored.withLock { stored in
                guard stored.count + bytes.count <= capacity else { return nil }
                defer { stored += bytes }
                return stored.count
            }
        }

        func read(at position: Int, count: Int) -> [UInt8]? {
            isLost ? nil : stored.withLock { Array($0[position..<position + count]) }
        }
    }

    /// 100000 tiny pictures at irregular times, with a keyframe after every 300.
    private static func record(_ muxer: HybridMP4Muxer) throws -> (bytes: [UInt8], ending: MuxEnding) {
        var muxer = muxer
        let stream = try TestStream.simple.get()
        var bytes = muxer.begin(stream.description)
        for index in 0..<100_000 {
            let time = MediaTime(milliseconds: Int64(index * 33 + index % 7))
            let data = [UInt8](repeating: UInt8(index % 251), count: 5 + index % 200)
            bytes += muxer.append(
                EncodedPacket(
                    track: .screen, presentationTime: time, decodeTime: time, isKeyframe: index % 300 == 0,
                    sequence: UInt32(index), data: data))
        }
        let ending = muxer.end()
        return (bytes + ending.bytes, ending)
    }

    @Test func `A recording has the same tables, wherever they were kept`() throws {
        let kept = try Self.record(HybridMP4Muxer())
        #expect(kept.ending.index.count > 500_000 && kept.ending.patches.count == 1)
        for store in [Store(), Store(capacity: 70_000)] {
            let spilled = try Self.record(HybridMP4Muxer(store: store))
            #expect(store.stored.withLock { $0.count } > 65_000)
            #expect(spilled.bytes == kept.bytes && spilled.ending.index == kept.ending.index)
        }
    }

    @Test func `A recording whose tables are lost stays a fragmented file`() throws {
        let kept = try Self.record(HybridMP4Muxer())
        let lost = try Self.record(HybridMP4Muxer(store: Store(isLost: true)))
        #expect(lost.bytes == kept.bytes && lost.ending.index.isEmpty && lost.ending.patches.isEmpty)
    }
}
