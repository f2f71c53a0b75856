import CPixelKernels
import Media

/// Converts BGRA to I420 and I444 in BT.709, limited range (Rec. ITU-R BT.709-6, 3). The supported libyuv versions
/// convert to BT.601 only.
package enum ColourConversion {
    /// Draws `patch` of `sample` at its position in `frame`. BGRA pixels are converted; planar pixels are copied.
    package static func place(_ patch: CapturedPatch, of sample: CapturedSample, into frame: PixelBuffer) {
        if let planar = patch.buffer, !patch.isPacked {
            frame.copy(planar, toX: patch.rectangle.x, y: patch.rectangle.y)
        } else {
            sample.withBytes(of: patch) { convert($0, stride: patch.stride, to: patch.rectangle, of: frame) }
        }
    }

    /// Converts BGRA pixels to `area` of `frame`. Pixels outside the frame are ignored. For I420, the edges of the area
    /// are moved inwards to even pixels.
    ///
    /// - Parameters:
    ///   - pixels: from the first pixel of `area` to its last one.
    ///   - stride: bytes from one row of `pixels` to the next.
    package static func convert(_ pixels: RawSpan, stride: Int, to area: PixelRect, of frame: PixelBuffer) {
        pixels.withUnsafeBytes { bytes in
            switch frame.format {
            case .i444: convertToI444(bytes, stride: stride, to: area, of: frame)
            case .i420, .bgra: convertToI420(bytes, stride: stride, to: area, of: frame)
            }
        }
    }

    private static func convertToI420(
        _ source: UnsafeRawBufferPointer, stride: Int, to area: PixelRect, of frame: PixelBuffer
    ) {
        let left = (area.x + 1) & ~1
        let top = (area.y + 1) & ~1
        let right = min(area.maxX, frame.size.width) & ~1
        let bottom = min(area.maxY, frame.size.height) & ~1
        guard left < right, top < bottom else { return }
        let offsets = frame.planeOffsets
        frame.withUnsafeMutableBytes { target in
            guard let sourceBase = source.baseAddress, let targetBase = target.baseAddress else { return }
            let chroma = (top / 2) * frame.chromaStride + left / 2
            pixel_kernels_bgra_to_i420(
                sourceBase + (top - area.y) * stride + (left - area.x) * 4, stride,
                targetBase + offsets.y + top * frame.stride + left, frame.stride,
                targetBase + offsets.u + chroma, targetBase + offsets.v + chroma, frame.chromaStride,
                Int32(right - left), Int32(bottom - top))
        }
    }

    private static func convertToI444(
        _ source: UnsafeRawBufferPointer, stride: Int, to area: PixelRect, of frame: PixelBuffer
    ) {
        let visible = area.intersection(PixelRect(frame.size))
        guard !visible.isEmpty else { return }
        let offsets = frame.planeOffsets
        frame.withUnsafeMutableBytes { target in
            guard let sourceBase = source.baseAddress, let targetBase = target.baseAddress else { return }
            let first = targetBase + visible.y * frame.stride + visible.x
            pixel_kernels_bgra_to_i444(
                sourceBase + (visible.y - area.y) * stride + (visible.x - area.x) * 4, stride,
                first + offsets.y, first + offsets.u, first + offsets.v, frame.stride, Int32(visible.width),
                Int32(visible.height))
        }
    }
}
