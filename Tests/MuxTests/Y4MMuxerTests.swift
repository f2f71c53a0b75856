import Media
import Mux
import Testing

@Suite struct Y4MMuxerTests {
    private static let description = StreamDescription(
        video: VideoTrackFormat(codec: .i420, size: PixelSize(width: 4, height: 2), frameRate: 30), audio: [])

    /// A picture of 4x2 pixels with all bytes set to `value`.
    private func packet(_ value: UInt8, milliseconds: Int64) -> EncodedPacket {
        EncodedPacket(
            track: .screen, presentationTime: MediaTime(milliseconds: milliseconds),
            decodeTime: MediaTime(milliseconds: milliseconds),
            isKeyframe: true, sequence: UInt32(value), data: [UInt8](repeating: value, count: 12))
    }

    /// The first byte of each frame.
    private func values(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 6, to: bytes.count, by: 18).map { bytes[$0] }
    }

    @Test func `the header and a frame have the expected bytes`() {
        var muxer = Y4MMuxer()
        #expect(
            muxer.begin(Self.description) == Array("YUV4MPEG2 W4 H2 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n".utf8))
        #expect(muxer.append(packet(7, milliseconds: 0)) == Array("FRAME\n".utf8) + [UInt8](repeating: 7, count: 12))
        #expect(muxer.end().bytes.isEmpty)
    }

    @Test func `a picture is not copied`() {
        var muxer = Y4MMuxer()
        _ = muxer.begin(Self.description)
        func address(_ bytes: [UInt8]) -> UnsafeRawPointer? { bytes.withUnsafeBytes(\.baseAddress) }
        let (first, second) = (packet(1, milliseconds: 0), packet(2, milliseconds: 67))
        let alone = muxer.pieces(of: first)
        #expect(alone.map(address).last == address(first.data))
        let pieces = muxer.pieces(of: second)
        #expect(values(Array(pieces.joined())) == [1, 2])
        #expect([pieces[1], pieces[3]].map(address) == [address(first.data), address(second.data)])
    }

    @Test func `omitted ticks repeat the previous picture, and a second picture in a tick is dropped`() {
        var muxer = Y4MMuxer()
        _ = muxer.begin(Self.description)
        #expect(values(muxer.append(packet(1, milliseconds: 0))) == [1])
        #expect(values(muxer.append(packet(2, milliseconds: 133))) == [1, 1, 1, 2])
        #expect(muxer.append(packet(3, milliseconds: 140)).isEmpty)
        #expect(values(muxer.append(packet(4, milliseconds: 167))) == [4])
    }

    @Test func `the first picture is frame 0, whenever it comes`() {
        var muxer = Y4MMuxer()
        _ = muxer.begin(Self.description)
        #expect(values(muxer.append(packet(1, milliseconds: 3_600_000))) == [1])
        #expect(values(muxer.append(packet(2, milliseconds: 3_600_067))) == [1, 2])
    }

    @Test func `a gap of a minute is filled in steps of ten seconds`() {
        var muxer = Y4MMuxer()
        _ = muxer.begin(Self.description)
        #expect(muxer.append(packet(1, milliseconds: 0)).count == 18)
        #expect(muxer.append(packet(2, milliseconds: 15_000)).count == 301 * 18)
        #expect(muxer.append(packet(3, milliseconds: 15_033)).count == 150 * 18)
        #expect(muxer.append(packet(4, milliseconds: 15_067)).count == 18)
    }

    @Test func `pictures of another size, sound and encoded pictures return no bytes`() throws {
        var muxer = Y4MMuxer()
        #expect(muxer.begin(try TestStream.simple.get().description).isEmpty)
        #expect(muxer.append(packet(1, milliseconds: 0)).isEmpty)
        _ = muxer.begin(Self.description)
        #expect(
            muxer.append(
                EncodedPacket(
                    track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0, data: [1]
                )
            ).isEmpty)
        #expect(
            muxer.append(
                EncodedPacket(
                    track: .mixed, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0, data: [])
            ).isEmpty)
    }

    @Test func `pictures in full chroma have three planes of one size, and ffmpeg reads them`() throws {
        var muxer = Y4MMuxer()
        let size = PixelSize(width: 4, height: 2)
        var file = muxer.begin(
            StreamDescription(video: VideoTrackFormat(codec: .i444, size: size, frameRate: 30), audio: []))
        #expect(file == Array("YUV4MPEG2 W4 H2 F30:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n".utf8))
        #expect(muxer.append(packet(7, milliseconds: 0)).isEmpty)
        let picture =
            [UInt8](repeating: 16, count: 8) + [UInt8](repeating: 90, count: 8) + [UInt8](repeating: 200, count: 8)
        let frame = muxer.append(
            EncodedPacket(
                track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0, data: picture
            ))
        #expect(frame == Array("FRAME\n".utf8) + picture)
        file += frame
        let folder = try TemporaryFolder()
        let path = try folder.write(file, "a.y4m")
        #expect(
            try Tool.probe(path, "-count_frames", "-show_entries", "stream=pix_fmt,color_range,nb_read_frames") == [
                "yuv444p,tv,1"
            ])
    }

    @Test func `ffmpeg and GStreamer read it with its range and rate`() throws {
        var muxer = Y4MMuxer()
        let size = PixelSize(width: 64, height: 36)
        var file = muxer.begin(
            StreamDescription(video: VideoTrackFormat(codec: .i420, size: size, frameRate: 25), audio: []))
        for index in [0, 1, 5, 24] {
            let time = MediaTime(milliseconds: Int64(index) * 40)
            file += muxer.append(
                EncodedPacket(
                    track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: 0,
                    data: [UInt8](repeating: UInt8(16 + index), count: 64 * 36 * 3 / 2)))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(file, "a.y4m")
        #expect(
            try Tool.probe(
                path, "-count_frames", "-show_entries",
                "stream=width,height,pix_fmt,color_range,r_frame_rate,nb_read_frames") == [
                    "64,36,yuv420p,tv,25/1,25"
                ])
        #expect(try Tool.decodingErrors(path) == "")
        let result = try Tool.output(
            "gst-launch-1.0", ["-q", "filesrc", "location=\(path)", "!", "y4mdec", "!", "fakesink"])
        #expect(result.status == 0)
    }
}
