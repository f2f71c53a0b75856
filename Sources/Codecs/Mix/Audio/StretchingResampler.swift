import CSWResample
import Media

/// Stretches or compresses 48 kHz stereo sound by a few parts in a thousand with libswresample's soft compensation.
final class StretchingResampler {
    private var context: OpaquePointer?
    private let format: AudioFormat
    private var output: [Float] = []

    /// Returns nil if libswresample cannot be initialised (out of memory).
    init?(format: AudioFormat) {
        guard let context = cswresample_stereo(Int32(format.sampleRate)) else { return nil }
        self.context = context
        self.format = format
    }

    deinit {
        swr_free(&context)
    }

    /// The delay of the resampler in sample frames.
    var delay: Int { Int(swr_get_delay(context, Int64(format.sampleRate))) }

    /// Sets the fraction by which the following sound is stretched.
    func setStretch(_ stretch: Double) {
        // The distance is ten seconds, so that parts per million are whole samples.
        let distance = format.sampleRate * 10
        _ = swr_set_compensation(context, Int32((stretch * Double(distance)).rounded()), Int32(distance))
    }

    /// Resamples interleaved frames. The result has about the same length.
    func process(_ samples: [Float]) -> [Float] {
        let channels = format.channelCount
        let frames = samples.count / channels
        let capacity = frames + frames / 50 + 64
        if output.count < capacity * channels { output = [Float](repeating: 0, count: capacity * channels) }
        let written = samples.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { result in
                var from: UnsafePointer<UInt8>? = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                var to: UnsafeMutablePointer<UInt8>? = result.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return swr_convert(context, &to, Int32(capacity), &from, Int32(frames))
            }
        }
        return Array(output[..<(max(0, Int(written)) * channels)])
    }
}
