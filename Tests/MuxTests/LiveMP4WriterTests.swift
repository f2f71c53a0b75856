import Media
import Mux
import Testing

struct LiveMP4WriterTests {
    /// The initialization for these tracks, and a fragment for each packet.
    private func write(_ stream: TestStream, _ tracks: [Track]) -> (initialization: [UInt8], fragments: [[UInt8]]) {
        var writer = LiveMP4Writer(stream.description)
        let fragments = stream.packets.filter { tracks.contains($0.track) }.compactMap { writer.fragment($0)?.bytes }
        return (writer.initialization(of: tracks), fragments)
    }

    @Test func `Each packet is a fragment, and a picture claims to last a second`() throws {
        let stream = try TestStream.simple.get()
        let (initialization, fragments) = write(stream, [.screen])
        #expect(MP4BoxReader.types(initialization) == ["ftyp", "moov"])
        #expect(MP4BoxReader.find(initialization, "moov", "mvex", "mehd") == nil)
        let header = try #require(MP4BoxReader.find(initialization, "moov", "mvhd"))
        // Version 0: the duration follows the flags, two times and the timescale.
        #expect(MP4BoxReader.integer(initialization, at: header.contents.lowerBound + 16, bytes: 4) == 0)
        #expect(fragments.count == stream.packets(of: .screen).count)
        for (fragment, packet) in zip(fragments, stream.packets(of: .screen)) {
            #expect(MP4BoxReader.types(fragment) == ["moof", "mdat"])
            let run = try #require(MP4BoxReader.find(fragment, "moof", "traf", "trun")).contents.lowerBound
            #expect(MP4BoxReader.integer(fragment, at: run + 4, bytes: 4) == 1)
            let offset = MP4BoxReader.integer(fragment, at: run + 8, bytes: 4)
            #expect(Array(fragment[offset...]) == packet.data)
            // A keyframe has its flags before its duration.
            let duration = MP4BoxReader.integer(fragment, at: run + (packet.isKeyframe ? 16 : 12), bytes: 4)
            #expect(duration == 90_000)
        }
    }

    @Test func `A decoder plays the pictures, also with sound`() throws {
        let stream = try TestStream.simple.get()
        let sound = try #require(stream.description.audio.first).track
        let folder = try TemporaryFolder()
        for (name, tracks) in [("silent.mp4", [.screen]), ("loud.mp4", [.screen, sound])] as [(String, [Track])] {
            let (initialization, fragments) = write(stream, tracks)
            let path = try folder.write(initialization + fragments.joined(), name)
            let result = try Tool.output(
                "ffprobe",
                ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path])
            let counts = result.out.split(separator: "\n").compactMap { Int($0) }
            #expect(result.error == "" && counts.count == tracks.count && counts.first == 180, "\(result)")
        }
    }
}
