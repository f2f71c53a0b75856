import Media
import Mux
import Testing

@Suite struct FLVMuxerTests {
    @Test func `a file starts with its header and the metadata`() {
        var muxer = FLVMuxer()
        let audio = AudioTrackFormat(
            track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024)
        let bytes = muxer.begin(StreamDescription(video: nil, audio: [audio]))
        #expect(bytes[..<14] == [0x46, 0x4C, 0x56, 1, 4, 0, 0, 0, 9, 0, 0, 0, 0, 18])
        // The sequence header's tag: 4 bytes at 0 ms, and 15 bytes before it.
        #expect(bytes.suffix(19) == [8, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xAF, 0, 0x11, 0x90, 0, 0, 0, 15])
    }

    @Test func `a tag contains 24 bits of its time and then the upper 8`() {
        var muxer = FLVMuxer()
        let audio = AudioTrackFormat(
            track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024)
        _ = muxer.begin(StreamDescription(video: nil, audio: [audio]))
        let time = MediaTime(milliseconds: 0x0123_4567)
        let packet = EncodedPacket(
            track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: 0, data: [0x21, 0x10])
        #expect(
            muxer.append(packet) == [8, 0, 0, 4, 0x23, 0x45, 0x67, 0x01, 0, 0, 0, 0xAF, 1, 0x21, 0x10, 0, 0, 0, 15])
        // The duration: 19,088.743 s.
        let patches = muxer.end().patches
        #expect(patches.map(\.offset) == [53])
        #expect(patches.map(\.bytes) == [[0x40, 0xD2, 0xA4, 0x2F, 0x8D, 0x4F, 0xDF, 0x3B]])
    }

    @Test func `the largest picture fills the length of its tag, and a larger one is none of this container`() {
        var muxer = FLVMuxer()
        let codec = VideoTrackFormat.Codec.h264(
            sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A], pictureParameterSet: [0x68])
        _ = muxer.begin(
            StreamDescription(
                video: VideoTrackFormat(codec: codec, size: PixelSize(width: 16, height: 16), frameRate: 30), audio: [])
        )
        let data = [UInt8](repeating: 1, count: muxer.maximumPacketSize)
        let bytes = muxer.append(
            EncodedPacket(
                track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0, data: data))
        #expect(bytes[..<4] == [9, 0xFF, 0xFF, 0xFF] && bytes.count == 0xFF_FFFF + 15)
        #expect(MPEGTSMuxer().maximumPacketSize == .max && FragmentedMP4Muxer().maximumPacketSize == .max)
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
        for (packet, time) in zip(sound, heard) {
            #expect(abs(packet.presentationTime.seconds - time.presentation) < 0.0006)
        }
    }

    /// The kind and the time of each tag after the metadata and the sequence headers.
    private func tags(_ file: [UInt8]) throws -> [(isVideo: Bool, time: Int)] {
        var tags: [(isVideo: Bool, time: Int)] = []
        var position = 13
        while position + 11 <= file.count {
            let size = file[position + 1..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let time = file[position + 4..<position + 7].reduce(Int(file[position + 7])) { $0 << 8 | Int($1) }
            tags.append((file[position] == 9, time))
            position += 15 + size
        }
        #expect(position == file.count)
        return Array(tags.dropFirst(3))
    }

    /// The stream as the pipeline delivers it: sound comes up to 143 ms after the pictures of its time.
    private func delayed(_ stream: TestStream) -> TestStream {
        let arrivals = stream.packets.map { packet -> (packet: EncodedPacket, time: Int64) in
            // Sound arrives in groups of five packets.
            let group = MediaTime(value: Int64(packet.sequence / 5 * 5 + 4) * 1024, timescale: 48_000)
            return (packet, packet.track == .screen ? packet.decodeTime.milliseconds : group.milliseconds + 57)
        }
        return TestStream(
            description: stream.description,
            packets: arrivals.sorted { ($0.time, $0.packet.sequence) < ($1.time, $1.packet.sequence) }.map(\.packet))
    }

    @Test(arguments: [false, true])
    func `in a file, the tags of both tracks are in the order of time`(isReordered: Bool) throws {
        let stream = delayed(try (isReordered ? TestStream.reordered : TestStream.simple).get())
        let file = stream.muxed(FLVMuxer(order: .time))
        let ordered = try tags(file)
        let arrived = try tags(stream.muxed(FLVMuxer()))
        #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(!zip(arrived, arrived.dropFirst()).allSatisfy { $0.time <= $1.time })
        for isVideo in [true, false] {
            #expect(
                ordered.filter { $0.isVideo == isVideo }.map(\.time)
                    == arrived.filter { $0.isVideo == isVideo }.map(\.time))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(file, "stream.flv")
        #expect(try Tool.decodingErrors(path) == "")
        #expect(try Tool.decodedFrameCount(path, stream: "v") == 180)
    }

    @Test func `a track that stops is not waited for longer than two seconds`() throws {
        let stream = try TestStream.simple.get()
        let silent = TestStream(
            description: stream.description,
            packets: stream.packets.filter {
                $0.track == .screen || $0.presentationTime < MediaTime(milliseconds: 1000)
            })
        var muxer = FLVMuxer(order: .time)
        _ = muxer.begin(silent.description)
        var written: [Int] = []
        for packet in silent.packets {
            if !muxer.append(packet).isEmpty { written.append(Int(packet.decodeTime.milliseconds)) }
        }
        #expect((written.last ?? 0) > 5900)
        let all = try tags(silent.muxed(FLVMuxer(order: .time)))
        #expect(all.count { $0.isVideo } == 180 && zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test func `ffprobe finds the stream's description`() throws {
        let stream = try TestStream.simple.get()
        let folder = try TemporaryFolder()
        let file = try folder.write(stream.muxed(FLVMuxer()), "stream.flv")
        #expect(
            try Tool.probe(file, "-select_streams", "v", "-show_entries", "stream=codec_name,width,height,r_frame_rate")
                == ["h264,320,180,30/1"])
        #expect(
            try Tool.probe(file, "-select_streams", "a", "-show_entries", "stream=codec_name,sample_rate,channels") == [
                "aac,48000,2"
            ])
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
            #expect(
                try Tool.probe(file, "-show_entries", "stream=codec_type") == [name == "picture" ? "video" : "audio"])
        }
    }
}
