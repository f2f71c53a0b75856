import CYUV
import Media

extension PixelBuffer {
    /// An I420 frame as players show it: red, green and blue, three bytes a pixel, rows from the top down without padding.
    package func rgb() -> [UInt8] {
        precondition(format == .i420, "only frames are converted")
        var pixels = [UInt8](repeating: 0, count: size.area * 3)
        withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            let planes = planeOffsets
            _ = H420ToRAW(
                base + planes.y, Int32(stride), base + planes.u, Int32(chromaStride), base + planes.v, Int32(chromaStride), &pixels,
                Int32(size.width * 3), Int32(size.width), Int32(size.height))
        }
        return pixels
    }
}
