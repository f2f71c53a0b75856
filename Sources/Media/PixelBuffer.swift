/// A block of picture memory: packed BGRA, or planar I420 or I444.
///
/// One thread writes it while it is the only holder; after that it is handed on and only read, until the last reader
/// lets go of it and a pool may take it back (`isKnownUniquelyReferenced`).
// @unchecked: the memory is written only by a sole holder and is read-only once shared, as said above.
public final class PixelBuffer: @unchecked Sendable {
    public enum Format: Sendable {
        /// Four bytes a pixel in memory order blue, green, red, unused; rows `stride` bytes apart.
        case bgra
        /// Y at full size, then U and V at half width and height; BT.709, limited range.
        case i420
        /// Y, U and V at full size; BT.709, limited range.
        case i444
    }

    public let format: Format
    public let size: PixelSize
    /// Bytes from one row to the next: of the pixels (BGRA), or of the Y plane.
    public let stride: Int
    /// Bytes from one row of the U or V plane to the next; zero for BGRA.
    public let chromaStride: Int
    /// The power of two by which U and V are narrower and lower than Y: 1 for I420, 0 for I444 and BGRA.
    public let chromaShift: Int
    public let byteCount: Int

    private let base: UnsafeMutableRawPointer
    private let ownsMemory: Bool

    /// Picture memory of its own, uninitialised. I420 sizes must be even.
    public init(format: Format, size: PixelSize) {
        self.format = format
        self.size = size
        switch format {
        case .bgra:
            stride = size.width * 4
            chromaStride = 0
            chromaShift = 0
            byteCount = stride * size.height
        case .i420:
            precondition(size.width % 2 == 0 && size.height % 2 == 0, "I420 needs an even size")
            stride = size.width
            chromaStride = size.width / 2
            chromaShift = 1
            byteCount = size.area * 3 / 2
        case .i444:
            stride = size.width
            chromaStride = size.width
            chromaShift = 0
            byteCount = size.area * 3
        }
        base = .allocate(byteCount: max(byteCount, 1), alignment: 64)
        ownsMemory = true
    }

    /// A view of BGRA memory that someone else owns and keeps alive for as long as this object is used.
    public init(borrowing memory: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        format = .bgra
        self.size = size
        self.stride = stride
        chromaStride = 0
        chromaShift = 0
        byteCount = stride * size.height
        base = memory
        ownsMemory = false
    }

    deinit {
        if ownsMemory { base.deallocate() }
    }

    /// All bytes, planes one after another.
    public func withUnsafeBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// All bytes, to be written by the only holder.
    public func withUnsafeMutableBytes<Result, Failure: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try body(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
    }

    /// Where the three planes of an I420 or I444 picture start, in bytes: Y, U, V.
    public var planeOffsets: (y: Int, u: Int, v: Int) {
        (0, stride * size.height, stride * size.height + chromaStride * (size.height >> chromaShift))
    }
}
