import Media
import Mux
import Testing

@Suite struct FLVTagTests {
    /// Parameter sets of a 16x16 picture, Baseline 1.0.
    private static let video = VideoTrackFormat(
        codec: .h264(
            sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x79], pictureParameterSet: [0x68, 0xCE, 0x3C, 0x80]),
        size: PixelSize(width: 1280, height: 720), frameRate: 30, bitrate: 3000)
    private static let audio = AudioTrackFormat(
        track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024)

    @Test func `the AVC sequence header contains the decoder configuration record`() {
        let tag = FLVTag.avcSequenceHeader(
            sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x79], pictureParameterSet: [0x68, 0xCE, 0x3C, 0x80],
            timestamp: 0)
        #expect(tag.kind == .video)
        #expect(
            tag.body == [
                0x17, 0, 0, 0, 0, 1, 0x42, 0xC0, 0x0A, 0xFF, 0xE1, 0, 6, 0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x79, 1, 0, 4,
                0x68, 0xCE, 0x3C, 0x80,
            ])
    }

    @Test func `a picture tag contains its kind and its composition time`() {
        let idr = FLVTag.avc(accessUnit: [0, 0, 0, 1, 0x65], isKeyframe: true, timestamp: 40, compositionTime: 80)
        #expect(idr.body == [0x17, 1, 0, 0, 80, 0, 0, 0, 1, 0x65])
        let other = FLVTag.avc(accessUnit: [0, 0, 0, 1, 0x41], isKeyframe: false, timestamp: 40, compositionTime: -2)
        #expect(other.body == [0x27, 1, 0xFF, 0xFF, 0xFE, 0, 0, 0, 1, 0x41])
        #expect(other.bodyCount == 10)
    }

    @Test func `audio has a sequence header and raw blocks`() {
        #expect(
            FLVTag.aacSequenceHeader(audioSpecificConfig: [0x11, 0x90], timestamp: 0).body == [0xAF, 0, 0x11, 0x90])
        #expect(FLVTag.aac(rawDataBlock: [0x21, 0x10], timestamp: 21).body == [0xAF, 1, 0x21, 0x10])
    }

    @Test func `the metadata contains codecs, size and rates`() throws {
        let tag = FLVTag.metadata(of: StreamDescription(video: Self.video, audio: [Self.audio], title: "A title"))
        let values = try AMF0Decoder.decode(tag.body)
        #expect(tag.kind == .script)
        #expect(values.count == 2 && values[0] == .string("onMetaData"))
        guard case .ecmaArray(let properties) = values[1] else { throw AMF0Error.truncated }
        #expect(
            properties == [
                AMF0Property("width", .number(1280)), AMF0Property("height", .number(720)),
                AMF0Property("framerate", .number(30)),
                AMF0Property("videocodecid", .number(7)), AMF0Property("videodatarate", .number(3000)),
                AMF0Property("audiocodecid", .number(10)),
                AMF0Property("audiodatarate", .number(160)), AMF0Property("audiosamplerate", .number(48_000)),
                AMF0Property("audiosamplesize", .number(16)), AMF0Property("audiochannels", .number(2)),
                AMF0Property("stereo", .boolean(true)),
                AMF0Property("encoder", .string("broadcast")), AMF0Property("title", .string("A title")),
            ])
    }

    @Test func `the duration is at a known offset, so that a file can set it later`() {
        let body = FLVTag.metadata(of: StreamDescription(video: Self.video, audio: []), duration: 1).body
        #expect(body[(FLVTag.durationOffset - 1)..<FLVTag.durationOffset + 8] == [0x00, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
    }

    @Test func `RTMP metadata asks the server to store it`() throws {
        let values = try AMF0Decoder.decode(
            FLVTag.setDataFrame(of: StreamDescription(video: nil, audio: [Self.audio])).body)
        #expect(values.prefix(2) == [.string("@setDataFrame"), .string("onMetaData")])
        #expect(values.last?["videocodecid"] == nil && values.last?["audiocodecid"] == .number(10))
    }
}
