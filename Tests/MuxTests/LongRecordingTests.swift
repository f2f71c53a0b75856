import Foundation
import Media
import Mux
import Testing

/// The memory of a long recording. It has a suite, and thus a process, of its own: the memory that other tests released
/// could hold what a recording keeps.
struct LongRecordingTests {
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
                        track: .screen, presentationTime: video, decodeTime: video, isKeyframe: isKeyframe,
                        sequence: UInt32(frames), data: picture))
                frames += 1
                while case let time = MediaTime(value: sounds * 1024, timescale: 48_000), time <= video {
                    _ = muxer.append(
                        EncodedPacket(
                            track: sound.track, presentationTime: time, decodeTime: time, isKeyframe: true,
                            sequence: UInt32(sounds), data: packet))
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
