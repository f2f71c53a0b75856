import CSWResample
import Media

/// Converts sound of any sample rate and channel count to 48 kHz stereo with libswresample. Use it on one thread.
package final class FormatConverter {
    private let source: AudioFormat
    private let context: OpaquePointer?

    /// Returns nil if libswresample cannot be opened, or cannot convert from `source`.
    package init?(from source: AudioFormat) {
        self.source = source
        guard source != .broadcast else {
            context = nil
            return
        }
        guard
            let context = cswresample_converter(
                Int32(source.sampleRate), Int32(source.channelCount), Int32(AudioFormat.broadcast.sampleRate))
        else {
            return nil
        }
        self.context = context
    }

    deinit {
        if let context { cswresample_free(context) }
    }

    /// Converts the next piece of sound. The result's time is earlier by the delay of the resampling filter.
    ///
    /// Samples that are not finite are silence, so that they do not spread in the filter.
    package func convert(_ sample: SampleBuffer) -> SampleBuffer {
        guard let context, case .sound(let original) = sample.payload, original.format == source else { return sample }
        let sound = original.sanitized
        let rate = Int64(AudioFormat.broadcast.sampleRate)
        let held = MediaTime(value: cswresample_delay(context, rate), timescale: rate)
        let capacity = sound.frameCount * AudioFormat.broadcast.sampleRate / source.sampleRate + 1024
        let converted = [Float](unsafeUninitializedCapacity: capacity * 2) { output, count in
            let frames = sound.samples.withUnsafeBufferPointer { input -> Int32 in
                guard let from = input.baseAddress, let to = output.baseAddress else { return 0 }
                return cswresample_convert(context, to, Int32(capacity), from, Int32(sound.frameCount))
            }
            count = max(0, Int(frames)) * 2
        }
        return SampleBuffer(
            track: sample.track, presentationTime: sample.presentationTime - held,
            payload: .sound(Sound(format: .broadcast, samples: converted)))
    }
}
