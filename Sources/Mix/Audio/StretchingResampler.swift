import CSWResample
import Media

/// Stretches or squeezes 48 kHz stereo sound by parts of a thousand, with libswresample's soft compensation.
final class StretchingResampler {
    private var context: OpaquePointer?
    private let format: AudioFormat
    private var output: [Float] = []

    /// Nil where libswresample cannot be set up (out of memory).
    init?(format: AudioFormat) {
        guard let context = cswresample_stereo(Int32(format.sampleRate)) else { return nil }
        self.context = context
        self.format = format
    }

    deinit {
        swr_free(&context)
    }

    /// Sample frames that went in and have not come out yet.
    var delay: Int { Int(swr_get_delay(context, Int64(format.sampleRate))) }

    /// From now on a second of sound gets longer by the fraction `stretch`.
    func setStretch(_ stretch: Double) {
        // Over ten seconds, so that parts per million are whole samples.
        let distance = format.sampleRate * 10
        _ = swr_set_compensation(context, Int32((stretch * Double(distance)).rounded()), Int32(distance))
    }

    /// Interleaved frames in, interleaved frames out; about as many.
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
