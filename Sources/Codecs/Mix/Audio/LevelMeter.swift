import Glibc
import Media

/// The highest peak of each source over about the last second.
package struct LevelMeter {
    /// Blocks of 1024 frames in a second at 48 kHz.
    private static let blocks = 47
    private var held: [Track: (peak: Float, age: Int)] = [:]

    package init() {}

    /// Takes the peaks of one block from `mixer`.
    package mutating func note(_ mixer: inout AudioMixer, tracks: [Track]) {
        for track in tracks {
            let peak = mixer.takePeak(of: track)
            if let before = held[track], before.peak > peak, before.age < Self.blocks {
                held[track] = (before.peak, before.age + 1)
            } else {
                held[track] = (peak, 0)
            }
        }
    }

    /// The level in dB below full scale, rounded to a tenth; nil if there is no sound.
    package func level(of track: Track) -> Double? {
        guard let peak = held[track]?.peak, peak > 0.00001 else { return nil }
        return Double((200 * log10f(peak)).rounded()) / 10
    }
}
