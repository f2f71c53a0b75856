import Media

extension PixelBuffer {
    /// An I420 frame as players show it: red, green and blue, three bytes a pixel, rows from the top down without padding.
    ///
    /// Rec. ITU-R BT.709-6, 3, limited range, in 16 bits behind the point: libyuv's converter of this age is off by up to 10 of 255 in blue.
    package func rgb() -> [UInt8] {
        precondition(format == .i420, "only frames are converted")
        let planes = planeOffsets
        return withUnsafeBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: size.area * 3) { pixels, count in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let luma = (Int(bytes[planes.y + y * stride + x]) - 16) * 76_309 + 32_768
                        let chroma = y / 2 * chromaStride + x / 2
                        let u = Int(bytes[planes.u + chroma]) - 128
                        let v = Int(bytes[planes.v + chroma]) - 128
                        let place = (y * size.width + x) * 3
                        pixels[place] = UInt8(clamping: (luma + v * 117_489) >> 16)
                        pixels[place + 1] = UInt8(clamping: (luma - u * 13_975 - v * 34_925) >> 16)
                        pixels[place + 2] = UInt8(clamping: (luma + u * 138_438) >> 16)
                    }
                }
                count = size.area * 3
            }
        }
    }

    /// The frame, or a smaller one of the same shape that has room in `limit`.
    package func scaled(toFit limit: PixelSize) -> PixelBuffer {
        guard size.width > limit.width || size.height > limit.height else { return self }
        let scale = min(Double(limit.width) / Double(size.width), Double(limit.height) / Double(size.height))
        let smaller = PixelSize(width: max(2, Int(Double(size.width) * scale) & ~1), height: max(2, Int(Double(size.height) * scale) & ~1))
        let frame = PixelBuffer(format: format, size: smaller)
        FrameScaler.scale(self, into: frame, content: PixelRect(smaller))
        return frame
    }
}
