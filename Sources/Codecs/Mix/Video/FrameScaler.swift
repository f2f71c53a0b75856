import CYUV
import Media

/// Scales planar pictures with libyuv, which has vectorised and maintained kernels.
enum FrameScaler {
    /// Scales `source` into `content` of `target`, at least where the picture changed. Both have the same format, and
    /// `content` has even edges.
    ///
    /// libyuv's box filter averages all source pixels of a target pixel, so small text stays legible.
    ///
    /// - Parameter changed: the part of the target to write. The rest already shows the picture.
    static func scale(_ source: PixelBuffer, into target: PixelBuffer, content: PixelRect, changed: DamageRegion) {
        let bands = ScaledBands(source: source.size, content: content)
        for rows in bands.rows(of: changed) {
            scale(source, rows: rows.source, into: target, content: content, rows: rows.content)
        }
    }

    /// Scales whole rows of `source` into whole rows of `content`.
    private static func scale(
        _ source: PixelBuffer, rows: Range<Int>, into target: PixelBuffer, content: PixelRect,
        rows targetRows: Range<Int>
    ) {
        let kernel = target.format == .i444 ? I444Scale : I420Scale
        let from = source.planeOffsets
        let to = target.planeOffsets
        source.withUnsafeBytes { sourceBytes in
            target.withUnsafeMutableBytes { targetBytes in
                guard let input = sourceBytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let output = targetBytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else { return }
                let start = (
                    luma: rows.lowerBound * source.stride,
                    chroma: (rows.lowerBound >> source.chromaShift) * source.chromaStride
                )
                let top = content.y + targetRows.lowerBound
                let luma = top * target.stride + content.x
                let chroma = (top >> target.chromaShift) * target.chromaStride + (content.x >> target.chromaShift)
                _ = kernel(
                    input + from.y + start.luma, Int32(source.stride), input + from.u + start.chroma,
                    Int32(source.chromaStride),
                    input + from.v + start.chroma, Int32(source.chromaStride), Int32(source.size.width),
                    Int32(rows.count),
                    output + to.y + luma, Int32(target.stride), output + to.u + chroma, Int32(target.chromaStride),
                    output + to.v + chroma, Int32(target.chromaStride), Int32(content.width), Int32(targetRows.count),
                    kFilterBox)
            }
        }
    }

    /// Copies the top left part of `source` to `area` of `target`, whose chroma planes have another size: chroma is
    /// doubled, or averaged over 2 × 2 pixels. `area` has even edges and is not larger than `source`.
    static func place(_ source: PixelBuffer, into target: PixelBuffer, at area: PixelRect) {
        let from = source.planeOffsets
        let to = target.planeOffsets
        let luma = (from: source.stride, to: target.stride, fromShift: 0, toShift: 0)
        let chroma = (
            from: source.chromaStride, to: target.chromaStride, fromShift: source.chromaShift,
            toShift: target.chromaShift
        )
        let filter = source.chromaShift > target.chromaShift ? kFilterNone : kFilterBox
        source.withUnsafeBytes { sourceBytes in
            target.withUnsafeMutableBytes { targetBytes in
                guard let input = sourceBytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let output = targetBytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else { return }
                for (start, end, plane) in [(from.y, to.y, luma), (from.u, to.u, chroma), (from.v, to.v, chroma)] {
                    ScalePlane(
                        input + start, Int32(plane.from), Int32(area.width >> plane.fromShift),
                        Int32(area.height >> plane.fromShift),
                        output + end + (area.y >> plane.toShift) * plane.to + (area.x >> plane.toShift),
                        Int32(plane.to),
                        Int32(area.width >> plane.toShift), Int32(area.height >> plane.toShift), filter)
                }
            }
        }
    }
}
