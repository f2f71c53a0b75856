import Media

/// The picture that viewers see while a broadcast is paused. It shows a pause sign and nothing of the screen.
package enum PrivacySlate {
    /// The luma of the dark grey background, in limited range. The pause sign is light and centred.
    private static let background: UInt8 = 40
    private static let bars: UInt8 = 180

    /// Creates a frame of `size`. Width and height must be even.
    package static func frame(size: PixelSize, chroma: ChromaFormat = .yuv420) -> PixelBuffer {
        let frame = PixelBuffer(format: chroma.pixelFormat, size: size)
        frame.fillBlack()
        let unit = max(1, size.height / 18)
        frame.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let fromCentre = abs(2 * x - size.width) / 2
                    let isBar =
                        abs(2 * y - size.height) < 6 * unit && fromCentre > unit / 2 && fromCentre < unit * 3 / 2
                    bytes[y * frame.stride + x] = isBar ? bars : background
                }
            }
        }
        return frame
    }

    /// Returns the frame as a sample with all of it damaged.
    package static func sample(size: PixelSize, chroma: ChromaFormat = .yuv420, at time: MediaTime) -> SampleBuffer {
        SampleBuffer(
            track: .screen, presentationTime: time,
            payload: .picture(
                Picture(
                    size: size, patches: [.init(x: 0, y: 0, pixels: frame(size: size, chroma: chroma))],
                    damage: .whole(size))))
    }
}
