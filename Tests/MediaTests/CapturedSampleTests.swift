import Media
import Testing

@Suite struct CapturedSampleTests {
    /// Four rows of eight pixels, in which each byte of a pixel is its number.
    private let memory = (0..<32).flatMap { [UInt8](repeating: $0, count: 4) }
    private let size = PixelSize(width: 8, height: 4)

    private func change(_ patches: [CapturedPatch]) -> CapturedChange {
        CapturedChange(size: size, at: .zero, patches: patches, damage: .whole(size))
    }

    /// The numbers of the pixels of a patch, row by row.
    private func numbers(of patch: CapturedPatch, in sample: CapturedSample) -> [UInt8] {
        sample.withBytes(of: patch) { bytes in
            (0..<patch.rectangle.height).flatMap { row in
                (0..<patch.rectangle.width).map { column in
                    bytes.unsafeLoad(fromByteOffset: row * patch.stride + column * 4, as: UInt8.self)
                }
            }
        }
    }

    @Test func `a patch of lent memory has the pixels of its rectangle`() {
        let patch = CapturedPatch(PixelRect(x: 5, y: 1, width: 3, height: 3), offset: 13 * 4, stride: 32)
        let found = memory.withUnsafeBytes { numbers(of: patch, in: .lent(change([patch]), $0.bytes)) }
        #expect(found == [13, 14, 15, 21, 22, 23, 29, 30, 31])
        // It ends with the last pixel, which is the end of the memory.
        #expect(patch.byteRange == 13 * 4..<128)
        #expect(patch.isPacked)
        #expect(patch.offset(x: 6, y: 3) == 30 * 4)
    }

    @Test func `a part of some rows, and another origin, show the same pixels`() {
        let whole = CapturedPatch(PixelRect(size), offset: 0, stride: 32)
        let moved = whole.part(rows: 2..<3).offsetBy(x: 100, y: 50)
        #expect(moved.rectangle == PixelRect(x: 100, y: 52, width: 8, height: 1))
        let found = memory.withUnsafeBytes { numbers(of: moved, in: .lent(change([whole]), $0.bytes)) }
        #expect(found == Array(16..<24))
    }

    @Test func `a patch with a buffer has the pixels of the buffer`() {
        let buffer = PixelBuffer(format: .bgra, size: PixelSize(width: 2, height: 2))
        buffer.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 77) }
        let patch = CapturedPatch(x: 4, y: 2, buffer: buffer)
        #expect(patch.rectangle == PixelRect(x: 4, y: 2, width: 2, height: 2))
        let found = memory.withUnsafeBytes { numbers(of: patch, in: .lent(change([patch]), $0.bytes)) }
        #expect(found == [77, 77, 77, 77])
        let planar = CapturedPatch(x: 0, y: 0, buffer: PixelBuffer(format: .i420, size: PixelSize(width: 2, height: 2)))
        #expect(!planar.isPacked)
    }

    @Test func `a black picture is damaged everywhere and has no pixel of another colour`() {
        let black = CapturedChange.black(size, at: MediaTime(milliseconds: 5))
        #expect(black.size == size && black.damage.isWhole && !black.isRefresh)
        #expect(black.presentationTime == MediaTime(milliseconds: 5))
        let colours = black.patches.map { numbers(of: $0, in: .lent(black, RawSpan())) }
        #expect(colours == [[UInt8](repeating: 0, count: 32)])
        #expect(black.asRefresh.isRefresh)
    }
}
