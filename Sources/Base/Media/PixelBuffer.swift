/// The memory of a picture: packed BGRA, or planar I420 or I444.
///
/// One thread writes to it while it is the only holder. Afterwards the buffer is shared and read-only, until the last
/// reader releases it and a pool can reuse it (`isKnownUniquelyReferenced`).
///
/// A buffer owns its memory. Memory that a source lends has another type, `CapturedSample`, which is not Sendable.
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

    /// The memory. An array, so that the packets of raw frames can share it (`sharedBytes`).
    private var bytes: [UInt8]

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
        let count = byteCount
        bytes = [UInt8](unsafeUninitializedCapacity: count) { _, initializedCount in initializedCount = count }
    }

    /// Calls `body` with all bytes. The planes follow each other.
    public func withUnsafeBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try bytes.withUnsafeBytes { bytes in Swift.Result { () throws(Failure) in try body(bytes) } }.get()
    }

    /// Calls `body` with all bytes for writing. The caller must be the only holder.
    public func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure)
        -> Result
    {
        try bytes.withUnsafeMutableBytes { bytes in Swift.Result { () throws(Failure) in try body(bytes) } }.get()
    }

    /// Calls `body` with all bytes, as a span that cannot leave `body`.
    package func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try withUnsafeBytes { bytes throws(Failure) in try body(bytes.bytes) }
    }

    /// Calls `body` with all bytes for writing, as a span that cannot leave `body`. The caller must be the only holder.
    package func withMutableBytes<Result, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeMutableBytes { bytes throws(Failure) in
            var span = bytes.mutableBytes
            return try body(&span)
        }
    }

    /// All bytes, without a copy. A later write to the buffer copies the memory first if the result still exists.
    package var sharedBytes: [UInt8] { bytes }

    /// The offsets of the planes Y, U and V of an I420 or I444 picture, in bytes.
    public var planeOffsets: (y: Int, u: Int, v: Int) {
        (0, stride * size.height, stride * size.height + chromaStride * (size.height >> chromaShift))
    }
}
