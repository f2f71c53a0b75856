import Media
import Mux
import Testing

@Suite struct AnnexBMuxerTests {
    private static let description = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 1], pictureParameterSet: [0x68, 2]),
            size: PixelSize(width: 16, height: 16), frameRate: 30),
        audio: [])

    private func packet(_ data: [UInt8], isKeyframe: Bool, track: Track = .screen) -> EncodedPacket {
        EncodedPacket(
            track: track, presentationTime: .zero, decodeTime: .zero, isKeyframe: isKeyframe, sequence: 0, data: data)
    }

    @Test func `parameter sets precede a keyframe and no other picture`() {
        var muxer = AnnexBMuxer()
        #expect(muxer.begin(Self.description).isEmpty)
        #expect(
            muxer.append(packet([0, 0, 0, 2, 0x06, 7, 0, 0, 0, 1, 0x65], isKeyframe: true))
                == [0, 0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 0, 0, 1, 0x06, 7, 0, 0, 0, 1, 0x65])
        #expect(muxer.append(packet([0, 0, 0, 1, 0x41], isKeyframe: false)) == [0, 0, 0, 1, 0x41])
        #expect(muxer.append(packet([1, 2, 3], isKeyframe: true, track: .mixed)).isEmpty)
        #expect(muxer.end().bytes.isEmpty)
    }

    @Test func `ffmpeg decodes every picture`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try TestStream.simple.get().muxed(AnnexBMuxer()), "a.h264")
        #expect(try Tool.decodingErrors(path) == "")
        #expect(try Tool.decodedFrameCount(path, stream: "v") == 180)
    }
}
