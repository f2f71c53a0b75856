import CPulse
import Concurrency

/// A sound source in PulseAudio.
package struct PulseSource: Sendable, Equatable {
    package var name: String
    package var description: String
    /// True for the monitor of a sink.
    package var isMonitor: Bool
    /// True if `app` or `mic` uses this source when no source is named.
    package var isDefault: Bool
}

/// Requests the list of sources from PulseAudio once.
package final class PulseSourceList {
    private var sources: [PulseSource] = []
    private var defaultSink = ""
    private var defaultSource = ""
    private var pending = 2

    /// Returns the current sources, or nil if no server answers within `timeout` milliseconds. Blocks the calling
    /// thread.
    package static func fetch(timeout: Int = 2000) -> [PulseSource]? {
        PulseSourceList().run(timeout: timeout)
    }

    private func run(timeout: Int) -> [PulseSource]? {
        guard let mainloop = pa_mainloop_new() else { return nil }
        defer { pa_mainloop_free(mainloop) }
        guard let context = pa_context_new(pa_mainloop_get_api(mainloop), "broadcast") else { return nil }
        defer {
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        guard pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { return nil }
        let deadline = SessionClock.monotonic() + Int64(timeout) * 1_000_000
        var isAsked = false
        while pending > 0 && SessionClock.monotonic() < deadline {
            guard pa_mainloop_prepare(mainloop, 50_000) >= 0, pa_mainloop_poll(mainloop) >= 0 else { return nil }
            _ = pa_mainloop_dispatch(mainloop)
            let state = pa_context_get_state(context)
            if state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED { return nil }
            if state == PA_CONTEXT_READY && !isAsked {
                isAsked = true
                ask(context)
            }
        }
        guard pending == 0 else { return nil }
        return sources.map { source in
            var source = source
            source.isDefault = source.name == defaultSource || source.name == defaultSink + ".monitor"
            return source
        }
    }

    private func ask(_ context: OpaquePointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        let server = pa_context_get_server_info(
            context,
            { _, info, userdata in
                guard let userdata else { return }
                let list = Unmanaged<PulseSourceList>.fromOpaque(userdata).takeUnretainedValue()
                list.defaultSink = info?.pointee.default_sink_name.map { String(cString: $0) } ?? ""
                list.defaultSource = info?.pointee.default_source_name.map { String(cString: $0) } ?? ""
                list.pending -= 1
            }, me)
        if let server { pa_operation_unref(server) }
        let all = pa_context_get_source_info_list(
            context,
            { _, info, isLast, userdata in
                guard let userdata else { return }
                let list = Unmanaged<PulseSourceList>.fromOpaque(userdata).takeUnretainedValue()
                if isLast != 0 { list.pending -= 1 }
                guard let info = info?.pointee, let name = info.name else { return }
                list.sources.append(
                    PulseSource(
                        name: String(cString: name), description: info.description.map { String(cString: $0) } ?? "",
                        isMonitor: info.monitor_of_sink != UInt32.max, isDefault: false))
            }, me)
        if let all { pa_operation_unref(all) }
    }
}
