import CPixelKernels
import TestPatterns
import Testing

/// The comparison of pictures in blocks, against one byte after another.
@Suite struct PictureComparisonTests {
    @Test(arguments: [4, 8, 16], [1, 15, 64, 66, 200, 331]) func `exactly the blocks that differ are marked`(
        block: Int, width: Int
    ) {
        var random = SplitMix64(state: UInt64(block * 1000 + width))
        for height in [1, 3, 4, 8, 16] {
            let stride = width + Int.random(in: 0...20, using: &random)
            let one = (0..<stride * height).map { _ in UInt8.random(in: 0...255, using: &random) }
            for changes in [0, 1, 2, 10, stride * height] {
                var other = one
                // Bytes behind the width change too, and must not count.
                for _ in 0..<changes {
                    other[Int.random(in: other.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let count = (width + block - 1) / block
                var marks = (0..<count).map { _ in UInt8(Int.random(in: 0...9, using: &random) == 0 ? 1 : 0) }
                var expected = marks
                for row in 0..<height {
                    for x in 0..<width where one[row * stride + x] != other[row * stride + x] {
                        expected[x / block] = 1
                    }
                }
                pixel_kernels_mark_different(one, other, stride, Int32(width), Int32(height), Int32(block), &marks)
                #expect(marks == expected, "width \(width), height \(height), \(changes) changes")
            }
        }
    }
}
