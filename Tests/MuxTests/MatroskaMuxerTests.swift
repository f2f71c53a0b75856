import Media
import Mux
import Testing

@Suite struct MatroskaMuxerTests {
    @Test(arguments: [TestStream.Kind.simple, .reordered], [true, false])
    func `ffmpeg reads every picture and sound with its time`(kind: TestStream.Kind, isSeekable: Bool) throws {
        let stream = try kind.stream()
        let folder = try TemporaryFolder()
        let file = try folder.write(stream.muxed(MatroskaMuxer(isSeekable: isSeekable)), "a.mkv")
        #expect(try Tool.decodingErrors(file) == "")
        #expect(try Tool.decodedFrameCount(file, stream: "v") == 180)
        let pictures = stream.packets(of: .screen)
        let read = try Tool.packetTimes(file, stream: "v")
        #expect(read.count == 180)
        for (packet, time) in zip(pictures, read) {
            #expect(abs(packet.presentationTime.seconds - time.presentation) < 0.0011)
            #expect(packet.isKeyframe == time.isKeyframe && packet.data.count == time.size)
        }
        // Also the priming, whose time is negative.
        let sound = stream.packets(of: .mixed)
        let heard = try Tool.packetTimes(file, stream: "a")
        #expect(heard.count == sound.count)
        for (packet, time) in zip(sound, heard) {
            #expect(abs(packet.presentationTime.seconds - time.presentation) < 0.0011)
        }
    }

    @Test func `the colour, the title, the date and the duration are in the file`() throws {
        var description = try TestStream.simple.get().description
        // 2026-11-22 02:00 UTC.
        description.creationTime = 1_795_312_800
        let stream = TestStream(description: description, packets: try TestStream.simple.get().packets)
        let folder = try TemporaryFolder()
        let path = try folder.write(stream.muxed(MatroskaMuxer(isSeekable: true)), "a.mkv")
        #expect(
            try Tool.probe(
                path, "-select_streams", "v", "-show_entries", "stream=profile,width,height,color_range,color_space")
                == ["High,320,180,tv,bt709"])
        #expect(
            try Tool.probe(path, "-select_streams", "a", "-show_entries", "stream=profile,sample_rate,channels")
                == ["LC,48000,2"])
        #expect(
            try Tool.probe(path, "-show_entries", "format_tags=title,creation_time,encoder")
                == ["A title,broadcast,2026-11-22T02:00:00.000000Z"])
        #expect(try Tool.probe(path, "-show_entries", "format=duration") == ["6.016000"])
    }

    @Test func `two sounds are two tracks with names`() throws {
        let stream = try TestStream.simple.get()
        var description = stream.description
        description.audio[0].track = .app
        let packets = stream.packets.map {
            EncodedPacket(
                track: $0.track == .mixed ? .app : $0.track, presentationTime: $0.presentationTime,
                decodeTime: $0.decodeTime, isKeyframe: $0.isKeyframe, sequence: $0.sequence, data: $0.data)
        }
        let both = TestStream(description: description, packets: packets).addingTrack(.mic)
        let folder = try TemporaryFolder()
        let path = try folder.write(both.muxed(MatroskaMuxer(isSeekable: true)), "a.mkv")
        #expect(try Tool.decodingErrors(path) == "")
        #expect(
            try Tool.probe(path, "-select_streams", "a", "-show_entries", "stream_tags=title")
                == ["Applications", "Microphone"])
        #expect(try Tool.packetTimes(path, stream: "a:1").count == both.packets(of: .mic).count)
    }

    @Test func `the index and the list of parts point to what they name`() throws {
        let file = try TestStream.simple.get().muxed(MatroskaMuxer(isSeekable: true))
        let top = EBMLReader.elements(file, in: 0..<file.count)
        #expect(top.map(\.identifier) == [0x1A45_DFA3, 0x1853_8067])
        let segment = try #require(top.last?.contents)
        let parts = EBMLReader.elements(file, in: segment)
        for seek in EBMLReader.elements(file, in: try #require(parts.first).contents) {
            let fields = EBMLReader.elements(file, in: seek.contents).map { EBMLReader.integer(file, in: $0.contents) }
            #expect(parts.contains { $0.identifier == fields[0] && $0.start == segment.lowerBound + fields[1] })
        }
        let clusters = parts.filter { $0.identifier == 0x1F43_B675 }
        let cues = try #require(parts.last { $0.identifier == 0x1C53_BB6B })
        var times: [Int] = []
        for cue in EBMLReader.elements(file, in: cues.contents) {
            let fields = EBMLReader.elements(file, in: cue.contents)
            let position = EBMLReader.elements(file, in: fields[1].contents)[1]
            let offset = segment.lowerBound + EBMLReader.integer(file, in: position.contents)
            let cluster = try #require(clusters.first { $0.start == offset })
            let time = EBMLReader.integer(file, in: EBMLReader.elements(file, in: cluster.contents)[0].contents)
            #expect(time == EBMLReader.integer(file, in: fields[0].contents))
            times.append(time)
        }
        #expect(times == [0, 2000, 4000])
    }

    @Test func `a file without a picture and without sound names no index`() throws {
        let file = TestStream(description: try TestStream.simple.get().description, packets: [])
            .muxed(MatroskaMuxer(isSeekable: true))
        let segment = try #require(EBMLReader.elements(file, in: 0..<file.count).last?.contents)
        let parts = EBMLReader.elements(file, in: segment)
        let seeks = EBMLReader.elements(file, in: try #require(parts.first).contents)
        #expect(seeks.count == 2 && !parts.contains { $0.identifier == 0x1C53_BB6B })
    }

    @Test func `a file that was cut is playable up to its last cluster`() throws {
        let stream = try TestStream.simple.get()
        var muxer = MatroskaMuxer(isSeekable: true)
        var file = muxer.begin(stream.description)
        for packet in stream.packets { file += muxer.append(packet) }
        let folder = try TemporaryFolder()
        let path = try folder.write(file, "a.mkv")
        #expect(try Tool.decodingErrors(path) == "")
        // The sound comes with the pictures, so only the last cluster is missing.
        #expect(try Tool.decodedFrameCount(path, stream: "v") >= 150)
        let half = try folder.write(file.prefix(file.count / 2), "half.mkv")
        #expect(try Tool.decodedFrameCount(half, stream: "v") >= 60)
        #expect(try Tool.decodedByGStreamer(path, demuxer: "matroskademux") >= 150)
    }

    @Test(arguments: [true, false]) func `a pause of minutes and a sound that starts late keep their times`(
        isSeekable: Bool
    ) throws {
        let stream = try TestStream.simple.get().retimed { packet in
            let late: Int64 = packet.track == .screen ? 0 : 733
            return MediaTime(milliseconds: late + (packet.decodeTime >= MediaTime(milliseconds: 3000) ? 200_000 : 0))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(stream.muxed(MatroskaMuxer(isSeekable: isSeekable)), "a.mkv")
        for (track, name) in [(Track.screen, "v"), (.mixed, "a")] {
            let read = try Tool.packetTimes(path, stream: name).map(\.presentation)
            let sent = stream.packets(of: track).map(\.presentationTime.seconds)
            #expect(read.count == sent.count && zip(read, sent).allSatisfy { abs($0 - $1) < 0.0011 })
        }
        #expect(try Tool.decodingErrors(path) == "")
    }

    @Test func `sound alone has an index, too`() throws {
        let folder = try TemporaryFolder()
        let file = try TestStream.simple.get().soundOnly.muxed(MatroskaMuxer(isSeekable: true))
        let path = try folder.write(file, "a.mkv")
        #expect(try Tool.decodingErrors(path) == "")
        let parts = EBMLReader.elements(file, in: EBMLReader.elements(file, in: 0..<file.count)[1].contents)
        let cues = try #require(parts.last { $0.identifier == 0x1C53_BB6B })
        #expect(EBMLReader.elements(file, in: cues.contents).count >= 6)
        #expect(try Tool.packetTimes(path, stream: "a").count == 283)
    }

    @Test func `GStreamer plays the file and the pipe`() throws {
        for isSeekable in [true, false] {
            let folder = try TemporaryFolder()
            let stream = try TestStream.reordered.get()
            let path = try folder.write(stream.muxed(MatroskaMuxer(isSeekable: isSeekable)), "a.mkv")
            #expect(try Tool.decodedByGStreamer(path, demuxer: "matroskademux") == 180)
        }
    }
}

/// Reads the structure of EBML (RFC 8794).
private enum EBMLReader {
    struct Element {
        let identifier: Int
        /// Where it begins.
        let start: Int
        let contents: Range<Int>
    }

    static func elements(_ file: [UInt8], in range: Range<Int>) -> [Element] {
        var elements: [Element] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let start = position
            let identifierLength = file[position].leadingZeroBitCount + 1
            let identifier = integer(file, in: position..<position + identifierLength)
            position += identifierLength
            let sizeLength = file[position].leadingZeroBitCount + 1
            let size = integer(file, in: position..<position + sizeLength) & (1 << (7 * sizeLength) - 1)
            position += sizeLength
            elements.append(Element(identifier: identifier, start: start, contents: position..<position + size))
            position += size
        }
        return elements
    }

    static func integer(_ file: [UInt8], in range: Range<Int>) -> Int { file[range].reduce(0) { $0 << 8 | Int($1) } }
}
