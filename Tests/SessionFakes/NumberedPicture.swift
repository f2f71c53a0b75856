import Media

/// A picture that shows a number: 16 bits as black and white macroblocks in the upper half, and their complement in the
/// lower half, so that a picture that is torn, or is not painted by the test, has no number.
package enum NumberedPicture {
    package static let size = PixelSize(width: 128, height: 64)
    private static let block = 16
    private static let columns = 8

    /// BGRA pixels of the number, modulo 65536.
    package static func paint(_ number: Int) -> PixelBuffer {
        let pixels = PixelBuffer(format: .bgra, size: size)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let level: UInt8 = isWhite(x / block, y / block, number) ? 255 : 0
                    for component in 0..<4 { bytes[y * pixels.stride + x * 4 + component] = level }
                }
            }
        }
        return pixels
    }

    /// What a frame shows.
    package enum Reading: Equatable, Sendable {
        case number(Int)
        case slate
        /// Torn, or something that the test did not paint.
        case unknown
    }

    /// Reads luma, row by row without padding. Limited and full range differ too little to matter.
    package static func read(luma: some RandomAccessCollection<UInt8>) -> Reading {
        guard luma.count >= size.area else { return .unknown }
        let luma = Array(luma.prefix(size.area))
        func mean(_ column: Int, _ row: Int) -> Int {
            var sum = 0
            // Without the edges of the block, where an encoder mixes it with its neighbours.
            for y in row * block + 4..<row * block + 12 {
                for x in column * block + 4..<column * block + 12 { sum += Int(luma[y * size.width + x]) }
            }
            return sum / 64
        }
        let means = (0..<4).map { row in (0..<columns).map { mean($0, row) } }
        // The slate's background has the luma 40 of 16 to 235, which is 28 of 0 to 255; its bars are in the middle.
        let corners = [means[0][0], means[0][7], means[3][0], means[3][7]]
        if corners.allSatisfy({ (24...46).contains($0) }) { return .slate }
        var number = 0
        for row in 0..<2 {
            for column in 0..<columns {
                let upper = means[row][column]
                let lower = means[row + 2][column]
                guard abs(upper - lower) > 100 else { return .unknown }
                if upper > lower { number |= 1 << (row * columns + column) }
            }
        }
        return .number(number)
    }

    private static func isWhite(_ column: Int, _ row: Int, _ number: Int) -> Bool {
        let bit = number >> ((row % 2) * columns + column) & 1 == 1
        return row < 2 ? bit : !bit
    }
}
