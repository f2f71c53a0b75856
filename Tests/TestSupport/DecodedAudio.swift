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

    /// The median of the loudness of pieces of 50 ms of a stretch, seconds from the first sample on; 0...1. For a tone
    /// that must be heard: a machine that stops the player for a moment leaves out a piece, and the others have the
    /// level of the tone.
    package func medianLevel(from start: Double, duration: Double) -> Double {
        let levels = stride(from: start, to: start + duration - 0.049, by: 0.05).map { level(from: $0, duration: 0.05) }
            .sorted()
        return levels.isEmpty ? 0 : levels[levels.count / 2]
    }

    /// The loudness (root mean square) of a stretch, seconds from the first sample on; 0...1.
    package func level(from start: Double, duration: Double) -> Double {
        let first = min(max(Int(start * Double(rate)), 0), samples.count)
        let last = min(max(first + Int(duration * Double(rate)), first), samples.count)
        guard last > first else { return 0 }
        return (samples[first..<last].reduce(0) { $0 + Double($1) * Double($1) } / Double(last - first)).squareRoot()
    }
}
