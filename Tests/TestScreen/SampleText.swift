/// Endless text of made-up words, the same in every run.
struct SampleText {
    private static let words = [
        "signal", "frame", "the", "a", "picture", "of", "and", "queue", "let", "screen", "window", "return", "moves",
        "when", "packet", "clock",
        "sends",
        "if", "colour", "sound", "to", "each", "stream", "under", "light", "is", "slow", "first", "with", "buffer",
    ]
    private var state: UInt32
    private var rest: [UInt8] = []

    /// Text that depends only on the seed.
    init(seed: UInt32) {
        state = seed
    }

    /// Returns the next `count` characters, in ASCII.
    mutating func next(_ count: Int) -> String {
        while rest.count < count {
            // Numerical Recipes' linear congruential generator; its upper bits are random enough for text.
            state = state &* 1_664_525 &+ 1_013_904_223
            rest += Self.words[Int(state >> 16) % Self.words.count].utf8
            rest.append(UInt8(ascii: state >> 28 == 0 ? "." : " "))
        }
        let text = String(decoding: rest.prefix(count), as: UTF8.self)
        rest.removeFirst(count)
        return text
    }
}
