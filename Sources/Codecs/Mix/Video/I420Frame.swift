import CPixelKernels
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
                            targetBase + plane.offset + (area.y + row) * plane.stride + area.x,
                            sourceBase + from.offset + row * from.stride,
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
        var marks: [UInt8] = []
        other.withUnsafeBytes { theirs in
            withUnsafeBytes { ours in
                guard let theirBase = theirs.baseAddress, let ourBase = ours.baseAddress else { return }
                let comparison = FrameComparison(one: ourBase, other: theirBase, planes: Self.planes(of: self))
                for rectangle in region.rectangles {
                    for y in Swift.stride(from: rectangle.y, to: rectangle.maxY, by: 16) {
                        let strip = PixelRect(
                            x: rectangle.x, y: y, width: rectangle.width, height: min(16, rectangle.maxY - y))
                        comparison.mark(strip, &marks)
                        changed.addMarked(marks, in: strip)
                        if changed.isWhole { return }
                    }
                }
            }
        }
        return changed
    }

    fileprivate struct Plane {
        var offset: Int
        var stride: Int
        /// The power of two by which the plane's width and height are smaller than those of Y.
        var shift: Int

        func rectangle(_ luma: PixelRect) -> PixelRect {
            PixelRect(x: luma.x >> shift, y: luma.y >> shift, width: luma.width >> shift, height: luma.height >> shift)
        }
    }

    fileprivate static func planes(of frame: PixelBuffer) -> [Plane] {
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
    let planes: [PixelBuffer.Plane]

    /// Sets `marks` to 1 for each macroblock of `strip` in which a luma or chroma sample differs, and to 0 for the
    /// others. The strip is one macroblock high.
    func mark(_ strip: PixelRect, _ marks: inout [UInt8]) {
        marks.removeAll(keepingCapacity: true)
        marks.append(contentsOf: repeatElement(0, count: (strip.width + 15) / 16))
        for plane in planes {
            let part = plane.rectangle(strip)
            let offset = plane.offset + part.y * plane.stride + part.x
            pixel_kernels_mark_different(
                (one + offset).assumingMemoryBound(to: UInt8.self),
                (other + offset).assumingMemoryBound(to: UInt8.self), plane.stride,
                Int32(part.width), Int32(part.height), Int32(16 >> plane.shift), &marks)
        }
    }
}

extension DamageRegion {
    /// Adds the marked macroblocks of a strip. Adjacent ones become one rectangle.
    fileprivate mutating func addMarked(_ marks: [UInt8], in strip: PixelRect) {
        var start = 0
        for index in 0...marks.count where index == marks.count || marks[index] == 0 {
            let (left, right) = (strip.x + start * 16, min(strip.x + index * 16, strip.maxX))
            add(PixelRect(x: left, y: strip.y, width: right - left, height: strip.height))
            start = index + 1
        }
    }
}
