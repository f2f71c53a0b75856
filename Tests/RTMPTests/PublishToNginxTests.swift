import Foundation
import Media
import RTMP
import TestSupport
import Testing

/// nginx with its RTMP module is the server.
struct PublishToNginxTests {
    @Test func `a player behind nginx receives the published stream`() async throws {
        try await withPeers { peers in
            // Short enough for nginx's queue of a player, which drops packets when it is full.
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            let server = try await NginxRTMP.start(in: peers, live: "publish_notify on;")
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url(key: "key")), stream: sample.description)
            try await waitUntil("nginx counts the publisher") { try await server.isPublishing(key: "key") }

            // The player exits by itself, because nginx reports that the publisher disconnected.
            let folder = try peers.makeFolder("player")
            let player = try peers.start(
                "ffmpeg-player",
                [
                    "ffmpeg", "-nostdin", "-v", "error", "-i", server.url(key: "key") + " live=1", "-c", "copy", "-y",
                    "\(folder)/played.flv",
                ])
            try await player.wait(for: "nginx to serve it") {
                try await server.statistics().contains("<nclients>2</nclients>")
            }
            for packet in sample.packets { try await publisher.send(packet) }
            #expect(await publisher.finish())
            #expect(try await player.waitForExit() == .exited(0))
            try await waitUntil("nginx logs the end") { server.log.contains("deleteStream") }

            let counted = try await peers.run(
                "ffprobe",
                [
                    "ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries",
                    "stream=nb_read_frames", "-of", "csv=p=0",
                    "\(folder)/played.flv",
                ])
            #expect(counted == "\(sample.pictures.count)\n")
        }
    }

    @Test func `nginx's recording has every picture and sound, and the metadata`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, bFrames: 2)
            let recordings = try peers.makeFolder("recordings")
            let server = try await NginxRTMP.start(in: peers, live: "record all; record_path \(recordings);")
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url(key: "key?sign=a&v=1")), stream: sample.description)
            for packet in sample.packets { try await publisher.send(packet) }
            #expect(await publisher.finish())
            try await waitUntil("the access log's line") { server.accessLog.contains("PUBLISH") }

            let file = "\(recordings)/key.flv"
            let counted = try await peers.run(
                "ffprobe",
                [
                    "ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_type,nb_read_frames",
                    "-of", "csv=p=0", file,
                ])
            #expect(counted.contains("video,\(sample.pictures.count)"), "\(counted)")
            let first = try #require(sample.pictures.first).decodeTime
            #expect(counted.contains("audio,\(sample.sounds.filter { $0.decodeTime >= first }.count)"), "\(counted)")
            let times = try await peers.run(
                "ffprobe-times",
                [
                    "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=dts,pts", "-of",
                    "csv=p=0", file,
                ])
            let expected = sample.pictures.map {
                "\(($0.presentationTime - first).milliseconds),\(($0.decodeTime - first).milliseconds)"
            }
            #expect(times.split(separator: "\n").map(String.init) == expected)
        }
    }

    @Test func `a second publisher with the same name gets a busy error`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            let server = try await NginxRTMP.start(in: peers)
            let url = try RTMPURL(server.url(key: "key"))
            let first = try await RTMPPublisher.connect(to: url, stream: sample.description)
            let error = await #expect(throws: RTMPError.self) {
                _ = try await RTMPPublisher.connect(to: url, stream: sample.description)
            }
            #expect(error == .streamBusy(description: "Already publishing"))
            #expect(await first.finish())
            // The name is free again, and the new stream starts at 0.
            let third = try await RTMPPublisher.connect(to: url, stream: sample.description)
            for packet in sample.packets { try await third.send(packet) }
            #expect(await third.finish())
        }
    }

    @Test func `a server that closes instead of accepting the stream causes the matching error`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            // nginx requests this address to check the key, but no server listens there.
            let server = try await NginxRTMP.start(in: peers, live: "on_publish http://127.0.0.1:\(try freePort())/;")
            let url = try RTMPURL(server.url(key: "key"))
            await #expect(throws: RTMPError.closed(during: .publishReply)) {
                _ = try await RTMPPublisher.connect(to: url, stream: sample.description)
            }
        }
    }

    @Test func `a server without the application closes before it is told the key`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            let server = try await NginxRTMP.start(in: peers)
            let url = try RTMPURL("rtmp://127.0.0.1:\(server.port)/nosuch/key")
            await #expect(throws: RTMPError.closed(during: .connectReply)) {
                _ = try await RTMPPublisher.connect(to: url, stream: sample.description)
            }
        }
    }

    @Test func `a server that accepts the stream and then closes is detected`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            // nginx applies this rule after it sent Publish.Start.
            let server = try await NginxRTMP.start(in: peers, live: "deny publish all;")
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url(key: "key")), stream: sample.description)
            #expect(await publisher.waitUntilClosed() == .closed(during: .sending))
        }
    }

    @Test func `a server that dies is detected without sending`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            let server = try await NginxRTMP.start(in: peers)
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url(key: "key")), stream: sample.description)
            async let reason = publisher.waitUntilClosed()
            try await server.peer.killNow()
            #expect(await reason == .closed(during: .sending))
            await #expect(throws: RTMPError.closed(during: .sending)) { try await publisher.send(sample.packets[0]) }
            #expect(await publisher.finish() == false)
        }
    }

    @Test func `a publisher that is released closes its connection`() async throws {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers, seconds: 1)
            let server = try await NginxRTMP.start(in: peers)
            let url = try RTMPURL(server.url(key: "key"))
            _ = try await RTMPPublisher.connect(to: url, stream: sample.description)
            try await waitUntil("nginx forgets it") { try await !server.isPublishing(key: "key") }
        }
    }
}
