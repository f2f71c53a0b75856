import TestPatterns

/// Reproducible mutations of valid input.
public enum Mutations {
    /// Calls `feed` with every prefix of `input`, including the empty prefix and the whole input.
    public static func prefixes(of input: [UInt8], _ feed: ([UInt8]) throws -> Void) rethrows {
        for length in 0...input.count { try feed(Array(input[..<length])) }
    }

    /// Calls `feed` with `count` copies of `input`, each with one to six inverted bits.
    public static func wrongBits(
        in input: [UInt8], count: Int = 1000, seed: UInt64 = 7, _ feed: ([UInt8]) throws -> Void
    ) rethrows {
        guard !input.isEmpty else { return }
        var generator = SplitMix64(state: seed)
        for _ in 0..<count {
            var bytes = input
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            }
            try feed(bytes)
        }
    }
}
