import CPulse
import Concurrency
import Media
import WindowPrivacy

/// Records the sound of one application, or of all applications on a sink except the muted ones. It records each
/// playback stream before the sink mixes it with others, and adds the streams up.
///
/// Streams start, end and move between sinks. The recording follows them (pa_stream_set_monitor_stream).
final class ApplicationSound {
    let request: PulseRequest
    /// The name of the application, or nil to record everything on the sink except muted streams.
    private let name: String?
    /// The sink that is recorded if no source is named. Nil until the server reported it.
    var defaultSink: String? {
        didSet { if name == nil && defaultSink != oldValue { refresh() } }
    }
    private let context: OpaquePointer
    private let clock: SessionClock
    private let deliver: (SampleBuffer) -> Void
    private let report: (PulseEvent) -> Void
    private var streams: [PulseStream] = []
    private var sum = SoundSum()
    /// The names of the sinks and of their monitors, by sink index.
    private var sinks: [UInt32: (name: String, monitor: String)] = [:]
    private var muted = (sound: HiddenWindowRules.MutedSound.none, revision: 0)
    private var found: [SinkInput] = []
    /// The end of the sound that was delivered. It can be seconds ahead, because sound belongs to the time at which the
    /// user hears it.
    private var deliveredEnd = MediaTime.zero
    /// True from a request for the streams until they are known.
    private var isRefreshing = false
    private var isPlaying: Bool?
    private var pendingOperations: [OpaquePointer] = []

    init(
        request: PulseRequest, context: OpaquePointer, clock: SessionClock, deliver: @escaping (SampleBuffer) -> Void,
        report: @escaping (PulseEvent) -> Void
    ) {
        self.request = request
        name = request.applicationName
        self.context = context
        self.clock = clock
        self.deliver = deliver
        self.report = report
        refresh()
    }

    deinit {
        cancelOperations()
    }

    /// Requests the current playback streams from the server.
    func refresh() {
        cancelOperations()
        isRefreshing = true
        sinks = [:]
        found = []
        muted = request.mutedWindows?.currentMutedSound ?? (.none, 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        let sinks = cpulse_context_get_sink_info_list(
            context,
            { _, info, _, userdata in
                guard let userdata, let info = info?.pointee, let name = info.name,
                    let monitor = info.monitor_source_name
                else { return }
                Unmanaged<ApplicationSound>.fromOpaque(userdata).takeUnretainedValue().sinks[info.index] = (
                    String(cString: name), String(cString: monitor)
                )
            }, me)
        // The server answers requests in order, so this answer follows the sinks.
        let inputs = cpulse_context_get_sink_input_info_list(
            context,
            { _, info, isLast, userdata in
                guard let userdata else { return }
                let sound = Unmanaged<ApplicationSound>.fromOpaque(userdata).takeUnretainedValue()
                if isLast != 0 {
                    sound.follow()
                } else if let info = info?.pointee {
                    sound.consider(info)
                }
            }, me)
        pendingOperations = [sinks, inputs].compactMap { $0 }
    }

    /// Restarts the streams that failed. Refreshes if other sound must be muted.
    func revive() {
        if let windows = request.mutedWindows {
            let wanted = windows.currentMutedSound
            if wanted.sound != muted.sound {
                refresh()
            } else if !isRefreshing, wanted.revision > muted.revision {
                // The new rules mute what the old ones did.
                muted.revision = wanted.revision
                windows.noteSound(follows: wanted.revision, from: max(clock.now, deliveredEnd))
            }
        }
        for stream in streams where stream.isDead && clock.now >= stream.nextAttempt { stream.restart() }
    }

    private func consider(_ input: pa_sink_input_info) {
        guard let sink = sinks[input.sink], let properties = input.proplist else { return }
        if isMuted(properties) { return }
        guard let name else {
            if request.sourceName.map({ $0 == sink.monitor }) ?? (sink.name == defaultSink) {
                found.append(SinkInput(index: input.index, monitor: sink.monitor))
            }
            return
        }
        let keys: [String] = [PA_PROP_APPLICATION_NAME, PA_PROP_APPLICATION_PROCESS_BINARY, PA_PROP_APPLICATION_ID]
        let names = keys.compactMap { key in cpulse_proplist_gets(properties, key).map { String(cString: $0) } }
        if names.contains(where: { $0.lowercased() == name.lowercased() }) {
            found.append(SinkInput(index: input.index, monitor: sink.monitor))
        }
    }

    /// Returns true if the playback stream with these properties must not be recorded. A stream whose process cannot be
    /// determined can belong to a hidden window.
    private func isMuted(_ properties: OpaquePointer) -> Bool {
        switch muted.sound {
        case .all: return true
        case .none: return false
        case .processes(let processes):
            func value(_ key: String) -> String? { cpulse_proplist_gets(properties, key).map { String(cString: $0) } }
            guard let process = value(PA_PROP_APPLICATION_PROCESS_ID).flatMap({ Int32($0) }),
                let program = value(PA_PROP_APPLICATION_PROCESS_BINARY), ProcessAncestry.runs(program, as: process)
            else { return true }
            return ProcessAncestry.contains(processes, from: process)
        }
    }

    /// Records the streams that were found, and stops recording all others.
    private func follow() {
        for stream in streams {
            if let input = stream.sinkInput, !found.contains(input) { sum.remove(input.index) }
        }
        streams.removeAll { stream in !found.contains { $0 == stream.sinkInput } }
        for input in found where !streams.contains(where: { $0.sinkInput == input }) {
            streams.append(
                PulseStream(
                    request: request, sinkInput: input, context: context, clock: clock,
                    deliver: { [unowned self] in add($0, of: input) }, report: { _ in }))
        }
        isRefreshing = false
        request.mutedWindows?.noteSound(follows: muted.revision, from: max(clock.now, deliveredEnd))
        tell()
    }

    private func add(_ sample: SampleBuffer, of input: SinkInput) {
        guard case .sound(let sound) = sample.payload else { return }
        sum.add(sound, at: sample.presentationTime, from: input.index)
        while let piece = sum.take(now: clock.now) {
            let duration = MediaTime(
                value: Int64(piece.sound.frameCount), timescale: Int64(AudioFormat.broadcast.sampleRate))
            deliveredEnd = max(deliveredEnd, piece.time + duration)
            deliver(SampleBuffer(track: request.track, presentationTime: piece.time, payload: .sound(piece.sound)))
        }
    }

    /// Reports when the application starts and stops playing.
    private func tell() {
        guard let name else {
            // While nothing plays, the result is silence, as on the sink's monitor.
            guard isPlaying == nil, let monitor = request.sourceName ?? defaultSink.map({ $0 + ".monitor" }) else {
                return
            }
            isPlaying = true
            return report(.started(request.track, source: monitor))
        }
        guard !streams.isEmpty != isPlaying else { return }
        isPlaying = !streams.isEmpty
        if streams.isEmpty {
            report(.interrupted(request.track, .applicationSilent(name)))
        } else {
            report(.started(request.track, source: "app:" + name))
        }
    }

    private func cancelOperations() {
        for operation in pendingOperations {
            cpulse_operation_cancel(operation)
            cpulse_operation_unref(operation)
        }
        pendingOperations = []
    }
}
