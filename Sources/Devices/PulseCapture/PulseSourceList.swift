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

    package init(name: String, description: String, isMonitor: Bool, isDefault: Bool) {
        self.name = name
        self.description = description
        self.isMonitor = isMonitor
        self.isDefault = isDefault
    }
}

/// An application that plays sound.
package struct PlayingApplication: Sendable, Equatable {
    /// Its name, which `app:NAME` selects.
    package var name: String
    /// The title of the media that it reports; may be empty.
    package var media: String

    package init(name: String, media: String) {
        self.name = name
        self.media = media
    }
}

/// What PulseAudio offers at one moment.
package struct PulseInventory: Sendable, Equatable {
    package var sources: [PulseSource] = []
    /// Each application once, in the order in which they began to play.
    package var applications: [PlayingApplication] = []
    /// How long the default output takes to play what it is given; nil while it plays nothing. It is long with
    /// Bluetooth.
    package var outputDelay: Duration?

    package init(
        sources: [PulseSource] = [], applications: [PlayingApplication] = [], outputDelay: Duration? = nil
    ) {
        self.sources = sources
        self.applications = applications
        self.outputDelay = outputDelay
    }
}

/// Requests the list of sources from PulseAudio once.
package final class PulseSourceList {
    private var sources: [PulseSource] = []
    private var applications: [PlayingApplication] = []
    private var defaultSink = ""
    private var defaultSource = ""
    private var outputDelay: Duration?
    private var pending = 4

    /// Returns the current sources, or nil if no server answers within `timeout` milliseconds, or without
    /// libpulse. Blocks the calling thread.
    package static func fetch(timeout: Int = 2000) -> [PulseSource]? {
        inventory(timeout: timeout)?.sources
    }

    /// Returns the current sources and the applications that play sound, or nil if no server answers within `timeout`
    /// milliseconds. Blocks the calling thread.
    package static func inventory(timeout: Int = 2000) -> PulseInventory? {
        PulseSourceList().run(timeout: timeout)
    }

    private func run(timeout: Int) -> PulseInventory? {
        guard cpulse_open(), let mainloop = cpulse_mainloop_new() else { return nil }
        defer { cpulse_mainloop_free(mainloop) }
        guard let context = cpulse_context_new(cpulse_mainloop_get_api(mainloop), "broadcast") else { return nil }
        defer {
            cpulse_context_disconnect(context)
            cpulse_context_unref(context)
        }
        guard cpulse_context_connect(context, PulseAddress.server(), PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
            return nil
        }
        let deadline = SessionClock.monotonic() + Int64(timeout) * 1_000_000
        var isAsked = false
        while pending > 0 && SessionClock.monotonic() < deadline {
            guard cpulse_mainloop_prepare(mainloop, 50_000) >= 0, cpulse_mainloop_poll(mainloop) >= 0 else {
                return nil
            }
            _ = cpulse_mainloop_dispatch(mainloop)
            let state = cpulse_context_get_state(context)
            if state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED { return nil }
            if state == PA_CONTEXT_READY && !isAsked {
                isAsked = true
                ask(context)
            }
        }
        guard pending == 0 else { return nil }
        let marked = sources.map { source in
            var source = source
            source.isDefault = source.name == defaultSource || source.name == defaultSink + ".monitor"
            return source
        }
        return PulseInventory(sources: marked, applications: applications, outputDelay: outputDelay)
    }

    private func ask(_ context: OpaquePointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        let server = cpulse_context_get_server_info(
            context,
            { _, info, userdata in
                guard let userdata else { return }
                let list = Unmanaged<PulseSourceList>.fromOpaque(userdata).takeUnretainedValue()
                list.defaultSink = info?.pointee.default_sink_name.map { String(cString: $0) } ?? ""
                list.defaultSource = info?.pointee.default_source_name.map { String(cString: $0) } ?? ""
                list.pending -= 1
            }, me)
        if let server { cpulse_operation_unref(server) }
        let all = cpulse_context_get_source_info_list(
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
        if let all { cpulse_operation_unref(all) }
        let output = cpulse_context_get_sink_info_by_name(
            context, "@DEFAULT_SINK@",
            { _, info, isLast, userdata in
                guard let userdata else { return }
                let list = Unmanaged<PulseSourceList>.fromOpaque(userdata).takeUnretainedValue()
                // Negative if there is no such output.
                if isLast != 0 { list.pending -= 1 }
                guard let info = info?.pointee, info.state == PA_SINK_RUNNING else { return }
                list.outputDelay = .microseconds(Int64(clamping: info.latency))
            }, me)
        if let output { cpulse_operation_unref(output) }
        let inputs = cpulse_context_get_sink_input_info_list(
            context,
            { _, info, isLast, userdata in
                guard let userdata else { return }
                let list = Unmanaged<PulseSourceList>.fromOpaque(userdata).takeUnretainedValue()
                if isLast != 0 { list.pending -= 1 }
                if let info = info?.pointee { list.note(info) }
            }, me)
        if let inputs { cpulse_operation_unref(inputs) }
    }

    /// Notes the application of a playback stream, by the first of the names that `app:NAME` accepts. Streams without
    /// one, such as those of PulseAudio's modules, cannot be selected.
    private func note(_ input: pa_sink_input_info) {
        guard let properties = input.proplist else { return }
        let names: [String] = [PA_PROP_APPLICATION_NAME, PA_PROP_APPLICATION_PROCESS_BINARY, PA_PROP_APPLICATION_ID]
        guard
            let name = names.lazy.compactMap({ cpulse_proplist_gets(properties, $0).map { String(cString: $0) } })
                .first(
                    where: { !$0.isEmpty }),
            !applications.contains(where: { $0.name == name })
        else { return }
        let media = cpulse_proplist_gets(properties, PA_PROP_MEDIA_NAME).map { String(cString: $0) } ?? ""
        applications.append(PlayingApplication(name: name, media: media))
    }
}
