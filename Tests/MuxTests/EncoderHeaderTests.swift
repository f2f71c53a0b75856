import Bitstream
import Media
import Testing

/// Parses the headers of streams from ffmpeg's encoders.
@Suite struct EncoderHeaderTests {
    @Test func `High profile from x264 is 4:2:0 with 8 bits`() throws {
        for (kind, reorders) in [(TestStream.Kind.simple, false), (.reordered, true)] {
            guard case .h264(let bytes, _)? = try kind.stream().description.video?.codec else {
                throw Tool.Failure(command: "x264", output: "no SPS")
            }
            let set = try #require(SequenceParameterSet(nalUnit: bytes))
            #expect(set.profile == 100)
            #expect(set.chromaFormat == 1)
            #expect(set.lumaBitDepth == 8)
            #expect(set.mayReorder == reorders)
            // 320x180.
            #expect(set.layout?.widthInMacroblocks == 20 && set.layout?.heightInMacroblocks == 12)
        }
    }

    @Test func `ffmpeg decodes the framed packets`() throws {
        let stream = try TestStream.simple.get().soundOnly
        let header = ADTSHeader(stream.description.audio[0])
        let bytes = stream.packets.flatMap { (header.bytes(payloadByteCount: $0.data.count) ?? []) + $0.data }
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, "a.aac")
        #expect(try Tool.decodingErrors(path) == "")
        #expect(try Tool.decodedFrameCount(path, stream: "a") == 283)
    }
}
