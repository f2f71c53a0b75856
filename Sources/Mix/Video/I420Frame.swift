import Glibc
import Media

/// Operations on I420 and I444 frames and on rectangles of them.
extension PixelBuffer {
    /// Fills the frame with black: Y 16, U and V 128 in limited range.
    package func fillBlack() {
        let chroma = planeOffsets.u
        withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[..<chroma]).initializeMemory(as: UInt8.self, repeating: 16)
            UnsafeMutableRawBufferPointer(rebasing: bytes[chroma...]).initializeMemory(as: UInt8.self, repeating: 128)
        }
    }

    /// Copies `rectangle` from `other`, a frame of the same size and format. For I420, the rectangle must have even
    /// edges.
    func copy(_ rectangle: PixelRect, from other: PixelBuffer) {
        for plane in Self.planes(of: self) {
            let area = plane.rectangle(rectangle)
            other.withUnsafeBytes { source in
                withUnsafeMutableBytes { target in
                    guard let from = source.baseAddress, let to = target.baseAddress else { return }
                    for row in area.y..<area.maxY {
                        let offset = plane.offset + row * plane.stride + area.x
                        memcpy(to + offset, from + offset, area.width)
                    }
                }
            }
        }
    }

    /// Copies `other`, a planar picture of the same or a smaller size, to (`x`, `y`), which must be even. Pixels
    /// outside the frame are ignored. If one picture is I420 and the other is I444, chroma is doubled or averaged over
    /// 2 × 2 pixels.
    func copy(_ other: PixelBuffer, toX x: Int, y: Int) {
        let width = min(other.size.width, size.width - x) & ~1
        let height = min(other.size.height, size.height - y) & ~1
        guard x >= 0, y >= 0, width > 0, height > 0 else { return }
        guard other.chromaShift == chromaShift else {
            FrameScaler.place(other, into: self, at: PixelRect(x: x, y: y, width: width, height: height))
            return
        }
        for (plane, from) in zip(Self.planes(of: self), Self.planes(of: other)) {
            let area = plane.rectangle(PixelRect(x: x, y: y, width: width, height: height))
            other.withUnsafeBytes { source in
                withUnsafeMutableBytes { target in
                    guard let sourceBase = source.baseAddress, let targetBase = target.baseAddress else { return }
                    for row in 0..<area.height {
                        memcpy(
                            targetBase + plane.offset + (area.y + row) * plane.stride + area.x, sourceBase + from.offset + row * from.stride,
                            area.width)
                    }
                }
            }
        }
    }

    /// Returns the macroblocks in `region` that differ from those of `other`, a frame of the same size. The edges of
    /// `region` must be on macroblock boundaries. Adjacent macroblocks in a row become one rectangle.
    func changedMacroblocks(since other: PixelBuffer, in region: DamageRegion) -> DamageRegion {
        var changed = DamageRegion(size: size)
        other.withUnsafeBytes { theirs in
            withUnsafeBytes { ours in
                guard let theirBase = theirs.baseAddress, let ourBase = ours.baseAddress else { return }
                let comparison = FrameComparison(one: ourBase, other: theirBase, layout: self)
                for rectangle in region.rectangles {
                    for y in Swift.stride(from: rectangle.y, to: rectangle.maxY, by: 16) {
                        let height = min(16, rectangle.maxY - y)
                        var runStart = rectangle.x
                        for x in Swift.stride(from: rectangle.x, to: rectangle.maxX, by: 16)
                        where !comparison.differs(x: x, y: y, width: min(16, rectangle.maxX - x), height: height) {
                            changed.add(PixelRect(x: runStart, y: y, width: x - runStart, height: height))
                            runStart = x + 16
                        }
                        changed.add(PixelRect(x: runStart, y: y, width: rectangle.maxX - runStart, height: height))
                        if changed.isWhole { return }
                    }
                }
            }
        }
        return changed
    }

    private struct Plane {
        var offset: Int
        var stride: Int
        /// The power of two by which the plane's width and height are smaller than those of Y.
        var shift: Int

        func rectangle(_ luma: PixelRect) -> PixelRect {
            PixelRect(x: luma.x >> shift, y: luma.y >> shift, width: luma.width >> shift, height: luma.height >> shift)
        }
    }

    private static func planes(of frame: PixelBuffer) -> [Plane] {
        let offsets = frame.planeOffsets
        return [
            Plane(offset: offsets.y, stride: frame.stride, shift: 0),
            Plane(offset: offsets.u, stride: frame.chromaStride, shift: frame.chromaShift),
            Plane(offset: offsets.v, stride: frame.chromaStride, shift: frame.chromaShift),
        ]
    }
}

/// Compares parts of two planar frames that have the same layout.
private struct FrameComparison {
    let one: UnsafeRawPointer
    let other: UnsafeRawPointer
    let stride: Int
    let chromaStride: Int
    let chromaShift: Int
    let u: Int
    let v: Int

    init(one: UnsafeRawPointer, other: UnsafeRawPointer, layout: PixelBuffer) {
        self.one = one
        self.other = other
        stride = layout.stride
        chromaStride = layout.chromaStride
        chromaShift = layout.chromaShift
        u = layout.planeOffsets.u
        v = layout.planeOffsets.v
    }

    /// Returns true if any luma or chroma sample of the rectangle differs. The rectangle must have even edges.
    func differs(x: Int, y: Int, width: Int, height: Int) -> Bool {
        if rowsDiffer(offset: y * stride + x, stride: stride, width: width, height: height) { return true }
        let chroma = (y >> chromaShift) * chromaStride + (x >> chromaShift)
        return rowsDiffer(offset: u + chroma, stride: chromaStride, width: width >> chromaShift, height: height >> chromaShift)
            || rowsDiffer(offset: v + chroma, stride: chromaStride, width: width >> chromaShift, height: height >> chromaShift)
    }

    private func rowsDiffer(offset: Int, stride: Int, width: Int, height: Int) -> Bool {
        var position = offset
        for _ in 0..<height {
            if memcmp(one + position, other + position, width) != 0 { return true }
            position += stride
        }
        return false
    }
}
