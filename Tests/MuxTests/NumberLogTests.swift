import Foundation
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
                    track: .screen, presentationTime: time, decodeTime: time, isKeyframe: index % 300 == 0, sequence: UInt32(index), data: data))
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

    /// A store in a file, of which nothing is in memory.
    private final class FileStore: SpillStore {
        nonisolated(unsafe) private let file = tmpfile()

        deinit { if let file { fclose(file) } }

        func append(_ bytes: [UInt8]) -> Int? {
            guard let file, fseek(file, 0, SEEK_END) == 0 else { return nil }
            let position = ftell(file)
            return fwrite(bytes, 1, bytes.count, file) == bytes.count ? position : nil
        }

        func read(at position: Int, count: Int) -> [UInt8]? {
            guard let file, fseek(file, position, SEEK_SET) == 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            return fread(&bytes, 1, count, file) == count ? bytes : nil
        }
    }

    /// The process's own memory, in bytes (proc(5), `RssAnon`).
    private static func ownMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
    }

    @Test func `A recording of 24 hours needs no more memory than one of an hour`() throws {
        var muxer = HybridMP4Muxer(store: FileStore())
        let stream = try TestStream.simple.get()
        let sound = try #require(stream.description.audio.first)
        _ = muxer.begin(stream.description)
        let (picture, packet) = ([UInt8](repeating: 1, count: 24), [UInt8](repeating: 2, count: 180))
        var (afterOneHour, frames, sounds) = (0, Int64(0), Int64(0))
        var video = MediaTime.zero
        for hour in 1...24 {
            while video < MediaTime(milliseconds: Int64(hour) * 3_600_000) {
                // Variable pacing: no two durations in a row are alike.
                video = MediaTime(milliseconds: frames * 40 + frames % 3)
                let isKeyframe = frames % 50 == 0
                _ = muxer.append(
                    EncodedPacket(
                        track: .screen, presentationTime: video, decodeTime: video, isKeyframe: isKeyframe, sequence: UInt32(frames), data: picture))
                frames += 1
                while case let time = MediaTime(value: sounds * 1024, timescale: 48_000), time <= video {
                    _ = muxer.append(
                        EncodedPacket(
                            track: sound.track, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(sounds), data: packet))
                    sounds += 1
                }
            }
            if hour == 1 { afterOneHour = try Self.ownMemory() }
        }
        #expect(frames > 2_150_000 && sounds > 4_000_000)
        let growth = try Self.ownMemory() - afterOneHour
        #expect(growth < 2_000_000, "\(growth) bytes")
        let ending = muxer.end()
        // The sizes of all samples, in four bytes each.
        #expect(ending.patches.count == 1 && ending.index.count > 4 * (2_150_000 + 4_000_000))
    }
}
