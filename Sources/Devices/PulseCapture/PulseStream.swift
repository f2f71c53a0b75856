import CPulse
import Concurrency
import Media

/// A record stream: 48 kHz stereo floats in pieces of about 20 ms, each with the time at which its first frame was
/// recorded.
final class PulseStream {
    /// The duration of a piece. The recording is delayed by the same time.
    private static let fragment = MediaTime(milliseconds: 20)
    private static let retryInterval = MediaTime(milliseconds: 1000)

    let request: PulseRequest
    /// The playback stream to record, or nil to record a whole source.
    let sinkInput: SinkInput?
    private(set) var nextAttempt = MediaTime.zero
    private let context: OpaquePointer
    private let clock: SessionClock
    private let deliver: (SampleBuffer) -> Void
    private let report: (PulseEvent) -> Void
    private var stream: OpaquePointer?
    private var isReported = false

    init(
        request: PulseRequest, sinkInput: SinkInput? = nil, context: OpaquePointer, clock: SessionClock,
        deliver: @escaping (SampleBuffer) -> Void,
        report: @escaping (PulseEvent) -> Void
    ) {
        self.request = request
        self.sinkInput = sinkInput
        self.context = context
        self.clock = clock
        self.deliver = deliver
        self.report = report
        open()
    }

    deinit {
        close()
    }

    /// True if the source disappeared or does not exist.
    var isDead: Bool {
        guard let stream else { return true }
        return !PulseStream.isGood(cpulse_stream_get_state(stream))
    }

    /// Closes the stream and opens it again. If no source is named, it opens the current default device.
    func restart() {
        close()
        open()
    }

    private func open() {
        nextAttempt = clock.now + Self.retryInterval
        var specification = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(AudioFormat.broadcast.sampleRate),
            channels: UInt8(AudioFormat.broadcast.channelCount))
        guard let stream = cpulse_stream_new(context, "broadcast \(request.track.name)", &specification, nil) else {
            return
        }
        self.stream = stream
        let me = Unmanaged.passUnretained(self).toOpaque()
        cpulse_stream_set_state_callback(
            stream,
            { _, userdata in
                guard let userdata else { return }
                Unmanaged<PulseStream>.fromOpaque(userdata).takeUnretainedValue().stateChanged()
            }, me)
        cpulse_stream_set_read_callback(
            stream,
            { _, _, userdata in
                guard let userdata else { return }
                Unmanaged<PulseStream>.fromOpaque(userdata).takeUnretainedValue().readAvailable()
            }, me)
        let bytes = UInt32(Self.fragment.value(timescale: Int64(AudioFormat.broadcast.sampleRate))) * 8
        var attributes = pa_buffer_attr(
            maxlength: UInt32.max, tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max, fragsize: bytes)
        // If its source disappears, PulseAudio moves a stream to the default source. A stream for a named source must
        // not record another one.
        let placement = request.sourceName == nil && sinkInput == nil ? PA_STREAM_NOFLAGS : PA_STREAM_DONT_MOVE
        let flags = pa_stream_flags_t(
            rawValue: PA_STREAM_INTERPOLATE_TIMING.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                | PA_STREAM_ADJUST_LATENCY.rawValue
                | placement.rawValue)
        if let sinkInput { cpulse_stream_set_monitor_stream(stream, sinkInput.index) }
        if cpulse_stream_connect_record(stream, sinkInput?.monitor ?? request.deviceName, &attributes, flags) < 0 {
            interrupted()
        }
    }

    private func close() {
        guard let stream else { return }
        cpulse_stream_set_state_callback(stream, nil, nil)
        cpulse_stream_set_read_callback(stream, nil, nil)
        cpulse_stream_disconnect(stream)
        cpulse_stream_unref(stream)
        self.stream = nil
    }

    private func stateChanged() {
        guard let stream else { return }
        switch cpulse_stream_get_state(stream) {
        case PA_STREAM_READY:
            let source = cpulse_stream_get_device_name(stream).map { String(cString: $0) } ?? request.deviceName
            // Without a microphone, PulseAudio's default source is a monitor of the applications' sound. Recording it
            // would duplicate that sound.
            if request.track == .mic && request.sourceName == nil && source.hasSuffix(".monitor") {
                close()
                return interrupted(.noMicrophone)
            }
            isReported = false
            report(.started(request.track, source: source))
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            interrupted()
        default: break
        }
    }

    private func interrupted(_ problem: PulseProblem? = nil) {
        guard !isReported else { return }
        isReported = true
        report(.interrupted(request.track, problem ?? .server(code: cpulse_context_errno(context))))
    }

    /// Reads all available pieces. A gap in the server's buffer is skipped; the time of the next piece shows the gap.
    private func readAvailable() {
        guard let stream else { return }
        while cpulse_stream_readable_size(stream) > 0 {
            var data: UnsafeRawPointer?
            var length = 0
            guard cpulse_stream_peek(stream, &data, &length) >= 0, length > 0 else { return }
            if let data, let time = timeOfNextFrame() {
                let samples = [Float](unsafeUninitializedCapacity: length / 4) { buffer, count in
                    UnsafeMutableRawBufferPointer(buffer).copyMemory(
                        from: UnsafeRawBufferPointer(start: data, count: length / 4 * 4))
                    count = length / 4
                }
                deliver(
                    SampleBuffer(
                        track: request.track, presentationTime: time,
                        payload: .sound(Sound(format: .broadcast, samples: samples))))
            }
            cpulse_stream_drop(stream)
        }
    }

    /// Returns the time at which the frame at the read index was recorded: the current time minus PulseAudio's latency.
    /// The latency of a monitor can be negative, because its sound has not reached the loudspeaker yet. Returns nil
    /// until the server reported a latency.
    private func timeOfNextFrame() -> MediaTime? {
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        guard cpulse_stream_get_latency(stream, &latency, &isNegative) >= 0 else { return nil }
        let distance = MediaTime(nanoseconds: Int64(latency) * 1000)
        return isNegative != 0 ? clock.now + distance : clock.now - distance
    }

    private static func isGood(_ state: pa_stream_state_t) -> Bool {
        state == PA_STREAM_CREATING || state == PA_STREAM_READY
    }
}
