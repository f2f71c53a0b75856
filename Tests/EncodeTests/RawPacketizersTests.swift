import Encode
import Media
import Testing

@Suite struct RawPacketizersTests {
    @Test func `The numbers of packets begin again after the last one`() throws {
        var pictures = RawVideoPacketizer(from: .max)
        let size = PixelSize(width: 16, height: 16)
        let frame = PixelBuffer(format: .i420, size: size)
        let picture = SampleBuffer(
            track: .screen, presentationTime: .zero,
            payload: .picture(Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(size))))
        let shown = [pictures.packet(for: picture), pictures.repeatPacket(at: MediaTime(milliseconds: 33))]
        #expect(shown.map { $0?.sequence } == [.max, 0])
        var sound = RawAudioPacketizer(track: .app, from: .max)
        let block = SampleBuffer(
            track: .app, presentationTime: .zero,
            payload: .sound(Sound(format: .broadcast, samples: [Float](repeating: 0, count: 2048))))
        let heard = [sound.packet(for: block), sound.packet(for: block)]
        #expect(heard.map { $0?.sequence } == [.max, 0])
    }
}
