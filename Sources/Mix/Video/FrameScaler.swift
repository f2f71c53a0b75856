import CYUV
import Media

/// Scales whole I420 pictures with libyuv, whose kernels are vectorised and well kept.
enum FrameScaler {
    /// Scales all of `source` into `content` of `target`; `content` lies on even pixels.
    ///
    /// libyuv's box filter averages all pixels that a smaller picture leaves out, so that small text stays legible.
    static func scale(_ source: PixelBuffer, into target: PixelBuffer, content: PixelRect) {
        let from = source.planeOffsets
        let to = target.planeOffsets
        source.withUnsafeBytes { sourceBytes in
            target.withUnsafeMutableBytes { targetBytes in
                guard let input = sourceBytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let output = targetBytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else { return }
                let luma = content.y * target.stride + content.x
                let chroma = (content.y / 2) * target.chromaStride + content.x / 2
                _ = I420Scale(
                    input + from.y, Int32(source.stride), input + from.u, Int32(source.chromaStride), input + from.v, Int32(source.chromaStride),
                    Int32(source.size.width), Int32(source.size.height),
                    output + to.y + luma, Int32(target.stride), output + to.u + chroma, Int32(target.chromaStride),
                    output + to.v + chroma, Int32(target.chromaStride), Int32(content.width), Int32(content.height), kFilterBox)
            }
        }
    }
}
