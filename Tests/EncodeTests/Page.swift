import Encode
import Foundation
import Media
import Testing

/// One second of the bitrate can wait in the buffer, and another one comes in.
func expectWithinBitrate(_ packets: [EncodedPacket], kilobits: Int) {
    let sizes = packets.map(\.data.count)
    let seconds = (30...sizes.count).map { end -> Int in sizes[(end - 30)..<end].reduce(0, +) * 8 / 1000 }
    let peak = seconds.max() ?? 0
    #expect(peak <= kilobits * 2, "\(peak) kbit in a second")
}

/// The PSNR of the luma of each decoded frame, in dB.
func decodedQualities(_ packets: [EncodedPacket], of encoder: VideoEncoder, pages: [(Int, Page)]) throws -> [Double] {
    var qualities: [Double] = []
    try EncodedStream.h264(packets, of: encoder) { stream in
        let frames = try stream.pictures()
        let area = pages[0].1.size.area
        try #require(frames.count == packets.count * area * 3 / 2)
        for index in packets.indices {
            guard let page = pages.last(where: { $0.0 <= index })?.1 else { continue }
            let start = index * area * 3 / 2
            var sum = 0
            for offset in 0..<area {
                let difference = Int(frames[start + offset]) - Int(page.luma[offset])
                sum += difference * difference
            }
            qualities.append(10 * log10(65_025 * Double(area) / Double(max(sum, 1))))
        }
    }
    return qualities
}

/// A page of random glyphs of 5x7 pixels in lines of 11 pixels.
struct Page {
    let size: PixelSize
    let luma: [UInt8]

    /// A page of which a part shows other glyphs, or noise, for each number.
    init(size: PixelSize, part: PixelRect, number: Int, isNoise: Bool) {
        let page = Page(size: size)
        var luma = page.luma
        for row in part.y..<part.maxY {
            for column in part.x..<part.maxX {
                let place = isNoise ? row * size.width + column : row / 8 * size.width + column / 4
                var hash = UInt64(place + number * 1_000_003) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                let glyph: UInt8 = hash % 5 < 2 ? 30 : 225
                luma[row * size.width + column] = isNoise ? UInt8(truncatingIfNeeded: hash >> 7) / 2 + 60 : glyph
            }
        }
        self.size = size
        self.luma = luma
    }

    /// A page without anything on it.
    init(plain size: PixelSize) {
        self.size = size
        luma = [UInt8](repeating: 225, count: size.area)
    }

    /// A picture with detail of every size, like a photograph: noise of several scales, each half as strong as the next
    /// larger one.
    init(photograph size: PixelSize) {
        func value(_ column: Int, _ row: Int, _ scale: Int) -> Double {
            var hash = UInt64(column * 7919 + row * 104_729 + scale * 31 + 1) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            hash = hash &* 0xBF58_476D_1CE4_E5B9
            return Double(hash >> 40) / Double(1 << 24) - 0.5
        }
        self.size = size
        luma = (0..<size.area).map { index in
            let (row, column) = (index / size.width, index % size.width)
            var sum = 128.0
            for scale in 0..<7 {
                let step = 1 << scale
                let (x, y) = (Double(column % step) / Double(step), Double(row % step) / Double(step))
                let (left, top) = (column / step, row / step)
                let upper = value(left, top, scale) * (1 - x) + value(left + 1, top, scale) * x
                let lower = value(left, top + 1, scale) * (1 - x) + value(left + 1, top + 1, scale) * x
                sum += (upper * (1 - y) + lower * y) * Double(step).squareRoot() * 14
            }
            return UInt8(min(235, max(16, sum)))
        }
    }

    /// The page on a ground of weak noise, which no encoder predicts.
    init(dithered size: PixelSize) {
        self.size = size
        luma = Page(size: size).luma.enumerated().map { index, value in
            var hash = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            return UInt8(max(16, min(235, Int(value) + Int(hash % 25) - 12)))
        }
    }

    /// - Parameter scroll: the number of rows by which the page is moved up.
    init(size: PixelSize, scroll: Int = 0) {
        self.size = size
        var luma = [UInt8](repeating: 225, count: size.area)
        for row in 0..<size.height {
            let (line, y) = ((row + scroll) / 11, (row + scroll) % 11)
            guard y < 7 else { continue }
            for column in 0..<size.width {
                let (glyph, x) = (column / 6, column % 6)
                guard x < 5 else { continue }
                // A pixel of a glyph is on or off by a hash of its place.
                var hash = UInt64(line * 7919 + glyph * 104_729 + y * 31 + x) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                if hash % 5 < 2 && glyph % 9 != 8 { luma[row * size.width + column] = 30 }
            }
        }
        self.luma = luma
    }

    func sample(at time: MediaTime, isChanged: Bool) -> SampleBuffer {
        sample(at: time, changed: isChanged ? PixelRect(size) : PixelRect(x: 0, y: 0, width: 0, height: 0))
    }

    func sample(at time: MediaTime, changed: PixelRect) -> SampleBuffer {
        let frame = PixelBuffer(format: .i420, size: size)
        frame.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: luma + [UInt8](repeating: 128, count: size.area / 2))
        }
        var damage = DamageRegion(size: size)
        if !changed.isEmpty { damage.add(changed) }
        return SampleBuffer(
            track: .screen, presentationTime: time,
            payload: .picture(Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: damage)))
    }
}
