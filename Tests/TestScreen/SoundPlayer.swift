import CPulseDev
import Glibc

/// A playback stream on the default sink, filled on libpulse's thread. It reconnects after the server was restarted.
/// Everything except `init`, `reconnectIfNeeded` and `close` runs while the main loop is locked.
final class SoundPlayer {
    private static let rate = 48_000.0
    /// The bytes of a frame: two floats.
    private static let frameLength = 8
    private let sound: Sound
    private let loop: OpaquePointer
    private var context: OpaquePointer?
    private var stream: OpaquePointer?
    private var clock = PlaybackClock(rate: SoundPlayer.rate)
    private var written: Int64 = 0
    private var beep = Sound.Beep()
    /// The beeps that are written and not heard yet.
    private var unheard: [Sound.Beep] = []
    private var nextAttempt: Int64 = 0
    private var nextTiming: Int64 = 0

    /// Connects, and waits until playback starts.
    init(_ sound: Sound) throws(TestScreenError) {
        guard let loop = pa_threaded_mainloop_new(), pa_threaded_mainloop_start(loop) == 0 else {
            throw .sound("libpulse gives no main loop")
        }
        self.sound = sound
        self.loop = loop
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        connect()
        while !isPlaying {
            if hasFailed { throw .sound("no Pulse server answers at PULSE_SERVER, or it has no sink") }
            pa_threaded_mainloop_wait(loop)
        }
    }

    /// Reconnects, at most twice per second, if the server is gone. Call it often, on the painting thread.
    func reconnectIfNeeded() {
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        guard hasFailed, MonotonicClock.now() > nextAttempt else { return }
        disconnect()
        connect()
    }

    /// Stops the sound and the thread. Call it once, at the end.
    func close() {
        pa_threaded_mainloop_lock(loop)
        disconnect()
        pa_threaded_mainloop_unlock(loop)
        pa_threaded_mainloop_stop(loop)
        pa_threaded_mainloop_free(loop)
    }

    private var isPlaying: Bool { stream.map { pa_stream_get_state($0) == PA_STREAM_READY } ?? false }

    private var hasFailed: Bool {
        guard let context else { return true }
        let state = pa_context_get_state(context)
        let streamState = stream.map { pa_stream_get_state($0) } ?? PA_STREAM_CREATING
        return state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED || streamState == PA_STREAM_FAILED
            || streamState == PA_STREAM_TERMINATED
    }

    private func connect() {
        nextAttempt = MonotonicClock.now() + 500_000_000
        context = pa_context_new(pa_threaded_mainloop_get_api(loop), "TestScreen")
        guard let context else { return }
        pa_context_set_state_callback(
            context,
            { _, player in player.map { Unmanaged<SoundPlayer>.fromOpaque($0).takeUnretainedValue().contextChanged() }
            },
            Unmanaged.passUnretained(self).toOpaque())
        pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil)
    }

    private func disconnect() {
        if let stream {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_write_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        if let context {
            pa_context_set_state_callback(context, nil, nil)
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        stream = nil
        context = nil
    }

    private func contextChanged() {
        if let context, pa_context_get_state(context) == PA_CONTEXT_READY, stream == nil { openStream(in: context) }
        pa_threaded_mainloop_signal(loop, 0)
    }

    private func openStream(in context: OpaquePointer) {
        var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(Self.rate), channels: 2)
        guard let stream = pa_stream_new(context, "test sound", &format, nil) else { return }
        self.stream = stream
        clock = PlaybackClock(rate: Self.rate)
        written = 0
        beep = Sound.Beep()
        unheard = []
        let this = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(
            stream,
            { _, player in
                player.map {
                    pa_threaded_mainloop_signal(Unmanaged<SoundPlayer>.fromOpaque($0).takeUnretainedValue().loop, 0)
                }
            },
            this)
        pa_stream_set_write_callback(
            stream,
            { _, bytes, player in
                player.map { Unmanaged<SoundPlayer>.fromOpaque($0).takeUnretainedValue().write(bytes) }
            }, this)
        // 250 ms: on a busy machine this process may have to wait, and an underrun would play a beep late. The latency
        // does not matter, because a beep is placed by the time at which it will be heard. Early requests keep the
        // device's own buffer short: PipeWire would make it half of this one, and then says only to a tenth of a second
        // what is heard.
        var buffer = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(Self.rate * 0.25) * 8, prebuf: .max, minreq: UInt32(Self.rate * 0.01) * 8,
            fragsize: .max)
        let flags =
            PA_STREAM_INTERPOLATE_TIMING.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
            | PA_STREAM_EARLY_REQUESTS.rawValue
        pa_stream_connect_playback(stream, nil, &buffer, pa_stream_flags_t(flags), nil, nil)
    }

    /// Asks the server when the stream's samples are heard, fifty times a second. libpulse itself asks every 1.5 s and
    /// assumes meanwhile that nothing is delayed, so two beeps after a delay in the server would be late.
    private func updateTiming(of stream: OpaquePointer) {
        let now = MonotonicClock.now()
        guard now >= nextTiming else { return }
        nextTiming = now + 20_000_000
        if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
    }

    /// Prints `beep SECOND MILLISECONDS` for each beep that has just been heard: its second of CLOCK_MONOTONIC, and how
    /// late it was. The server delays sound that is already written if it must wait for the processor; only afterwards
    /// it is known by how much. Sample `number` is heard `at` a time.
    private func announceHeard(sample number: Int64, at time: Double, now: Double) {
        while let beep = unheard.first {
            let heard = time - Double(number - beep.start) * 1e9 / Self.rate
            guard heard <= now else { return }
            unheard.removeFirst()
            let late = (heard - Double(beep.second) * 1e9) / 1e6
            print("beep \(beep.second) \((late * 10).rounded() / 10)")
            fflush(nil)
        }
    }

    private func write(_ bytes: Int) {
        guard let stream else { return }
        updateTiming(of: stream)
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        if pa_stream_get_latency(stream, &latency, &isNegative) == 0 {
            let now = MonotonicClock.now()
            let signed = Double(latency) * (isNegative == 0 ? 1000 : -1000)
            clock.report(sample: written, latency: signed, now: now)
            announceHeard(sample: written, at: Double(now) + signed, now: Double(now))
        }
        // A block of PulseAudio has at most 64 KiB. The server plays nothing before it has all that it requested at
        // first.
        var rest = bytes
        while rest >= Self.frameLength {
            var data: UnsafeMutableRawPointer?
            var length = rest
            guard pa_stream_begin_write(stream, &data, &length) == 0, let data, length >= Self.frameLength else {
                return
            }
            let count = length / Self.frameLength
            let samples = UnsafeMutableBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: count * 2)
            let last = beep.start
            sound.fill(samples, first: written, heardAt: clock.time(ofSample: written), rate: Self.rate, beep: &beep)
            if beep.start != last { unheard.append(beep) }
            pa_stream_write(stream, data, count * Self.frameLength, nil, 0, PA_SEEK_RELATIVE)
            written += Int64(count)
            rest -= count * Self.frameLength
        }
    }
}
