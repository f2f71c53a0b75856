import Glibc

/// Keeps mixed sound below full scale without the distortion of clipping. The gain drops immediately if a peak exceeds
/// the ceiling, and recovers within some tenths of a second.
package struct Limiter: Sendable {
    /// 0.3 dB below full scale, because lossy compression overshoots a little.
    package static let ceiling: Float = 0.966
    private let release: Float
    private var gain: Float = 1

    /// - Parameter sampleRate: sample frames a second.
    package init(sampleRate: Int) {
        // The gain recovers two thirds of the difference in 150 ms.
        release = 1 - expf(-1 / (0.15 * Float(sampleRate)))
    }

    /// Limits interleaved stereo samples in place. Both channels get the same gain, which preserves the stereo image.
    package mutating func process(_ samples: inout [Float]) {
        for index in stride(from: 0, to: samples.count - 1, by: 2) {
            let peak = max(abs(samples[index]), abs(samples[index + 1]))
            let allowed = peak > Self.ceiling ? Self.ceiling / peak : 1
            gain = min(allowed, gain + (1 - gain) * release)
            if gain < 1 {
                samples[index] *= gain
                samples[index + 1] *= gain
            }
        }
    }
}
