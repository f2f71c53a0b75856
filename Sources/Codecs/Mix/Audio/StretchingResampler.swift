import CSWResample
import Media

/// Stretches or compresses 48 kHz stereo sound by a few parts in a thousand with libswresample's soft compensation.
final class StretchingResampler {
    private let context: OpaquePointer
    private let format: AudioFormat
    private var output: [Float] = []

    /// Returns nil if libswresample cannot be opened, or initialised (out of memory).
    init?(format: AudioFormat) {
        guard let context = cswresample_stereo(Int32(format.sampleRate)) else { return nil }
        self.context = context
        self.format = format
    }

    deinit {
        cswresample_free(context)
    }

    /// The delay of the resampler in sample frames.
    var delay: Int { Int(cswresample_delay(context, Int64(format.sampleRate))) }

    /// Sets the fraction by which the following sound is stretched.
    func setStretch(_ stretch: Double) {
        // The distance is ten seconds, so that parts per million are whole samples.
        let distance = format.sampleRate * 10
        cswresample_compensate(context, Int32((stretch * Double(distance)).rounded()), Int32(distance))
    }

    /// Resamples interleaved frames. The result has about the same length.
    func process(_ samples: [Float]) -> [Float] {
        let channels = format.channelCount
        let frames = samples.count / channels
        let capacity = frames + frames / 50 + 64
        if output.count < capacity * channels { output = [Float](repeating: 0, count: capacity * channels) }
        let written = samples.withUnsafeBufferPointer { input -> Int in
            output.withUnsafeMutableBufferPointer { result in
                guard let from = input.baseAddress, let to = result.baseAddress else { return 0 }
                return Int(cswresample_convert(context, to, Int32(capacity), from, Int32(frames)))
            }
        }
        return Array(output[..<(max(0, written) * channels)])
    }
}
