import Media
import Mux
import Testing

@Suite struct ADTSHeaderTests {
    private func header(_ config: [UInt8], rate: Int = 48_000, channels: Int = 2) -> ADTSHeader {
        ADTSHeader(
            AudioTrackFormat(
                track: .mixed, format: AudioFormat(sampleRate: rate, channelCount: channels), audioSpecificConfig: config, bitrate: 160, priming: 1024
            ))
    }

    @Test func `48 kHz stereo with 100 bytes is this header`() {
        #expect(header([0x11, 0x90]).bytes(payloadByteCount: 100) == [0xFF, 0xF1, 0x4C, 0x80, 0x0D, 0x7F, 0xFC])
    }

    @Test func `44,1 kHz mono with 1000 bytes is this header`() {
        #expect(header([0x12, 0x08]).bytes(payloadByteCount: 1000) == [0xFF, 0xF1, 0x50, 0x40, 0x7D, 0xFF, 0xFC])
    }

    @Test func `without a usable configuration the format decides`() {
        #expect(header([]) == header([0x11, 0x90]))
        #expect(header([0x17, 0x80, 0, 0, 0], rate: 44_100, channels: 1) == header([0x12, 0x08]))
    }

    @Test func `a packet that does not fit in 13 bits has no header`() {
        #expect(header([0x11, 0x90]).bytes(payloadByteCount: 8184) != nil)
        #expect(header([0x11, 0x90]).bytes(payloadByteCount: 8185) == nil)
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
