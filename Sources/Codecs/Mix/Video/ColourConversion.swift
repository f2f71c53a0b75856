import CPixelKernels
import Media

/// Converts BGRA to I420 and I444 in BT.709, limited range (Rec. ITU-R BT.709-6, 3). The supported libyuv versions
/// convert to BT.601 only.
package enum ColourConversion {
    /// Draws `patch` at its position in `frame`. BGRA pixels are converted; planar pixels are copied.
    package static func place(_ patch: Picture.Patch, into frame: PixelBuffer) {
        switch patch.pixels.format {
        case .bgra: convert(patch, into: frame)
        case .i420, .i444: frame.copy(patch.pixels, toX: patch.x, y: patch.y)
        }
    }

    /// Converts `patch` to its position in `frame`. Pixels outside the frame are ignored. For I420, the edges of the
    /// patch are moved inwards to even pixels.
    package static func convert(_ patch: Picture.Patch, into frame: PixelBuffer) {
        switch frame.format {
        case .i444: convertToI444(patch, into: frame)
        case .i420, .bgra: convertToI420(patch, into: frame)
        }
    }

    private static func convertToI420(_ patch: Picture.Patch, into frame: PixelBuffer) {
        let left = (patch.x + 1) & ~1
        let top = (patch.y + 1) & ~1
        let right = min(patch.rectangle.maxX, frame.size.width) & ~1
        let bottom = min(patch.rectangle.maxY, frame.size.height) & ~1
        guard left < right, top < bottom else { return }
        let offsets = frame.planeOffsets
        patch.pixels.withUnsafeBytes { source in
            frame.withUnsafeMutableBytes { target in
                guard let sourceBase = source.baseAddress, let targetBase = target.baseAddress else { return }
                let chroma = (top / 2) * frame.chromaStride + left / 2
                pixel_kernels_bgra_to_i420(
                    sourceBase + (top - patch.y) * patch.pixels.stride + (left - patch.x) * 4, patch.pixels.stride,
                    targetBase + offsets.y + top * frame.stride + left, frame.stride,
                    targetBase + offsets.u + chroma, targetBase + offsets.v + chroma, frame.chromaStride,
                    Int32(right - left), Int32(bottom - top))
            }
        }
    }

    private static func convertToI444(_ patch: Picture.Patch, into frame: PixelBuffer) {
        let area = patch.rectangle.intersection(PixelRect(frame.size))
        guard !area.isEmpty else { return }
        let offsets = frame.planeOffsets
        patch.pixels.withUnsafeBytes { source in
            frame.withUnsafeMutableBytes { target in
                guard let sourceBase = source.baseAddress, let targetBase = target.baseAddress else { return }
                let first = targetBase + area.y * frame.stride + area.x
                pixel_kernels_bgra_to_i444(
                    sourceBase + (area.y - patch.y) * patch.pixels.stride + (area.x - patch.x) * 4, patch.pixels.stride,
                    first + offsets.y, first + offsets.u, first + offsets.v, frame.stride, Int32(area.width),
                    Int32(area.height))
            }
        }
    }
}
