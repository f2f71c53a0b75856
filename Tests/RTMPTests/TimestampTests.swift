import Foundation
import Media
import RTMP
import TestSupport
import Testing

/// Timestamps over three bytes (4 h 40 min) and over four bytes (49.7 days).
struct TimestampTests {
    /// Returns the timestamps of the packets after a first keyframe at 0, parsed from the chunks.
    private func sent(_ milliseconds: [Int64]) throws -> [UInt32] {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        var messages = try conversation.take(
            conversation.machine.send(.literalPicture(at: 0, isKeyframe: true, byteCount: 5000)))
        for time in milliseconds {
            messages += try conversation.take(
                conversation.machine.send(.literalPicture(at: time, isKeyframe: false, byteCount: 5000)))
            messages += try conversation.take(conversation.machine.send(.literalSound(at: time + 1)))
        }
        #expect(messages.allSatisfy { $0.bytes.count == ($0.kind == 9 ? 5005 : 3) })
        return messages.dropFirst().map(\.timestamp)
    }

    @Test func `timestamps cross 0xFFFFFF in small steps`() throws {
        #expect(
            try sent([0xFF_FFDD, 0xFF_FFFE, 0xFF_FFFF, 0x0100_0000, 0x0100_0021]) == [
                0xFF_FFDD, 0xFF_FFDE, 0xFF_FFFE, 0xFF_FFFF, 0xFF_FFFF, 0x0100_0000, 0x0100_0000, 0x0100_0001,
                0x0100_0021, 0x0100_0022,
            ])
    }

    @Test func `timestamps cross 0xFFFFFF in one step`() throws {
        #expect(try sent([0x0200_0000, 0x0200_0021]) == [0x0200_0000, 0x0200_0001, 0x0200_0021, 0x0200_0022])
    }

    @Test func `timestamps cross 32 bits and start again at 0`() throws {
        #expect(
            try sent([0x8000_0010, 0xFFFF_FFDE, 0xFFFF_FFFF, 0x1_0000_0020, 0x1_0000_0041]) == [
                0x8000_0010, 0x8000_0011, 0xFFFF_FFDE, 0xFFFF_FFDF, 0xFFFF_FFFF, 0, 0x20, 0x21, 0x41, 0x42,
            ])
    }

    @Test func `late metadata has the stream's timestamp`() throws {
        var conversation = try PublisherConversation()
        _ = try conversation.goLive()
        _ = try conversation.take(conversation.machine.send(.literalPicture(at: 0, isKeyframe: true)))
        _ = try conversation.take(conversation.machine.send(.literalPicture(at: 0x1_0000_0020, isKeyframe: false)))
        #expect(try conversation.take(conversation.machine.update(.literal)).map(\.timestamp) == [0x20])
    }

    /// Returns the sample's first second at 0, and the rest so late that `crossing` is in the middle of its second
    /// second.
    private func moved(_ sample: SampleStream, to crossing: Int64) throws -> (
        packets: [EncodedPacket], offset: MediaTime
    ) {
        let keyframes = sample.pictures.filter(\.isKeyframe)
        let first = try #require(keyframes.first).decodeTime
        let second = try #require(keyframes.dropFirst().first).decodeTime
        let offset = MediaTime(milliseconds: crossing - 500) - (second - first)
        let packets = sample.packets.map { packet in
            guard packet.decodeTime >= second else { return packet }
            return EncodedPacket(
                track: packet.track, presentationTime: packet.presentationTime + offset,
                decodeTime: packet.decodeTime + offset,
                isKeyframe: packet.isKeyframe, sequence: packet.sequence, data: packet.data)
        }
        return (packets, offset)
    }

    @Test(arguments: [Int64(0xFF_FFFF), 0x1_0000_0000]) func `nginx records both sides of the crossing`(crossing: Int64)
        async throws
    {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers)
            let recordings = try peers.makeFolder("recordings")
            let server = try await NginxRTMP.start(in: peers, live: "record all; record_path \(recordings);")
            let (packets, _) = try moved(sample, to: crossing)
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL(server.url(key: "key")), stream: sample.description)
            for packet in packets { try await publisher.send(packet) }
            #expect(await publisher.finish())
            try await waitUntil("the access log's line") { server.accessLog.contains("PUBLISH") }

            let file = "\(recordings)/key.flv"
            let pictures = try await FFProbe.packets(of: file, in: peers).filter { $0.kind == "video" }
            #expect(pictures.map(\.size) == sample.pictures.map { "\($0.data.count)" })
            let decoded = try await FFProbe.probe(file, in: peers)
            #expect(decoded.video?.frameCount == "\(sample.pictures.count)")
            // nginx's recorder uses 31 bits, so only the timestamps of the first crossing can be compared.
            guard crossing < 0x8000_0000 else { return }
            let first = try #require(sample.pictures.first).decodeTime
            let expected = packets.filter { $0.track == .screen }.map { ($0.decodeTime - first).milliseconds }
            #expect(pictures.map { Int64(((Double($0.dts ?? "") ?? -1) * 1000).rounded()) } == expected)
            #expect(expected.contains { $0 < crossing } && expected.contains { $0 > crossing })
        }
    }
}
