/// The memory of a picture: packed BGRA, or planar I420 or I444.
///
/// One thread writes to it while it is the only holder. Afterwards the buffer is shared and read-only, until the last
/// reader releases it and a pool can reuse it (`isKnownUniquelyReferenced`).
// @unchecked: the only holder writes the memory; while it is shared, it is read-only, as described above.
public final class PixelBuffer: @unchecked Sendable {
    public enum Format: Sendable {
        /// Four bytes a pixel in the memory order blue, green, red, unused. Rows are `stride` bytes apart.
        case bgra
        /// Y at full size, then U and V at half width and height. BT.709, limited range.
        case i420
        /// Y, U and V at full size. BT.709, limited range.
        case i444
    }

    public let format: Format
    public let size: PixelSize
    /// Bytes from one row to the next, of the pixels (BGRA) or of the Y plane.
    public let stride: Int
    /// Bytes from one row of the U or V plane to the next. 0 for BGRA.
    public let chromaStride: Int
    /// The power of two by which the width and height of U and V are smaller than those of Y: 1 for I420, 0 for I444
    /// and BGRA.
    public let chromaShift: Int
    public let byteCount: Int

    /// The memory, if this object owns it. An array, so that the packets of raw frames can share it (`sharedBytes`).
    private var owned: [UInt8] = []
    /// The memory of another owner, or nil.
    private let borrowed: UnsafeMutableRawPointer?

    /// Allocates uninitialised picture memory. An I420 picture must have an even width and height.
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
            precondition(size.width % 2 == 0 && size.height % 2 == 0, "I420 requires an even width and height")
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
        borrowed = nil
        let count = byteCount
        owned = [UInt8](unsafeUninitializedCapacity: count) { _, initializedCount in initializedCount = count }
    }

    /// Creates a view of BGRA memory of another owner. The owner must keep the memory valid while this object is in
    /// use.
    public init(borrowing memory: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        format = .bgra
        self.size = size
        self.stride = stride
        chromaStride = 0
        chromaShift = 0
        byteCount = stride * size.height
        borrowed = memory
    }

    /// Calls `body` with all bytes. The planes follow each other.
    public func withUnsafeBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        if let borrowed { return try body(UnsafeRawBufferPointer(start: borrowed, count: byteCount)) }
        return try owned.withUnsafeBytes { bytes in Swift.Result { () throws(Failure) in try body(bytes) } }.get()
    }

    /// Calls `body` with all bytes for writing. The caller must be the only holder.
    public func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure)
        -> Result
    {
        if let borrowed { return try body(UnsafeMutableRawBufferPointer(start: borrowed, count: byteCount)) }
        return try owned.withUnsafeMutableBytes { bytes in Swift.Result { () throws(Failure) in try body(bytes) } }
            .get()
    }

    /// All bytes, without a copy if this object owns its memory. A later write to the buffer copies the memory first if
    /// the result still exists.
    package var sharedBytes: [UInt8] { borrowed == nil ? owned : withUnsafeBytes { Array($0) } }

    /// The offsets of the planes Y, U and V of an I420 or I444 picture, in bytes.
    public var planeOffsets: (y: Int, u: Int, v: Int) {
        (0, stride * size.height, stride * size.height + chromaStride * (size.height >> chromaShift))
    }
}
