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

    /// Returns the change without the stripes that equal those of the last picture. The patches of the result are parts
    /// of those of `sample`.
    package mutating func remove(from sample: CapturedSample) -> CapturedChange {
        let picture = sample.change
        if size != picture.size {
            size = picture.size
            hashes = Array(repeating: nil, count: (size.height + Self.height - 1) / Self.height)
            rest = 0
        }
        guard let whole = wholePatch(of: picture) else {
            forget(picture.patches)
            return picture
        }
        guard rest == 0 else {
            rest -= 1
            forget(picture.patches)
            return picture
        }
        let isFirstLook = hashes.allSatisfy { $0 == nil }
        let differing = look(at: whole, of: sample)
        if !isFirstLook, differing.count * 2 > hashes.count { rest = Self.skippedPictures }
        return differing.count == hashes.count ? picture : part(differing, of: whole, in: picture)
    }

    /// The only patch of a picture if it is all of it, in BGRA; nil for another picture.
    private func wholePatch(of picture: CapturedChange) -> CapturedPatch? {
        guard picture.patches.count == 1, let patch = picture.patches.first, patch.rectangle == PixelRect(size) else {
            return nil
        }
        return patch.isPacked ? patch : nil
    }

    private mutating func forget(_ patches: [CapturedPatch]) {
        for patch in patches {
            let rows = patch.rectangle.intersection(PixelRect(size))
            guard !rows.isEmpty else { continue }
            for stripe in rows.y / Self.height...(rows.maxY - 1) / Self.height { hashes[stripe] = nil }
        }
    }

    /// Notes the hash of each stripe. Returns the stripes whose hash differs or was not known.
    private mutating func look(at whole: CapturedPatch, of sample: CapturedSample) -> [Int] {
        sample.withBytes(of: whole) { pixels in
            pixels.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return Array(hashes.indices) }
                return hashes.indices.filter { stripe in
                    let top = stripe * Self.height
                    let hash = pixel_kernels_hash(
                        (base + top * whole.stride).assumingMemoryBound(to: UInt8.self), whole.stride,
                        Int32(size.width * 4), Int32(min(Self.height, size.height - top)))
                    defer { hashes[stripe] = hash }
                    return hashes[stripe] != hash
                }
            }
        }
    }

    /// Returns some stripes of `picture`, in ascending order. Adjacent ones become one patch.
    private func part(_ stripes: [Int], of whole: CapturedPatch, in picture: CapturedChange) -> CapturedChange {
        var damage = DamageRegion(size: size)
        var patches: [CapturedPatch] = []
        var start = 0
        for index in stripes.indices where index + 1 == stripes.count || stripes[index + 1] != stripes[index] + 1 {
            let (top, bottom) = (stripes[start] * Self.height, min((stripes[index] + 1) * Self.height, size.height))
            start = index + 1
            let patch = whole.part(rows: top..<bottom)
            patches.append(patch)
            damage.add(patch.rectangle)
        }
        return CapturedChange(size: size, at: picture.presentationTime, patches: patches, damage: damage)
    }
}
