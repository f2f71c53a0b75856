import Media
import Mux
import Testing

@Suite struct HybridMP4MuxerTests {
    @Test func `begin returns the file type, a placeholder of 16 bytes and a movie without samples`() throws {
        var muxer = HybridMP4Muxer()
        let start = muxer.begin(try TestStream.simple.get().description)
        #expect(MP4BoxReader.types(start) == ["ftyp", "free", "moov"])
        #expect(MP4BoxReader.boxes(start)[1].contents.count == 8)
        #expect(MP4BoxReader.find(start, "moov", "mvex", "trex") != nil)
    }

    @Test func `a finished file is an ordinary MP4`() throws {
        let file = try TestStream.simple.get().muxed(HybridMP4Muxer())
        #expect(MP4BoxReader.types(file) == ["ftyp", "mdat", "moov"])
        let movie = try #require(MP4BoxReader.find(file, "moov"))
        #expect(MP4BoxReader.boxes(file, in: movie.contents).map(\.type) == ["mvhd", "trak", "trak", "udta"])
    }

    @Test func `a packet returns bytes only if it starts a new group of pictures`() throws {
        let stream = try TestStream.simple.get()
        var muxer = HybridMP4Muxer()
        _ = muxer.begin(stream.description)
        var times: [Int64] = []
        for packet in stream.packets {
            let bytes = muxer.append(packet)
            guard !bytes.isEmpty else { continue }
            #expect(MP4BoxReader.types(bytes).filter { $0 != "free" } == ["moof", "mdat"])
            times.append(packet.decodeTime.milliseconds)
        }
        #expect(times == [2000, 4000])
    }

    @Test func `the colour, the title and the tracks match the description`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try TestStream.simple.get().muxed(HybridMP4Muxer()), "a.mp4")
        #expect(
            try Tool.probe(
                path, "-select_streams", "v", "-show_entries",
                "stream=profile,width,height,color_range,color_space,nb_frames")
                == ["High,320,180,tv,bt709,180"])
        #expect(
            try Tool.probe(
                path, "-select_streams", "a", "-show_entries", "stream=profile,sample_rate,channels,nb_frames") == [
                    "LC,48000,2,283"
                ])
        #expect(try Tool.probe(path, "-show_entries", "format_tags=title,encoder") == ["A title,broadcast"])
        #expect(try Tool.probe(path, "-show_entries", "format=start_time,duration") == ["0.000000,6.016000"])
    }

    @Test func `the creation time is in every header`() throws {
        var stream = try TestStream.simple.get()
        let folder = try TemporaryFolder()
        let unknown = try folder.write(stream.muxed(HybridMP4Muxer()), "unknown.mp4")
        #expect(try Tool.probe(unknown, "-show_entries", "format_tags=creation_time") == [])
        var description = stream.description
        // 2026-11-22 02:00 UTC, and a time after 2040, which needs 64 bits.
        for (time, text) in [
            (1_795_312_800, "2026-11-22T02:00:00.000000Z"), (2_300_000_000, "2042-11-19T08:53:20.000000Z"),
        ] as [(Int64, String)] {
            description.creationTime = time
            stream = TestStream(description: description, packets: stream.packets)
            for (name, file) in [
                ("a.mp4", stream.muxed(HybridMP4Muxer())), ("b.mp4", stream.muxed(FragmentedMP4Muxer())),
            ] {
                let path = try folder.write(file, name)
                #expect(try Tool.probe(path, "-show_entries", "format_tags=creation_time") == [text])
                #expect(try Tool.probe(path, "-show_entries", "stream_tags=creation_time") == [text, text])
                #expect(try Tool.decodingErrors(path) == "")
            }
        }
    }

    @Test func `the bitrates of sound are those of its packets`() throws {
        let stream = try TestStream.simple.get()
        let sound = stream.packets(of: .mixed)
        // Object type, stream type, unknown buffer size; then the maximum and the average.
        func bitrates(_ file: [UInt8]) throws -> (maximum: Int, average: Int) {
            let marker: [UInt8] = [0x40, 0x15, 0, 0, 0]
            let start = try #require((0..<file.count - 13).last { Array(file[$0..<$0 + 5]) == marker }) + 5
            return (
                MP4BoxReader.integer(file, at: start, bytes: 4), MP4BoxReader.integer(file, at: start + 4, bytes: 4)
            )
        }
        let finished = try bitrates(stream.muxed(HybridMP4Muxer()))
        let average = sound.reduce(0) { $0 + $1.data.count } * 8 * 48_000 / (sound.count * 1024)
        #expect(abs(finished.average - average) <= 8)
        let peak = (0..<sound.count - 46).map { sound[$0..<$0 + 46].reduce(0) { $0 + $1.data.count } * 8 }.max() ?? 0
        #expect(finished.maximum == max(peak, finished.average))
        // Before the end they are not known.
        var muxer = HybridMP4Muxer()
        let growing = try bitrates(muxer.begin(stream.description))
        #expect(growing.maximum == 128_000 && growing.average == 0)
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `every packet keeps its time in the finished and in the fragmented file`(kind: TestStream.Kind) throws {
        try expectTimesKept(kind.stream())
    }

    @Test func `a picture that starts late and a sound that starts later stay in sync`() throws {
        for stream in [try TestStream.simple.get(), try TestStream.reordered.get()] {
            try expectTimesKept(stream.retimed { MediaTime(milliseconds: $0.track == .screen ? 517 : 733) })
        }
    }

    @Test func `a picture that starts before the sound stays in sync`() throws {
        try expectTimesKept(
            try TestStream.simple.get().retimed { MediaTime(milliseconds: $0.track == .screen ? 0 : 300) })
    }

    @Test func `frames at irregular times are exact to a hundredth of a millisecond`() throws {
        let stream = try TestStream.simple.get().retimed {
            $0.track == .screen
                ? MediaTime(nanoseconds: Int64($0.sequence) * 7_777_777 + Int64($0.sequence % 3) * 5_123_457) : .zero
        }
        try expectTimesKept(stream)
    }

    @Test func `a gap in the sound extends the packet before it, and later packets keep their times`() throws {
        try expectTimesKept(
            try TestStream.simple.get().retimed {
                $0.track == .mixed && (100..<150).contains($0.sequence) ? nil : .zero
            })
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `decoded pictures match those of the byte stream`(kind: TestStream.Kind) throws {
        let stream = try kind.stream()
        let folder = try TemporaryFolder()
        let reference = try hash(folder.write(stream.muxed(AnnexBMuxer()), "a.h264"))
        #expect(try hash(folder.write(stream.muxed(HybridMP4Muxer()), "a.mp4")) == reference)
        #expect(try hash(folder.write(stream.muxed(FragmentedMP4Muxer()), "b.mp4")) == reference)
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `a file without its end plays up to the last whole fragment`(kind: TestStream.Kind) throws {
        let stream = try kind.stream()
        var muxer = HybridMP4Muxer()
        var file = muxer.begin(stream.description)
        var ends: [Int] = []
        for packet in stream.packets {
            let bytes = muxer.append(packet)
            file += bytes
            if !bytes.isEmpty { ends.append(file.count) }
        }
        let ending = muxer.end()
        file += ending.bytes
        let mediaEnd = file.count
        file += ending.index
        try #require(ends.count == 2)
        let folder = try TemporaryFolder()
        // The cuts include a file without room for the index, and a whole file whose placeholder was not patched yet.
        for (cut, frames) in [(ends[0], 60), (ends[1], 120), (mediaEnd, 180), (file.count, 180)] {
            let path = try folder.write(file[..<cut], "whole.mp4")
            #expect(try Tool.decodingErrors(path).isEmpty)
            #expect(try Tool.decodedFrameCount(path, stream: "v") == frames)
        }
        // Every size at which the kernel truncates a write, and some positions in media and in the last `moov`.
        let pages = stride(from: (ends[0] / 4096 + 1) * 4096, to: file.count, by: 4096)
        for cut in Array(pages) + [
            ends[0] + 1, ends[0] + 7, ends[0] + 3001, ends[1] - 1, ends[1] + 3001, file.count - 1000, file.count - 1,
        ] {
            let path = try folder.write(file[..<cut], "cut.mp4")
            #expect(try Tool.packetTimes(path, stream: "v").count >= (cut < ends[1] ? 60 : 120), "cut at \(cut)")
        }
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `GStreamer plays the finished, the unfinished and the truncated file`(kind: TestStream.Kind) throws {
        let stream = try kind.stream()
        let folder = try TemporaryFolder()
        #expect(try Tool.decodedByGStreamer(folder.write(stream.muxed(HybridMP4Muxer()), "a.mp4")) == 180)
        var muxer = HybridMP4Muxer()
        var file = muxer.begin(stream.description)
        for packet in stream.packets { file += muxer.append(packet) }
        #expect(try Tool.decodedByGStreamer(folder.write(file, "b.mp4")) == 120)
        #expect(try Tool.decodedByGStreamer(folder.write(file[..<(file.count - 5000)], "c.mp4")) >= 60)
    }

    @Test func `no movie fragment crosses a page boundary`() throws {
        // 400 fragments of irregular sizes and times. Without padding, some would start or end within a few bytes of a
        // page boundary.
        let packets = (0..<12_000).map { index in
            let time = MediaTime(nanoseconds: Int64(index) * 33_333_333 + Int64(index % 7) * 1_000_000)
            let size = 100 + index * 7919 % 257
            return EncodedPacket(
                track: .screen, presentationTime: time, decodeTime: time, isKeyframe: index % 30 == 0,
                sequence: UInt32(index),
                data: [UInt8](repeating: 1, count: size))
        }
        let stream = TestStream(description: try TestStream.simple.get().pictureOnly.description, packets: packets)
        let boxes = MP4BoxReader.boxes(stream.muxed(FragmentedMP4Muxer()))
        let fragments = boxes.filter { $0.type == "moof" }
        #expect(fragments.count == 400)
        #expect(fragments.allSatisfy { ($0.contents.lowerBound - 8) / 4096 == ($0.contents.upperBound - 1) / 4096 })
        #expect((1..<200).contains(boxes.count { $0.type == "free" }))
    }

    @Test func `application and microphone are two enabled tracks`() throws {
        let stream = try TestStream.simple.get().addingTrack(.mic)
        let folder = try TemporaryFolder()
        for (name, file) in [("a.mp4", stream.muxed(HybridMP4Muxer())), ("b.mp4", stream.muxed(FragmentedMP4Muxer()))] {
            let path = try folder.write(file, name)
            #expect(
                try Tool.probe(path, "-show_entries", "stream=codec_name:stream_tags=handler_name") == [
                    "h264,screen", "aac,mixed", "aac,mic",
                ])
            #expect(try Tool.decodingErrors(path).isEmpty)
            #expect(try Tool.packetTimes(path, stream: "a:1").count == 283)
        }
    }

    @Test func `fragments of audio alone last two seconds`() throws {
        let stream = try TestStream.simple.get().soundOnly
        var muxer = HybridMP4Muxer()
        var file = muxer.begin(stream.description)
        let fragments = stream.packets.map { muxer.append($0) }.filter { !$0.isEmpty }
        #expect(fragments.count == 3)
        for fragment in fragments { file += fragment }
        let folder = try TemporaryFolder()
        let path = try folder.write(file, "a.mp4")
        #expect(try Tool.decodingErrors(path).isEmpty)
        try expectTimesKept(stream)
    }

    @Test func `a fragment ends after ten seconds without a keyframe`() throws {
        let stream = try TestStream.simple.get().pictureOnly
        var muxer = HybridMP4Muxer()
        _ = muxer.begin(stream.description)
        var firstBytes: Int64?
        for index in 0..<400 where firstBytes == nil {
            let time = MediaTime(milliseconds: Int64(index) * 40)
            let packet = EncodedPacket(
                track: .screen, presentationTime: time, decodeTime: time, isKeyframe: index == 0,
                sequence: UInt32(index), data: [0, 0, 0, 1, 0x41])
            if !muxer.append(packet).isEmpty { firstBytes = time.milliseconds }
        }
        #expect(firstBytes == 10_000)
    }

    @Test func `a fragment ends before it contains more than eight million bytes`() throws {
        var muxer = HybridMP4Muxer()
        _ = muxer.begin(try TestStream.simple.get().pictureOnly.description)
        let data = [UInt8](repeating: 1, count: 1_000_000)
        let counts = (0..<12).map { index in
            let time = MediaTime(milliseconds: Int64(index) * 40)
            return muxer.append(
                EncodedPacket(
                    track: .screen, presentationTime: time, decodeTime: time, isKeyframe: index == 0,
                    sequence: UInt32(index), data: data)
            ).count
        }
        #expect(counts.firstIndex { $0 > 0 } == 8)
        #expect((8_000_000..<8_001_000).contains(counts[8]))
    }

    @Test func `sizes and offsets above four gigabytes have 64 bits`() throws {
        var muxer = HybridMP4Muxer()
        var offset = muxer.begin(try TestStream.simple.get().pictureOnly.description).count
        let placeholder = 8 + 8 + 16
        let data = [UInt8](repeating: 1, count: 7_999_999)
        for index in 0..<540 {
            let time = MediaTime(milliseconds: Int64(index) * 40)
            offset +=
                muxer.append(
                    EncodedPacket(
                        track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true,
                        sequence: UInt32(index), data: data)
                ).count
        }
        let ending = muxer.end()
        let end = ending.bytes + ending.index
        let boxes = MP4BoxReader.boxes(end).filter { $0.type != "free" }
        #expect(boxes.map(\.type) == ["moof", "mdat", "moov"])
        #expect(ending.patches.map(\.offset) == [UInt64(placeholder)])
        let patch = try #require(ending.patches.first?.bytes)
        #expect(patch.prefix(8) == [0, 0, 0, 1, 0x6D, 0x64, 0x61, 0x74])
        let movieOffset = boxes[2].contents.lowerBound - 8
        #expect(MP4BoxReader.integer(patch, at: 8, bytes: 8) == offset + movieOffset - placeholder)
        let movie = Array(end[movieOffset...])
        let table = try #require(MP4BoxReader.find(movie, "moov", "trak", "mdia", "minf", "stbl", "co64"))
        #expect(MP4BoxReader.integer(movie, at: table.contents.lowerBound + 4, bytes: 4) == 540)
        #expect(
            MP4BoxReader.integer(movie, at: table.contents.upperBound - 8, bytes: 8) == offset
                + boxes[1].contents.lowerBound)
    }

    @Test func `a stream without packets has no end`() throws {
        var muxer = HybridMP4Muxer()
        _ = muxer.begin(try TestStream.simple.get().description)
        let ending = muxer.end()
        #expect(ending.bytes.isEmpty)
        #expect(ending.patches.isEmpty)
    }

    @Test func `packets of unknown tracks and decreasing times cause no failure`() throws {
        let stream = try TestStream.simple.get()
        var muxer = HybridMP4Muxer()
        var file = muxer.begin(stream.description)
        for packet in stream.packets {
            file += muxer.append(packet)
            file += muxer.append(
                EncodedPacket(
                    track: .mic, presentationTime: packet.presentationTime, decodeTime: packet.decodeTime,
                    isKeyframe: true, sequence: 0, data: [1]))
            guard packet.track == .screen, packet.sequence == 70 else { continue }
            file += muxer.append(packet)
        }
        let ending = muxer.end()
        file += ending.bytes + ending.index
        let patch = try #require(ending.patches.first)
        file.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + patch.bytes.count, with: patch.bytes)
        let folder = try TemporaryFolder()
        let path = try folder.write(file, "a.mp4")
        #expect(try Tool.packetTimes(path, stream: "v").count == 181)
        #expect(try Tool.probe(path, "-show_entries", "stream=codec_name") == ["h264", "aac"])
    }

    /// ffprobe must return each packet's own times, in the finished and in the fragmented file, and must decode
    /// everything without a message.
    private func expectTimesKept(_ stream: TestStream, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let folder = try TemporaryFolder()
        for (name, file) in [
            ("finished.mp4", stream.muxed(HybridMP4Muxer())), ("fragmented.mp4", stream.muxed(FragmentedMP4Muxer())),
        ] {
            let path = try folder.write(file, name)
            let complaints = try Tool.decodingErrors(path)
            #expect(complaints == "", "\(name)", sourceLocation: sourceLocation)
            for (specifier, track) in [("v", Track.screen), ("a", .mixed)] {
                let sent = stream.packets(of: track)
                let read = try Tool.packetTimes(path, stream: specifier)
                #expect(read.map(\.size) == sent.map(\.data.count), "\(name)", sourceLocation: sourceLocation)
                let errors = zip(sent, read).map {
                    max(abs($0.presentationTime.seconds - $1.presentation), abs($0.decodeTime.seconds - $1.decode))
                }
                // One tick of 90 kHz is 11 µs. The length of an edit has the same precision.
                #expect(errors.max() ?? 0 < 0.000_02, "\(name) \(track.name)", sourceLocation: sourceLocation)
                if track == .screen {
                    #expect(read.map(\.isKeyframe) == sent.map(\.isKeyframe), "\(name)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    /// A hash of all decoded pictures, without their times.
    private func hash(_ path: String) throws -> String {
        try Tool.run("ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-vsync", "passthrough", "-f", "md5", "-")
    }
}
