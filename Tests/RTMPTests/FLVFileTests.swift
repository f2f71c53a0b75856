import Foundation
import Media
import Mux
import RTMP
import TestSupport
import Testing

struct FLVFileTests {
    /// Creates an FLV file with ffmpeg: two seconds with B-frames.
    private func sample(in peers: Peers) async throws -> String {
        let folder = try peers.makeFolder("flv")
        try await peers.run(
            "ffmpeg",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=2",
                "-f", "lavfi", "-i",
                "sine=frequency=440:sample_rate=44100:duration=2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-threads",
                "1", "-g", "30", "-bf", "2",
                "-c:a", "aac", "-ac", "2", "\(folder)/sample.flv",
            ])
        return "\(folder)/sample.flv"
    }

    @Test func `a file's tracks and packets equal those of ffprobe`() async throws {
        try await withPeers { peers in
            let path = try await sample(in: peers)
            let file = try FLVFile(path: path)
            #expect(file.stream.video?.size == PixelSize(width: 320, height: 180) && file.stream.video?.frameRate == 30)
            #expect(file.stream.audio.map(\.format) == [AudioFormat(sampleRate: 44_100, channelCount: 2)])
            var packets: [EncodedPacket] = []
            while let packet = try file.next() { packets.append(packet) }
            let expected = try await FFProbe.packets(of: path, in: peers)
            #expect(packets.map { "\($0.data.count)" } == expected.map(\.size))
            #expect(packets.map(\.isKeyframe) == expected.map(\.isKeyframe))
            func milliseconds(_ text: String?) -> Int64 { Int64(((Double(text ?? "") ?? -1) * 1000).rounded()) }
            #expect(packets.map(\.decodeTime.milliseconds) == expected.map { milliseconds($0.dts) })
            #expect(packets.map(\.presentationTime.milliseconds) == expected.map { milliseconds($0.pts) })
        }
    }

    @Test func `the example publishes a complete file`() async throws {
        try await withPeers { peers in
            let path = try await sample(in: peers)
            let recordings = try peers.makeFolder("recordings")
            let server = try await NginxRTMP.start(in: peers, live: "record all; record_path \(recordings);")
            let said = try await peers.run(
                "flv-publish", [BuiltPrograms.path(of: "flv-publish"), path, server.url(key: "key")])
            #expect(said.contains("rtmp://127.0.0.1:\(server.port)/live/…"))
            try await waitUntil("the access log's line") { server.accessLog.contains("PUBLISH") }
            let sent = try await FFProbe.probe(path, in: peers)
            let arrived = try await FFProbe.probe("\(recordings)/key.flv", in: peers)
            #expect(arrived.video?.frameCount == "60" && arrived.video?.frameCount == sent.video?.frameCount)
            #expect(arrived.audio?.frameCount == sent.audio?.frameCount)
        }
    }

    @Test func `an invalid file throws an error with the reason`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("files")
            #expect(throws: FLVError.cannotRead(path: "\(folder)/x", code: ENOENT)) { try FLVFile(path: "\(folder)/x") }
            for (name, bytes, error) in [
                ("text", Array("This is no FLV.".utf8), FLVError.malformed(.noSignature)),
                ("empty", [], .unsupported(.noTracks)),
                ("header", Array("FLV".utf8) + [1, 5, 0, 0, 0, 1], .malformed(.headerSize(1))),
                (
                    "h263", Array("FLV".utf8) + [1, 1, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x22],
                    .unsupported(.videoCodec)
                ),
            ] {
                try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
                #expect(throws: error) { try FLVFile(path: "\(folder)/\(name)") }
            }
        }
    }
}
