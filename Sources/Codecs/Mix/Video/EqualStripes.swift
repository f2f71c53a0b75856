import CPixelKernels
import Media

/// Finds the stripes of a picture that equal those of the last picture, before they are converted.
///
/// Some compositors report the whole screen as changed when a caret blinks. A hash of each stripe (XXH3, 64 bits) is
/// compared instead of pixels, because a copy of the last picture would need 8 MB at 1080p. While most stripes differ,
/// for example in a film, only two of 32 pictures are looked at.
package struct EqualStripes: Sendable {
    /// Rows: as many as in a macroblock.
    private static let height = 16
    /// The number of pictures without a look after one in which most stripes differ.
    private static let skippedPictures = 30

    private var size = PixelSize(width: 0, height: 0)
    /// The hash of each stripe of the last picture; nil if it is not known.
    private var hashes: [UInt64?] = []
    private var rest = 0

    package init() {}

    /// Returns the picture without the stripes that equal those of the last picture. The patches of the result share
    /// the memory of `picture`.
    package mutating func remove(from picture: Picture) -> Picture {
        if size != picture.size {
            size = picture.size
            hashes = Array(repeating: nil, count: (size.height + Self.height - 1) / Self.height)
            rest = 0
        }
        guard let pixels = wholePatch(of: picture) else {
            forget(picture.patches)
            return picture
        }
        guard rest == 0 else {
            rest -= 1
            forget(picture.patches)
            return picture
        }
        let isFirstLook = hashes.allSatisfy { $0 == nil }
        let differing = look(at: pixels)
        if !isFirstLook, differing.count * 2 > hashes.count { rest = Self.skippedPictures }
        return differing.count == hashes.count ? picture : part(differing, of: pixels)
    }

    /// The pixels of a picture whose only patch is all of it; nil for another picture.
    private func wholePatch(of picture: Picture) -> PixelBuffer? {
        guard picture.patches.count == 1, let patch = picture.patches.first, patch.rectangle == PixelRect(size) else {
            return nil
        }
        return patch.pixels.format == .bgra ? patch.pixels : nil
    }

    private mutating func forget(_ patches: [Picture.Patch]) {
        for patch in patches {
            let rows = patch.rectangle.intersection(PixelRect(size))
            guard !rows.isEmpty else { continue }
            for stripe in rows.y / Self.height...(rows.maxY - 1) / Self.height { hashes[stripe] = nil }
        }
    }

    /// Notes the hash of each stripe. Returns the stripes whose hash differs or was not known.
    private mutating func look(at pixels: PixelBuffer) -> [Int] {
        pixels.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return Array(hashes.indices) }
            return hashes.indices.filter { stripe in
                let top = stripe * Self.height
                let hash = pixel_kernels_hash(
                    (base + top * pixels.stride).assumingMemoryBound(to: UInt8.self), pixels.stride,
                    Int32(size.width * 4),
                    Int32(min(Self.height, size.height - top)))
                defer { hashes[stripe] = hash }
                return hashes[stripe] != hash
            }
        }
    }

    /// Returns a picture of some stripes, in ascending order. Adjacent ones become one patch.
    private func part(_ stripes: [Int], of pixels: PixelBuffer) -> Picture {
        var damage = DamageRegion(size: size)
        var patches: [Picture.Patch] = []
        var start = 0
        for index in stripes.indices where index + 1 == stripes.count || stripes[index + 1] != stripes[index] + 1 {
            let (top, bottom) = (stripes[start] * Self.height, min((stripes[index] + 1) * Self.height, size.height))
            start = index + 1
            let area = PixelSize(width: size.width, height: bottom - top)
            pixels.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                let view = PixelBuffer(
                    borrowing: UnsafeMutableRawPointer(mutating: base + top * pixels.stride), size: area,
                    stride: pixels.stride)
                patches.append(.init(x: 0, y: top, pixels: view))
            }
            damage.add(PixelRect(x: 0, y: top, width: area.width, height: area.height))
        }
        return Picture(size: size, patches: patches, damage: damage)
    }
}
