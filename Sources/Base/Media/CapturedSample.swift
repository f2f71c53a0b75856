/// A sample that a capture source lends for the duration of a call: what changed in its picture, and the pixels.
///
/// The source writes its memory again later, so the compiler rejects code that stores a sample, returns it, or uses it
/// in an escaping closure, a task or another thread. The pixels are a `RawSpan`, so their bounds are checked.
///
/// It is an enumeration of one case because a structure that contains a span needs `@_lifetime`, which is an
/// experimental feature.
package enum CapturedSample: ~Escapable {
    /// What changed, and the memory of all patches that have no buffer of their own.
    case lent(CapturedChange, RawSpan)

    /// What changed, without the memory that is lent.
    package var change: CapturedChange {
        switch self {
        case .lent(let change, _): change
        }
    }

    /// Calls `body` with the BGRA pixels of `patch`, from its first pixel to its last one. Rows are `patch.stride`
    /// bytes apart.
    ///
    /// - Parameter patch: a patch of this sample, or a part of one. It must be packed (`isPacked`).
    package func withBytes<Result, Failure: Error>(
        of patch: CapturedPatch, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let buffer = patch.buffer {
            return try buffer.withBytes { bytes throws(Failure) in try body(bytes.extracting(patch.byteRange)) }
        }
        switch self {
        case .lent(_, let memory): return try body(memory.extracting(patch.byteRange))
        }
    }
}

/// What changed in a captured picture, as a value. It contains no memory of the source: `CapturedSample` has the
/// pixels of patches without a buffer.
package struct CapturedChange: Sendable {
    /// The size of the whole picture, in pixels.
    package var size: PixelSize
    /// The time of capture. Times never decrease.
    package var presentationTime: MediaTime
    /// The pixels of at least all damaged areas. Later patches cover earlier ones.
    package var patches: [CapturedPatch]
    /// The region that can differ from the previous picture.
    package var damage: DamageRegion
    /// True if nothing reported a change: the source only looked again, and the pixels are probably those of the
    /// previous picture.
    package var isRefresh = false

    package init(size: PixelSize, at time: MediaTime, patches: [CapturedPatch], damage: DamageRegion) {
        self.size = size
        presentationTime = time
        self.patches = patches
        self.damage = damage
    }

    /// A change of the whole picture, which `buffer` owns.
    package init(whole buffer: PixelBuffer, at time: MediaTime) {
        self.init(
            size: buffer.size, at: time, patches: [CapturedPatch(x: 0, y: 0, buffer: buffer)],
            damage: .whole(buffer.size))
    }

    /// Returns a black BGRA picture, with the whole picture as damage.
    package static func black(_ size: PixelSize, at time: MediaTime) -> CapturedChange {
        let pixels = PixelBuffer(format: .bgra, size: size)
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
        return CapturedChange(whole: pixels, at: time)
    }

    /// The same change, with the information that nothing reported it.
    package var asRefresh: CapturedChange {
        var change = self
        change.isRefresh = true
        return change
    }
}

/// A rectangle of a captured picture, and where its pixels are in memory.
package struct CapturedPatch: Sendable {
    /// The area of the picture that the patch covers.
    package let rectangle: PixelRect
    /// The position of the first pixel in the memory, in bytes.
    package let offset: Int
    /// Bytes from one row to the next, of BGRA pixels.
    package let stride: Int
    /// The buffer that owns the pixels; nil if the source lends them.
    package let buffer: PixelBuffer?

    /// BGRA pixels that the source lends.
    package init(_ rectangle: PixelRect, offset: Int, stride: Int) {
        self.init(rectangle, offset: offset, stride: stride, buffer: nil)
    }

    /// All pixels of `buffer`, at (`x`, `y`) of the picture. `buffer` can have any format.
    package init(x: Int, y: Int, buffer: PixelBuffer) {
        self.init(
            PixelRect(x: x, y: y, width: buffer.size.width, height: buffer.size.height), offset: 0,
            stride: buffer.stride, buffer: buffer)
    }

    private init(_ rectangle: PixelRect, offset: Int, stride: Int, buffer: PixelBuffer?) {
        self.rectangle = rectangle
        self.offset = offset
        self.stride = stride
        self.buffer = buffer
    }

    /// True if the pixels are BGRA, false if they are planar.
    package var isPacked: Bool { buffer.map { $0.format == .bgra } ?? true }

    /// The position of a pixel in the memory, in bytes. (`x`, `y`) is in the picture, and inside the rectangle.
    package func offset(x: Int, y: Int) -> Int { offset + (y - rectangle.y) * stride + (x - rectangle.x) * 4 }

    /// The bytes from the first pixel to the last one.
    package var byteRange: Range<Int> {
        offset..<offset + (rectangle.isEmpty ? 0 : (rectangle.height - 1) * stride + rectangle.width * 4)
    }

    /// Returns the part of a packed patch in some of its rows, which are counted from the top of the picture.
    package func part(rows: Range<Int>) -> CapturedPatch {
        CapturedPatch(
            PixelRect(x: rectangle.x, y: rows.lowerBound, width: rectangle.width, height: rows.count),
            offset: offset(x: rectangle.x, y: rows.lowerBound), stride: stride, buffer: buffer)
    }

    /// Returns the same pixels in coordinates with another origin.
    package func offsetBy(x: Int, y: Int) -> CapturedPatch {
        CapturedPatch(rectangle.offsetBy(x: x, y: y), offset: offset, stride: stride, buffer: buffer)
    }
}
