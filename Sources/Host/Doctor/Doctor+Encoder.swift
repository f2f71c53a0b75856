import Encode
import Media

extension Doctor {
    /// Measures how fast this machine encodes a page of text that scrolls, at the usual sizes and at the screen's, and
    /// looks whether it can encode sound.
    func examineEncoder(screen: PixelSize?) {
        let usual = [PixelSize(width: 1280, height: 720), PixelSize(width: 1920, height: 1080)]
        let own = screen.map { PixelSize(width: $0.width & ~1, height: $0.height & ~1) }
        let sizes = usual + [own].compactMap(\.self).filter { !usual.contains($0) && $0.isEncodable }
        do throws(EncodeError) {
            let speeds = try sizes.map { size throws(EncodeError) in
                EncodingSpeed(size: size, framesPerSecond: try Self.speed(size))
            }
            let relevant = speeds.last { $0.size == own } ?? speeds.last
            report(.encoder, (relevant?.framesPerSecond ?? 0) < 30 ? .warning : .ok, .speed(speeds))
        } catch {
            report(.encoder, .wrong, .encoderFails)
        }
        do throws(EncodeError) {
            _ = try AACEncoder(track: .app, bitrate: 160)
        } catch {
            report(.encoder, .wrong, .soundEncoderFails(error))
        }
    }

    /// The frames per second of an encoder with the usual settings, measured for about half a second.
    private static func speed(_ size: PixelSize) throws(EncodeError) -> Int {
        let encoder = try VideoEncoder(settings: VideoSettings(size: size, rateControl: .bitrate(4500)))
        let pages = (0..<4).map { page(size, offset: $0 * 8) }
        let begin = ContinuousClock.now
        var count = 0
        while true {
            let picture = Picture(
                size: size, patches: [.init(x: 0, y: 0, pixels: pages[count % pages.count])], damage: .whole(size))
            let time = MediaTime(value: Int64(count), timescale: 30)
            _ = try encoder.encode(SampleBuffer(track: .screen, presentationTime: time, payload: .picture(picture)))
            count += 1
            let elapsed = ContinuousClock.now - begin
            if elapsed > .milliseconds(500), count > 3 { return Int(Double(count) / (elapsed / .seconds(1))) }
        }
    }

    /// Rows of blocks as large as letters.
    private static func page(_ size: PixelSize, offset: Int) -> PixelBuffer {
        let frame = PixelBuffer(format: .i420, size: size)
        let chroma = frame.planeOffsets.u
        frame.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                let line = y + offset
                for x in 0..<size.width {
                    let isInk = line % 16 < 11 && ((x / 2) &* 2_654_435_761 ^ (line / 2) &* 40_503) & 0x90 == 0x90
                    bytes[y * size.width + x] = isInk ? 40 : 235
                }
            }
            for index in chroma..<bytes.count { bytes[index] = 128 }
        }
        return frame
    }
}
