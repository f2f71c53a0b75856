import Media
import Mux
import Testing

@Suite struct MPEGTSMuxerTests {
    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `every packet keeps its time, 1,4 s later, and is decodable`(kind: TestStream.Kind) throws {
        let stream = try kind.stream()
        let folder = try TemporaryFolder()
        let path = try folder.write(stream.muxed(MPEGTSMuxer()), "a.ts")
        #expect(try Tool.decodingErrors(path) == "")
        #expect(try Tool.decodedFrameCount(path, stream: "v") == 180)
        for (specifier, track) in [("v", Track.screen), ("a", .mixed)] {
            let sent = stream.packets(of: track)
            let read = try Tool.packetTimes(path, stream: specifier)
            #expect(read.count == sent.count)
            let errors = zip(sent, read).map {
                max(
                    abs($0.presentationTime.seconds + 1.4 - $1.presentation),
                    abs($0.decodeTime.seconds + 1.4 - $1.decode))
            }
            #expect(errors.max() ?? 0 < 0.000_02)
        }
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `decoded pictures match those of the byte stream`(kind: TestStream.Kind) throws {
        let stream = try kind.stream()
        let folder = try TemporaryFolder()
        let hashes = try [
            folder.write(stream.muxed(AnnexBMuxer()), "a.h264"), folder.write(stream.muxed(MPEGTSMuxer()), "a.ts"),
        ].map {
            try Tool.run("ffmpeg", "-v", "error", "-i", $0, "-map", "0:v", "-vsync", "passthrough", "-f", "md5", "-")
        }
        #expect(hashes[0] == hashes[1])
    }

    @Test func `each packet is returned at once as whole transport packets with increasing counters`() throws {
        let stream = try TestStream.reordered.get().addingTrack(.mic)
        var muxer = MPEGTSMuxer()
        #expect(muxer.begin(stream.description).isEmpty)
        var counters: [Int: Int] = [:]
        for packet in stream.packets {
            let bytes = muxer.append(packet)
            #expect(!bytes.isEmpty)
            for transport in try #require(MPEGTSReader(bytes)).packets {
                if let last = counters[transport.pid] {
                    let expected = transport.hasPayload ? (last + 1) % 16 : last
                    try #require(transport.counter == expected)
                }
                counters[transport.pid] = transport.counter
            }
        }
        #expect(Set(counters.keys) == [0, 0x1000, 0x100, 0x101, 0x102])
        #expect(muxer.end().bytes.isEmpty)
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered])
    func `the clock increases, is sent every 40 ms and never passes a decode time`(kind: TestStream.Kind) throws {
        // Pictures 200 ms apart, the largest interval of variable pacing.
        for step in [1, 6] as [UInt32] {
            let stream = try kind.stream().retimed { $0.track == .screen && $0.sequence % step != 0 ? nil : .zero }
            let reader = try #require(MPEGTSReader(stream.muxed(MPEGTSMuxer())))
            var last: Int?
            for packet in reader.packets {
                if let clock = packet.programClock {
                    #expect(packet.pid == 0x100)
                    // Sound starts at -21 ms. Before it, there are no packets that could carry a clock.
                    if let last, last > 31_800_000 { #expect((1...1_080_000).contains(clock - last)) }
                    if let last { #expect(clock > last) }
                    last = clock
                }
                if packet.startsUnit, let times = MPEGTSReader.times(packet.payload), let last {
                    #expect(times.decode * 300 > last)
                }
            }
            #expect(last != nil)
        }
    }

    @Test func `the clock waits for pictures that an encoder's lookahead delays`() throws {
        // Each picture arrives 400 ms after the sound of the same time.
        let stream = try TestStream.simple.get()
        let late = stream.packets.sorted {
            ($0.decodeTime + MediaTime(milliseconds: $0.track == .screen ? 400 : 0))
                < ($1.decodeTime + MediaTime(milliseconds: $1.track == .screen ? 400 : 0))
        }
        let reader = try #require(
            MPEGTSReader(TestStream(description: stream.description, packets: late).muxed(MPEGTSMuxer())))
        var last: Int?
        for packet in reader.packets {
            last = packet.programClock ?? last
            if packet.startsUnit, let times = MPEGTSReader.times(packet.payload), let last {
                #expect(times.decode * 300 > last)
            }
        }
        #expect(last != nil)
    }

    @Test func `tables precede each keyframe and are never more than 500 ms apart`() throws {
        let stream = try TestStream.simple.get()
        var muxer = MPEGTSMuxer()
        _ = muxer.begin(stream.description)
        var last = stream.packets[0].decodeTime
        for packet in stream.packets {
            let pids = try #require(MPEGTSReader(muxer.append(packet))).packets.map(\.pid)
            if pids.first == 0 {
                #expect(pids[1] == 0x1000)
                last = packet.decodeTime
            }
            #expect(packet.decodeTime - last < MediaTime(milliseconds: 500))
            if packet.track == .screen, packet.isKeyframe { #expect(pids.starts(with: [0, 0x1000, 0x100])) }
        }
    }

    @Test func `keyframes are marked and start with a delimiter and the parameter sets`() throws {
        let stream = try TestStream.simple.get()
        let reader = try #require(MPEGTSReader(stream.muxed(MPEGTSMuxer())))
        let pictures = reader.packets.filter { $0.pid == 0x100 && $0.startsUnit }
        #expect(pictures.count == 180)
        #expect(pictures.indices.filter { pictures[$0].isRandomAccess } == [0, 60, 120])
        for (index, picture) in pictures.enumerated() {
            let kinds = ByteStreamParser.nalUnits(Array(picture.payload[14...])).map { $0[0] & 0x1F }
            #expect(kinds.starts(with: index % 60 == 0 ? [9, 7, 8] : [9, 1]))
        }
    }

    @Test func `audio alone carries the clock`() throws {
        let stream = try TestStream.simple.get().soundOnly
        let bytes = stream.muxed(MPEGTSMuxer())
        let reader = try #require(MPEGTSReader(bytes))
        #expect(reader.packets.filter { $0.programClock != nil }.count == 283)
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, "a.ts")
        #expect(try Tool.decodingErrors(path) == "")
        // ffprobe lists the streams of a program twice.
        let streams = try Tool.probe(path, "-show_entries", "stream=codec_name,profile,sample_rate,channels")
        #expect(Set(streams.filter { !$0.isEmpty }) == ["aac,LC,48000,2"])
    }

    @Test func `timestamps wrap at 33 bits`() throws {
        let stream = try TestStream.simple.get().pictureOnly
        // 2^33 ticks are 95443.717689 s. The first picture has the last whole second before, minus the offset of 1.4 s.
        let moved = stream.retimed { _ in MediaTime(milliseconds: 95_443_000 - 1_400) }
        let reader = try #require(MPEGTSReader(moved.muxed(MPEGTSMuxer())))
        let times = reader.packets.filter { $0.pid == 0x100 && $0.startsUnit }.compactMap {
            MPEGTSReader.times($0.payload)?.presentation
        }
        #expect(times[0] == 8_589_870_000)
        #expect(times[21] == 8_589_933_000)
        #expect(times[22] == 8_589_936_000 - 8_589_934_592)
        let clocks = reader.packets.compactMap(\.programClock)
        #expect(clocks.allSatisfy { $0 < 8_589_934_592 * 300 })
        #expect(clocks[0] == (8_589_870_000 - 18_000) * 300)
    }

    @Test func `the tables of a stream with picture and sound have the expected bytes`() throws {
        var muxer = MPEGTSMuxer()
        let stream = try TestStream.simple.get()
        _ = muxer.begin(stream.description)
        let packets = try #require(MPEGTSReader(muxer.append(stream.packets[0]))).packets
        #expect(
            packets[0].payload.prefix(17) == [
                0, 0x00, 0xB0, 0x0D, 0x00, 0x01, 0xC1, 0x00, 0x00, 0x00, 0x01, 0xF0, 0x00, 0x2A, 0xB1, 0x04, 0xB2,
            ])
        #expect(
            packets[1].payload.prefix(24)
                == [
                    0, 0x02, 0xB0, 0x17, 0, 1, 0xC1, 0, 0, 0xE1, 0x00, 0xF0, 0, 0x1B, 0xE1, 0x00, 0xF0, 0, 0x0F, 0xE1,
                    0x01, 0xF0, 0, 0x2F,
                ])
    }

    @Test func `a packet long before the start is dropped`() throws {
        let stream = try TestStream.simple.get().soundOnly.retimed { _ in MediaTime(milliseconds: -1500) }
        var muxer = MPEGTSMuxer()
        _ = muxer.begin(stream.description)
        #expect(stream.packets.prefix(5).allSatisfy { muxer.append($0).isEmpty })
        #expect(!muxer.append(stream.packets[20]).isEmpty)
    }

    @Test func `GStreamer plays it`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try TestStream.simple.get().muxed(MPEGTSMuxer()), "a.ts")
        let result = try Tool.output(
            "gst-launch-1.0",
            [
                "-v", "filesrc", "location=\(path)", "!", "tsdemux", "name=d", "d.", "!", "queue", "!", "h264parse",
                "!", "avdec_h264", "!",
                "fakesink",
                "name=pictures", "sync=false", "silent=false", "d.", "!", "queue", "!", "aacparse", "!", "avdec_aac",
                "!", "fakesink", "sync=false",
            ])
        #expect(result.status == 0)
        #expect(result.out.split(separator: "\n").count { $0.contains("pictures: last-message = chain") } == 180)
    }
}
