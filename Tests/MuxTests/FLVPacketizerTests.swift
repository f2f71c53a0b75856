import Media
import Mux
import Testing

@Suite struct FLVPacketizerTests {
    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A], pictureParameterSet: [0x68]),
            size: PixelSize(width: 16, height: 16),
            frameRate: 30),
        audio: [
            AudioTrackFormat(
                track: .app, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024),
            AudioTrackFormat(
                track: .mic, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024),
        ])

    private func picture(_ presentation: Int64, decode: Int64? = nil, isKeyframe: Bool = false) -> EncodedPacket {
        EncodedPacket(
            track: .screen, presentationTime: MediaTime(milliseconds: presentation),
            decodeTime: MediaTime(milliseconds: decode ?? presentation),
            isKeyframe: isKeyframe, sequence: 0, data: [0, 0, 0, 1, 0x41])
    }

    private func sound(_ time: Int64, track: Track = .app) -> EncodedPacket {
        let time = MediaTime(milliseconds: time)
        return EncodedPacket(
            track: track, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: 0, data: [0x21])
    }

    @Test func `only the first audio track is written`() {
        var packetizer = FLVPacketizer(Self.stream, origin: .session)
        #expect(packetizer.tag(for: sound(5)) != nil)
        #expect(packetizer.tag(for: sound(5, track: .mic)) == nil)
        #expect(packetizer.tag(for: sound(5, track: .mixed)) == nil)
    }

    @Test func `priming is dropped`() {
        var packetizer = FLVPacketizer(Self.stream, origin: .session)
        #expect(packetizer.tag(for: sound(-21)) == nil)
        #expect(packetizer.tag(for: sound(0))?.timestamp == 0)
    }

    @Test func `pictures with a decode time before the start keep their presentation times`() {
        var packetizer = FLVPacketizer(Self.stream, origin: .session)
        let tags = [
            picture(0, decode: -66, isKeyframe: true), picture(133, decode: -33), picture(66, decode: 0),
            picture(33, decode: 33),
        ]
        .compactMap { packetizer.tag(for: $0) }
        #expect(tags.map(\.timestamp) == [0, 1, 2, 33])
        #expect(tags.map { UInt32($0.header[3]) << 8 | UInt32($0.header[4]) } == [0, 132, 64, 0])
    }

    @Test func `a live stream starts at 0 with its first keyframe`() {
        var packetizer = FLVPacketizer(Self.stream, origin: .firstKeyframe)
        #expect(packetizer.tag(for: sound(1000)) == nil)
        #expect(packetizer.tag(for: picture(1000)) == nil)
        #expect(packetizer.tag(for: picture(1100, decode: 1033, isKeyframe: true))?.timestamp == 0)
        #expect(packetizer.tag(for: sound(1020)) == nil)
        #expect(packetizer.tag(for: sound(1041))?.timestamp == 8)
        #expect(packetizer.tag(for: picture(1133, decode: 1066))?.timestamp == 33)
    }

    @Test func `sound alone starts at 0 as well`() {
        var packetizer = FLVPacketizer(StreamDescription(video: nil, audio: Self.stream.audio), origin: .firstKeyframe)
        #expect(packetizer.tag(for: sound(-21)) == nil)
        #expect(packetizer.tag(for: sound(500))?.timestamp == 0)
        #expect(packetizer.tag(for: sound(521))?.timestamp == 21)
    }

    @Test func `timestamps wrap after 49 days and 17 hours`() {
        var packetizer = FLVPacketizer(Self.stream, origin: .session)
        #expect(packetizer.tag(for: picture(4_294_967_290, isKeyframe: true))?.timestamp == 4_294_967_290)
        #expect(packetizer.tag(for: picture(4_294_967_323))?.timestamp == 27)
    }
}
