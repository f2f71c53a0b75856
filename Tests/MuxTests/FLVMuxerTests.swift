import Media
import Mux
import Testing

@Suite struct FLVMuxerTests {
    @Test func `a file starts with its header and the metadata`() {
        var muxer = FLVMuxer()
        let audio = AudioTrackFormat(track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024)
        let bytes = muxer.begin(StreamDescription(video: nil, audio: [audio]))
        #expect(bytes[..<14] == [0x46, 0x4C, 0x56, 1, 4, 0, 0, 0, 9, 0, 0, 0, 0, 18])
        // The sequence header's tag: 4 bytes at 0 ms, and 15 bytes before it.
        #expect(bytes.suffix(19) == [8, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xAF, 0, 0x11, 0x90, 0, 0, 0, 15])
    }

    @Test func `a tag contains 24 bits of its time and then the upper 8`() {
        var muxer = FLVMuxer()
        let audio = AudioTrackFormat(track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024)
        _ = muxer.begin(StreamDescription(video: nil, audio: [audio]))
        let time = MediaTime(milliseconds: 0x0123_4567)
        let packet = EncodedPacket(track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: 0, data: [0x21, 0x10])
        #expect(muxer.append(packet) == [8, 0, 0, 4, 0x23, 0x45, 0x67, 0x01, 0, 0, 0, 0xAF, 1, 0x21, 0x10, 0, 0, 0, 15])
        // The duration: 19,088.743 s.
        let patches = muxer.end().patches
        #expect(patches.map(\.offset) == [53])
        #expect(patches.map(\.bytes) == [[0x40, 0xD2, 0xA4, 0x2F, 0x8D, 0x4F, 0xDF, 0x3B]])
    }

    @Test(arguments: [false, true])
    func `ffmpeg reads every picture and sound with its time`(isReordered: Bool) throws {
        let stream = try (isReordered ? TestStream.reordered : TestStream.simple).get()
        let folder = try TemporaryFolder()
        let file = try folder.write(stream.muxed(FLVMuxer()), "stream.flv")
        #expect(try Tool.decodingErrors(file) == "")
        #expect(try Tool.decodedFrameCount(file, stream: "v") == 180)
        let pictures = stream.packets(of: .screen)
        let read = try Tool.packetTimes(file, stream: "v")
        #expect(read.count == 180)
        for (packet, time) in zip(pictures, read) {
            #expect(abs(packet.presentationTime.seconds - time.presentation) < 0.0016)
            #expect(packet.isKeyframe == time.isKeyframe)
            #expect(packet.data.count == time.size)
        }
        let sound = stream.packets(of: .mixed).filter { $0.presentationTime >= .zero }
        let heard = try Tool.packetTimes(file, stream: "a")
        #expect(heard.count == sound.count)
        for (packet, time) in zip(sound, heard) { #expect(abs(packet.presentationTime.seconds - time.presentation) < 0.0006) }
    }

    @Test func `ffprobe finds the stream's description`() throws {
        let stream = try TestStream.simple.get()
        let folder = try TemporaryFolder()
        let file = try folder.write(stream.muxed(FLVMuxer()), "stream.flv")
        #expect(try Tool.probe(file, "-select_streams", "v", "-show_entries", "stream=codec_name,width,height,r_frame_rate") == ["h264,320,180,30/1"])
        #expect(
            try Tool.probe(file, "-select_streams", "a", "-show_entries", "stream=codec_name,sample_rate,channels") == ["aac,48000,2"])
        #expect(try Tool.probe(file, "-show_entries", "format_tags=title,encoder") == ["broadcast,A title"])
        let duration = try #require(Double(try Tool.probe(file, "-show_entries", "format=duration").first ?? ""))
        #expect(abs(duration - 6) < 0.05)
    }

    @Test func `a stream of one track declares only that track`() throws {
        let stream = try TestStream.simple.get()
        #expect(stream.pictureOnly.muxed(FLVMuxer())[4] == 1)
        #expect(stream.soundOnly.muxed(FLVMuxer())[4] == 4)
        let folder = try TemporaryFolder()
        for (name, part) in [("picture", stream.pictureOnly), ("sound", stream.soundOnly)] {
            let file = try folder.write(part.muxed(FLVMuxer()), "\(name).flv")
            #expect(try Tool.decodingErrors(file) == "")
            #expect(try Tool.probe(file, "-show_entries", "stream=codec_type") == [name == "picture" ? "video" : "audio"])
        }
    }
}
