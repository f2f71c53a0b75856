import CPulse
import Concurrency
import Media

/// Records from PulseAudio (or PipeWire's Pulse server) and delivers sound with timestamps.
///
/// Create it and call `iterate` on the same thread. All callbacks of libpulse run on that thread. If a server or a
/// source disappears, the recorder retries every second. It follows changes of the default devices. It reports these
/// changes as events.
package final class PulseRecorder {
    /// The time between attempts to open a lost server or source again.
    private static let retryInterval = MediaTime(milliseconds: 1000)

    private var requests: [PulseRequest]
    private let clock: SessionClock
    private let deliver: (SampleBuffer) -> Void
    private let report: (PulseEvent) -> Void
    private let mainloop: OpaquePointer
    private var context: OpaquePointer?
    private var streams: [PulseStream] = []
    private var applications: [ApplicationSound] = []
    private var nextAttempt = MediaTime.zero
    private var wasUnavailable = false
    private var followedDefaults: (sink: String, source: String)?

    /// The name of the library that recording needs, if it cannot be opened.
    package static var missingLibrary: String? { cpulse_open() ? nil : String(cString: cpulse_name) }

    /// Returns nil without memory, and without the library.
    ///
    /// - Parameters:
    ///   - deliver: called with each piece of sound, on the thread that calls `iterate`.
    ///   - report: called when sound starts or stops, on the same thread.
    package init?(
        requests: [PulseRequest], clock: SessionClock, deliver: @escaping (SampleBuffer) -> Void,
        report: @escaping (PulseEvent) -> Void
    ) {
        guard cpulse_open(), let mainloop = cpulse_mainloop_new() else { return nil }
        self.mainloop = mainloop
        self.requests = requests
        self.clock = clock
        self.deliver = deliver
        self.report = report
    }

    deinit {
        disconnect()
        cpulse_mainloop_free(mainloop)
    }

    /// Waits up to `timeout` for the server and processes its messages. Never waits longer.
    package func iterate(timeout: MediaTime) {
        if context == nil && !requests.isEmpty && clock.now >= nextAttempt { connect() }
        if cpulse_mainloop_prepare(mainloop, Int32(timeout.nanoseconds / 1000)) >= 0,
            cpulse_mainloop_poll(mainloop) >= 0
        {
            _ = cpulse_mainloop_dispatch(mainloop)
        }
        guard let context else { return }
        switch cpulse_context_get_state(context) {
        case PA_CONTEXT_READY:
            reviveStreams()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            lose(code: cpulse_context_errno(context))
        default: break
        }
    }

    /// Sets the sources to record. Closes streams that are no longer requested, and opens new ones. Without a source,
    /// closes the connection, so that no message of the server has to be processed.
    package func want(_ wanted: [PulseRequest]) {
        guard wanted != requests else { return }
        let added = wanted.filter { !requests.contains($0) }
        requests = wanted
        if wanted.isEmpty {
            disconnect()
            (followedDefaults, wasUnavailable) = (nil, false)
            return
        }
        streams.removeAll { !wanted.contains($0.request) }
        applications.removeAll { !wanted.contains($0.request) }
        if let context, cpulse_context_get_state(context) == PA_CONTEXT_READY {
            subscribe()
            for request in added { open(request) }
        }
    }

    /// True while a connection is open or being opened.
    package var isConnected: Bool { context != nil }

    // MARK: The connection

    private func connect() {
        guard let context = cpulse_context_new(cpulse_mainloop_get_api(mainloop), "broadcast") else { return }
        self.context = context
        let me = Unmanaged.passUnretained(self).toOpaque()
        cpulse_context_set_state_callback(
            context,
            { _, userdata in
                guard let userdata else { return }
                Unmanaged<PulseRecorder>.fromOpaque(userdata).takeUnretainedValue().contextStateChanged()
            }, me)
        if cpulse_context_connect(context, PulseAddress.server(), PA_CONTEXT_NOAUTOSPAWN, nil) < 0 {
            lose(code: cpulse_context_errno(context))
        }
    }

    private func contextStateChanged() {
        guard let context, cpulse_context_get_state(context) == PA_CONTEXT_READY else { return }
        wasUnavailable = false
        let me = Unmanaged.passUnretained(self).toOpaque()
        cpulse_context_set_subscribe_callback(
            context,
            { _, event, _, userdata in
                guard let userdata else { return }
                Unmanaged<PulseRecorder>.fromOpaque(userdata).takeUnretainedValue().changed(event)
            }, me)
        subscribe()
        askForDefaults()
        for request in requests { open(request) }
    }

    /// Subscribes to changes of the default devices and, if single streams are recorded, of the playback streams.
    private func subscribe() {
        guard let context else { return }
        let follows = requests.contains(where: \.takesSingleStreams)
        let mask = PA_SUBSCRIPTION_MASK_SERVER.rawValue | (follows ? PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue : 0)
        release(cpulse_context_subscribe(context, pa_subscription_mask_t(rawValue: mask), nil, nil))
    }

    private func changed(_ event: pa_subscription_event_type_t) {
        if event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue == PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue {
            for application in applications { application.refresh() }
        } else {
            askForDefaults()
        }
    }

    /// Requests the default devices from the server.
    private func askForDefaults() {
        guard let context else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        release(
            cpulse_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let userdata, let info = info?.pointee else { return }
                    let recorder = Unmanaged<PulseRecorder>.fromOpaque(userdata).takeUnretainedValue()
                    recorder.defaultsAre(
                        sink: info.default_sink_name.map { String(cString: $0) } ?? "",
                        source: info.default_source_name.map { String(cString: $0) } ?? "")
                }, me))
    }

    private func defaultsAre(sink: String, source: String) {
        defer { followedDefaults = (sink, source) }
        for application in applications { application.defaultSink = sink }
        guard let followed = followedDefaults else { return }
        for stream in streams where stream.request.sourceName == nil {
            let isChanged = stream.request.track == .mic ? followed.source != source : followed.sink != sink
            if isChanged { stream.restart() }
        }
    }

    private func lose(code: Int32) {
        disconnect()
        nextAttempt = clock.now + Self.retryInterval
        followedDefaults = nil
        if !wasUnavailable {
            wasUnavailable = true
            report(.serverUnavailable(code: code))
        }
    }

    private func disconnect() {
        streams.removeAll()
        applications.removeAll()
        guard let context else { return }
        cpulse_context_set_state_callback(context, nil, nil)
        cpulse_context_set_subscribe_callback(context, nil, nil)
        cpulse_context_disconnect(context)
        cpulse_context_unref(context)
        self.context = nil
    }

    private func release(_ operation: OpaquePointer?) {
        if let operation { cpulse_operation_unref(operation) }
    }

    // MARK: Streams

    private func open(_ request: PulseRequest) {
        guard let context else { return }
        if request.takesSingleStreams {
            let sound = ApplicationSound(
                request: request, context: context, clock: clock, deliver: deliver, report: report)
            sound.defaultSink = followedDefaults?.sink
            applications.append(sound)
            return
        }
        streams.append(PulseStream(request: request, context: context, clock: clock, deliver: deliver, report: report))
    }

    /// Restarts the streams whose source disappeared.
    private func reviveStreams() {
        for stream in streams where stream.isDead && clock.now >= stream.nextAttempt { stream.restart() }
        for application in applications { application.revive() }
    }
}
