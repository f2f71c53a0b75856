import CPulse
import Glibc
import Media
import WindowPrivacy

/// A request for one source of sound from PulseAudio.
package struct PulseRequest: Sendable, Equatable {
    /// `app` or `mic`.
    package var track: Track
    /// The name of the source in PulseAudio, or `app:` and the name of an application. Nil for the monitor of the
    /// default sink (`app`) or for the default source (`mic`).
    package var sourceName: String?
    /// The rules of the windows whose processes are muted, if PulseAudio knows the process of a stream. Nil to mute
    /// nothing.
    package var mutedWindows: HiddenWindowRules?

    package init(track: Track, sourceName: String? = nil, mutedWindows: HiddenWindowRules? = nil) {
        self.track = track
        self.sourceName = sourceName
        self.mutedWindows = mutedWindows
    }

    package static func == (one: PulseRequest, other: PulseRequest) -> Bool {
        one.track == other.track && one.sourceName == other.sourceName && one.mutedWindows === other.mutedWindows
    }

    /// True if playback streams are recorded separately: those of one application, or all except the muted ones. A
    /// microphone is always recorded as a whole.
    package var takesSingleStreams: Bool {
        applicationName != nil
            || (mutedWindows != nil && track == .app && sourceName.map { $0.hasSuffix(".monitor") } ?? true)
    }

    /// The application whose sound is recorded, or nil to record a whole source.
    package var applicationName: String? {
        guard let sourceName, sourceName.hasPrefix("app:") else { return nil }
        return String(sourceName.dropFirst(4))
    }

    /// The device name that PulseAudio resolves when a stream is connected.
    var deviceName: String {
        sourceName ?? (track == .mic ? "@DEFAULT_SOURCE@" : "@DEFAULT_MONITOR@")
    }
}

/// A change of the recording, for warnings and status.
package enum PulseEvent: Sendable, Equatable {
    /// The source with this name now delivers sound for `track`.
    case started(Track, source: String)
    /// No sound of `track` for now. The recorder tries again every second.
    case interrupted(Track, PulseProblem)
    /// No PulseAudio server can be reached; PulseAudio's error code. The recorder tries again every second.
    case serverUnavailable(code: Int32)
}

/// Why a source provides no sound.
package enum PulseProblem: Sendable, Equatable {
    /// PulseAudio's error code.
    case server(code: Int32)
    /// No microphone is there: PulseAudio's default source is the monitor of a sink.
    case noMicrophone
    /// The application plays nothing now.
    case applicationSilent(String)
}

extension PulseProblem {
    /// PulseAudio's description of an error code, with what to do if this process cannot find the server.
    ///
    /// - Parameter knowsPlace: false if the environment does not say where the server is. cron, and some ways over SSH,
    ///   do not set it.
    package static func reason(_ code: Int32, knowsPlace: Bool = knowsPlace) -> String {
        let known = cpulse_open() ? cpulse_strerror(code).map { String(cString: $0) } : nil
        let reason = known ?? "error \(code)"
        // Only then the server was not found.
        guard code == Int32(PA_ERR_CONNECTIONREFUSED.rawValue), !knowsPlace else { return reason }
        return "\(reason); XDG_RUNTIME_DIR is not set: set it to /run/user/\(getuid())"
    }

    /// True if the environment says where libpulse looks for the server.
    package static var knowsPlace: Bool { getenv("XDG_RUNTIME_DIR") != nil || getenv("PULSE_SERVER") != nil }
}
