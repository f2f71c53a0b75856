import Foundation
import Media
import RTMP
import TestSupport
import Testing

/// `ffmpeg -listen 1` is the server.
struct PublishToFFmpegTests {
    @Test(arguments: [0, 2]) func `ffmpeg receives every picture and sound`(bFrames: Int) async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, bFrames: bFrames)
            let listener = try await FFmpegListener.start(in: peers, key: "name?sign=abc&v=1")
            let publisher = try await RTMPPublisher.connect(to: RTMPURL(listener.url), stream: sample.description)
            for packet in sample.packets { try await publisher.send(packet) }
            #expect(await publisher.finish())
            #expect(try await listener.peer.waitForExit() == .exited(0))

            let first = try #require(sample.pictures.first).decodeTime
            let sounds = sample.sounds.filter { $0.decodeTime >= first }
            #expect(try await count(listener.output, "v", peers) == sample.pictures.count)
            #expect(try await count(listener.output, "a", peers) == sounds.count)
            let media = sample.packets.reduce(0) { $0 + $1.data.count }
            #expect(publisher.statistics.bytesSent > UInt64(media) && publisher.statistics.bytesQueued == 0)
            #expect(await publisher.waitUntilClosed() == nil)
            await #expect(throws: RTMPError.closed(during: .finishing)) { try await publisher.send(sample.packets[0]) }
        }
    }

    private func count(_ file: String, _ stream: String, _ peers: Peers) async throws -> Int {
        let counted = try await peers.run(
            "ffprobe",
            [
                "ffprobe", "-v", "error", "-select_streams", stream, "-count_frames", "-show_entries",
                "stream=nb_read_packets,nb_read_frames",
                "-count_packets", "-of", "csv=p=0", file,
            ])
        let numbers = counted.split(whereSeparator: { $0 == "," || $0.isNewline }).compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers.first == numbers.last)
        return numbers.first ?? 0
    }
}
