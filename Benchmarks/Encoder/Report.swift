import Foundation
import Media

/// The figures of a run.
struct Report {
    private let rate: Double
    private let frameRate: Int
    private var level: Double
    private var lowest = Double.infinity
    private var sizes: [Int] = []
    private var levels: [Double] = []
    private var seconds: [Double] = []
    private var similarities: [Double] = []

    init(kilobits: Int, frameRate: Int) {
        rate = Double(kilobits) * 125
        self.frameRate = frameRate
        level = rate
    }

    /// Counts an access unit in a buffer of one second.
    mutating func note(bytes: Int, seconds: Double) {
        level = min(rate, level + rate / Double(frameRate)) - Double(bytes)
        lowest = min(lowest, level)
        sizes.append(bytes)
        levels.append(level / rate)
        self.seconds.append(seconds)
    }

    /// Compares a decoded picture with the screen of its tick.
    mutating func judge(_ picture: PixelBuffer, decoded: UnsafeRawBufferPointer) {
        similarities.append(
            picture.withUnsafeBytes {
                Self.similarity($0, decoded, width: picture.size.width, height: picture.size.height)
            })
    }

    func print(title: String, pictures: [PixelBuffer], isPages: Bool) {
        if let path = ProcessInfo.processInfo.environment["CSV"] {
            let lines = similarities.indices.map {
                "\($0),\(String(format: "%.5f", similarities[$0])),\(sizes[$0]),\(String(format: "%.3f,%.2f", levels[$0], seconds[$0] * 1000))"
            }
            try? (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        // How many ticks the picture of each tick has been shown, and whether it is the first page.
        var ages: [(age: Int, isFirst: Bool)] = []
        for tick in pictures.indices {
            let isSame = tick > 0 && pictures[tick] === pictures[tick - 1]
            let last = ages.last
            ages.append(isSame ? (last!.age + 1, last!.isFirst) : (0, tick == 0))
        }
        let judged = similarities.indices.filter { !isPages || !ages[$0].isFirst }
        let values = judged.map { similarities[$0] }.sorted()
        var line = title
        if isPages {
            for age in [0, 3, 6, 9, 15, 24, 33, 42, 51] {
                let at = judged.filter { ages[$0].age == age }.map { similarities[$0] }
                line += at.isEmpty ? "     -" : String(format: " %.3f", at.reduce(0, +) / Double(at.count))
            }
        } else {
            let moving = judged.filter { tick in
                (max(1, tick - 1)...max(1, tick)).contains { $0 < pictures.count && pictures[$0] !== pictures[$0 - 1] }
            }.map { similarities[$0] }
            line += String(format: " moving %.4f", moving.reduce(0, +) / Double(max(1, moving.count)))
        }
        let mean = values.reduce(0, +) / Double(values.count)
        line += String(
            format: " | mean %.4f p5 %.3f worst %.3f | %.0f kbit/s, buffer min %.0f %%, below 0: %d, CPU %.1f %%",
            mean, values[values.count / 20], values[0],
            Double(sizes.reduce(0, +)) * 8 * Double(frameRate) / Double(sizes.count) / 1000, 100 * lowest / rate,
            levels.count { $0 < 0 }, 100 * seconds.reduce(0, +) * Double(frameRate) / Double(seconds.count))
        Swift.print(line)
    }

    /// The mean SSIM of the luma over blocks of 8 by 8 pixels (Wang et al., 2004).
    static func similarity(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, width: Int, height: Int)
        -> Double
    {
        let a = one.baseAddress!.assumingMemoryBound(to: UInt8.self)
        let b = other.baseAddress!.assumingMemoryBound(to: UInt8.self)
        var sum = 0.0
        for y in Swift.stride(from: 0, through: height - 8, by: 8) {
            for x in Swift.stride(from: 0, through: width - 8, by: 8) {
                var (sa, sb, aa, bb, ab): (Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0)
                for row in 0..<8 {
                    let at = (y &+ row) &* width &+ x
                    for column in 0..<8 {
                        let p = Int32(a[at &+ column])
                        let q = Int32(b[at &+ column])
                        sa &+= p
                        sb &+= q
                        aa &+= p &* p
                        bb &+= q &* q
                        ab &+= p &* q
                    }
                }
                let (ma, mb) = (Double(sa) / 64, Double(sb) / 64)
                let (va, vb, c) = (Double(aa) / 64 - ma * ma, Double(bb) / 64 - mb * mb, Double(ab) / 64 - ma * mb)
                sum += (2 * ma * mb + 6.5025) * (2 * c + 58.5225) / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225))
            }
        }
        return sum / Double((width / 8) * (height / 8))
    }
}
