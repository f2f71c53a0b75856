import Media
import Mux
import Testing

@Suite struct FragmentedMP4MuxerTests {
    @Test func `the stream is a movie and its fragments, without patches at the end`() throws {
        let stream = try TestStream.simple.get()
        let types = MP4BoxReader.types(stream.muxed(FragmentedMP4Muxer())).filter { $0 != "free" }
        #expect(types == ["ftyp", "moov", "moof", "mdat", "moof", "mdat", "moof", "mdat"])
        var muxer = FragmentedMP4Muxer()
        _ = muxer.begin(stream.description)
        for packet in stream.packets.prefix(10) { #expect(muxer.append(packet).isEmpty) }
        #expect(muxer.end().patches.isEmpty)
    }

    @Test func `the movie of reordered pictures follows with the first fragment`() throws {
        let stream = try TestStream.reordered.get()
        var muxer = FragmentedMP4Muxer()
        #expect(MP4BoxReader.types(muxer.begin(stream.description)) == ["ftyp"])
        let first = stream.packets.lazy.map { muxer.append($0) }.first { !$0.isEmpty }
        #expect(MP4BoxReader.types(first ?? []).filter { $0 != "free" } == ["moov", "moof", "mdat"])
    }

    @Test func `a reader that cannot seek plays it`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try TestStream.simple.get().muxed(FragmentedMP4Muxer()), "a.mp4")
        let result = try Tool.output(
            "sh",
            ["-c", "cat \(path) | ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 -"])
        #expect(result.out.split(separator: "\n") == ["180", "283"])
        #expect(result.error == "")
    }
}
