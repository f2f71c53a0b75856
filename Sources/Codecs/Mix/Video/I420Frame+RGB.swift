import Media

extension PixelBuffer {
    /// Returns an I420 frame as RGB: three bytes a pixel, rows from top to bottom without padding.
    ///
    /// It converts Rec. ITU-R BT.709-6, 3, limited range, with 16 fractional bits. The converter of the supported
    /// libyuv versions has an error of up to 10 of 255 in blue.
    package func rgb() -> [UInt8] {
        precondition(format == .i420, "rgb() requires an I420 frame")
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

    /// Returns the frame, or a copy that is scaled down to fit in `limit` with the same aspect ratio.
    package func scaled(toFit limit: PixelSize) -> PixelBuffer {
        guard size.width > limit.width || size.height > limit.height else { return self }
        let scale = min(Double(limit.width) / Double(size.width), Double(limit.height) / Double(size.height))
        let smaller = PixelSize(
            width: max(2, Int(Double(size.width) * scale) & ~1), height: max(2, Int(Double(size.height) * scale) & ~1))
        let frame = PixelBuffer(format: format, size: smaller)
        FrameScaler.scale(self, into: frame, content: PixelRect(smaller), changed: .whole(smaller))
        return frame
    }
}
