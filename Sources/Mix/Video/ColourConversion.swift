import CPixelKernels
import Media

/// BGRA to I420 in BT.709, limited range (Rec. ITU-R BT.709-6, 3). libyuv's converters of this age know BT.601 only.
package enum ColourConversion {
    /// Puts `patch` where it belongs in `frame`: pixels of BGRA are converted, those that are I420 already are copied.
    package static func place(_ patch: Picture.Patch, into frame: PixelBuffer) {
        switch patch.pixels.format {
        case .bgra: convert(patch, into: frame)
        case .i420: frame.copy(patch.pixels, toX: patch.x, y: patch.y)
        }
    }

    /// Converts `patch` to where it belongs in `frame`. Its edges are moved inwards to even pixels, and to the frame's.
    package static func convert(_ patch: Picture.Patch, into frame: PixelBuffer) {
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
}
