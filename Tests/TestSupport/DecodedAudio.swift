/// A sound track, decoded by ffmpeg and mixed down to mono.
package struct DecodedAudio: Sendable {
    /// A stretch of samples as the decoder gave it.
    package struct Block: Sendable {
        /// The number of its first sample in `samples`.
        package let first: Int
        /// How many there are.
        package let count: Int
        /// The time of the first one, seconds in the container's own time line.
        package let pts: Double
    }

    /// Samples a second.
    package let rate: Int
    /// -1...1
    package let samples: [Float]
    /// The blocks that `samples` is made of, without gaps between their samples; between their times there may be some.
    package let blocks: [Block]

    /// The time of a sample, seconds in the container's own time line.
    package func time(ofSample index: Double) -> Double {
        var (low, high) = (0, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Double(blocks[middle].first) <= index { low = middle } else { high = middle }
        }
        guard !blocks.isEmpty else { return index / Double(rate) }
        return blocks[low].pts + (index - Double(blocks[low].first)) / Double(rate)
    }

    /// The largest step between where a block should begin and where its time says, seconds: 0 for sound without gaps
    /// or overlaps.
    package var largestGap: Double {
        zip(blocks, blocks.dropFirst()).map { abs($1.pts - $0.pts - Double($0.count) / Double(rate)) }.max() ?? 0
    }

    /// The level of a tone in a stretch, seconds from the first sample on: the median of the loudness of its pieces of
    /// 50 ms, without silent ones; 0...1. Nil if it is heard for less than a quarter of a second. A machine that stands
    /// still for a second leaves a second without the player's sound; what is heard before and after has the tone's
    /// level.
    package func toneLevel(from start: Double = 0, to end: Double = .infinity) -> Double? {
        let end = min(end, Double(samples.count) / Double(rate))
        let levels = stride(from: start, to: end - 0.049, by: 0.05).map { level(from: $0, duration: 0.05) }
            .filter { $0 > 0.01 }.sorted()
        return levels.count < 5 ? nil : levels[levels.count / 2]
    }

    /// The loudness (root mean square) of a stretch, seconds from the first sample on; 0...1.
    package func level(from start: Double, duration: Double) -> Double {
        let first = min(max(Int(start * Double(rate)), 0), samples.count)
        let last = min(max(first + Int(duration * Double(rate)), first), samples.count)
        guard last > first else { return 0 }
        return (samples[first..<last].reduce(0) { $0 + Double($1) * Double($1) } / Double(last - first)).squareRoot()
    }
}
