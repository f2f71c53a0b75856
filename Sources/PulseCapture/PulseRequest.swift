import CPulse
import Media
import WindowPrivacy

/// One source of sound that is wanted from PulseAudio.
package struct PulseRequest: Sendable, Equatable {
    /// `app` or `mic`.
    package var track: Track
    /// The source's name as PulseAudio knows it, or `app:` and an application's; nil for the default sink's monitor (`app`) or the
    /// default source (`mic`).
    package var sourceName: String?
    /// Windows whose processes must not be heard, as far as PulseAudio knows which stream is theirs; nil where everything is heard.
    package var mutedWindows: HiddenWindowRules?

    package init(track: Track, sourceName: String? = nil, mutedWindows: HiddenWindowRules? = nil) {
        self.track = track
        self.sourceName = sourceName
        self.mutedWindows = mutedWindows
    }

    package static func == (one: PulseRequest, other: PulseRequest) -> Bool {
        one.track == other.track && one.sourceName == other.sourceName && one.mutedWindows === other.mutedWindows
    }

    /// True where what is played is recorded stream by stream: one application's, or all but the muted ones'. A microphone is recorded whole.
    var takesSingleStreams: Bool {
        applicationName != nil || (mutedWindows != nil && track == .app && sourceName.map { $0.hasSuffix(".monitor") } ?? true)
    }

    /// The application whose sound alone is wanted; nil where a whole source is.
    package var applicationName: String? {
        guard let sourceName, sourceName.hasPrefix("app:") else { return nil }
        return String(sourceName.dropFirst(4))
    }

    /// The name that PulseAudio resolves when a stream is connected.
    var deviceName: String {
        sourceName ?? (track == .mic ? "@DEFAULT_SOURCE@" : "@DEFAULT_MONITOR@")
    }
}

/// What became of the sound, for warnings and status.
package enum PulseEvent: Sendable, Equatable {
    /// Sound of `track` comes from the source of this name.
    case started(Track, source: String)
    /// No sound of `track` for now. The recorder tries again every second.
    case interrupted(Track, PulseProblem)
    /// No PulseAudio server can be reached; PulseAudio's error code. The recorder tries again every second.
    case serverUnavailable(code: Int32)
}

/// Why a source gives no sound.
package enum PulseProblem: Sendable, Equatable {
    /// PulseAudio's error code.
    case server(code: Int32)
    /// No microphone is there: PulseAudio's default source is the monitor of a sink.
    case noMicrophone
    /// The application plays nothing now.
    case applicationSilent(String)
}

extension PulseProblem {
    /// PulseAudio's description of an error code.
    package static func reason(_ code: Int32) -> String {
        pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
