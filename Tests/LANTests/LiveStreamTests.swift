import LANExtension
import Media
import Testing

struct LiveStreamTests {
    private static let video = VideoTrackFormat(
        codec: .h264(
            sequenceParameterSet: [0x67, 0x64, 0x00, 0x1f, 0xac], pictureParameterSet: [0x68, 0xee, 0x3c, 0x80]),
        size: PixelSize(width: 1280, height: 720), frameRate: 30)

    private func stream(origin: Int64? = nil, sound: AudioFormat? = nil) -> LiveStream {
        LiveStream(Self.video, sound: sound, title: "A talk", origin: origin)
    }

    private func picture(_ number: Int, isKeyframe: Bool = false, byteCount: Int = 10) -> EncodedPacket {
        let time = MediaTime(milliseconds: Int64(number * 33))
        return EncodedPacket(
            track: .screen, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe,
            sequence: UInt32(number), data: [UInt8](repeating: UInt8(number & 255), count: byteCount))
    }

    @Test func `A page learns the codec, the size and the clock`() {
        let stream = stream(origin: 5_000_000_000)
        #expect(stream.description.video == "avc1.64001f" && stream.description.rate == nil)
        #expect(stream.description.width == 1280 && stream.description.fps == 30)
        #expect(stream.description.title == "A talk" && stream.description.origin == 5000)
    }

    @Test func `A message has its kind, whether it is a keyframe, and its time`() throws {
        var stream = stream()
        let added = stream.add(picture(3, isKeyframe: true))
        let fragment = try #require(added)
        #expect(Array(fragment.message.prefix(2)) == [1, 1])
        let bits = fragment.message[4..<12].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        #expect(Double(bitPattern: bits) == 0.099)
        #expect(stream.initialization().message.first == 0)
    }

    @Test func `A message says where its picture's duration is`() throws {
        var stream = stream()
        for isKeyframe in [true, false] {
            let added = stream.add(picture(isKeyframe ? 0 : 1, isKeyframe: isKeyframe))
            let message = try #require(added).message
            let position = 12 + Int(message[2]) << 8 + Int(message[3])
            // A second, in ticks of the track.
            #expect(message[position..<position + 4].reduce(0) { $0 << 8 | Int($1) } == 90_000)
        }
    }

    @Test func `Sound is passed on as it is`() throws {
        var stream = stream(sound: AudioFormat(sampleRate: 48_000, channelCount: 2))
        #expect(stream.description.rate == 48_000 && stream.description.channels == 2)
        let packet = EncodedPacket(
            track: .mixed, presentationTime: MediaTime(milliseconds: 500), decodeTime: MediaTime(milliseconds: 500),
            isKeyframe: true, sequence: 0, data: [1, 2, 3, 4])
        let added = stream.add(packet)
        #expect(try #require(added).message == [2, 0, 0, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])
        #expect(stream.group.isEmpty)
    }

    @Test func `The newest group begins with its keyframe, and one that is too large is not kept`() {
        var stream = stream()
        _ = stream.add(picture(0))
        #expect(stream.group.isEmpty)
        for number in 1...3 { _ = stream.add(picture(number, isKeyframe: number == 1)) }
        #expect(stream.group.count == 3 && stream.group[0].isKeyframe)
        _ = stream.add(picture(4, isKeyframe: true))
        #expect(stream.group.count == 1)
        _ = stream.add(picture(5, byteCount: 3 << 20))
        #expect(stream.group.isEmpty)
        _ = stream.add(picture(6))
        #expect(stream.group.isEmpty)
    }
}
