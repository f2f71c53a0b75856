/// The answer of `broadcast status --json` (docs/protocols.md). Scripts read it, so fields can be added, but not
/// changed.
package struct StatusReport: Codable, Sendable, Equatable {
    package var version = 1
    package var sessions: [SessionReport]

    package init(sessions: [SessionReport]) {
        self.sessions = sessions
    }
}

/// One session in a status report.
package struct SessionReport: Codable, Sendable, Equatable {
    package struct Source: Codable, Sendable, Equatable {
        package var kind: String
        package var display: String
        /// The name of the monitor or window, or the path of the file.
        package var name: String?
        package var width: Int?
        package var height: Int?
        /// True while viewers see nothing because the screen is locked. Omitted otherwise.
        package var locked: Bool?
        /// True while viewers see the slate outside of a pause: the screen is locked, the monitor is off, the window is
        /// closed. Omitted otherwise.
        package var withheld: Bool?
        /// True if a Wayland desktop shares it through its portal. Omitted otherwise.
        package var shared: Bool?

        package init(
            kind: String, display: String, name: String? = nil, width: Int?, height: Int?, locked: Bool? = nil,
            withheld: Bool? = nil,
            shared: Bool? = nil
        ) {
            self.kind = kind
            self.display = display
            self.name = name
            self.width = width
            self.height = height
            self.locked = locked
            self.withheld = withheld
            self.shared = shared
        }
    }

    package struct Video: Codable, Sendable, Equatable {
        package var width: Int
        package var height: Int
        package var fps: Int
        package var captured: Int
        package var encoded: Int
        package var repeated: Int
        package var dropped: Int
        /// kbit/s.
        package var bitrateKbps: Int
        /// The current target in kbit/s, or nil if the quality is constant.
        package var targetKbps: Int?
        /// True while the encoder uses its fastest preset because the machine is too slow; nil otherwise.
        package var fastestPreset: Bool?
        /// The number of frames that are encoded each second, if the machine is too slow for all; nil otherwise.
        package var encodedFps: Int?

        package init(
            width: Int, height: Int, fps: Int, captured: Int, encoded: Int, repeated: Int, dropped: Int,
            bitrateKbps: Int, targetKbps: Int? = nil,
            fastestPreset: Bool? = nil, encodedFps: Int? = nil
        ) {
            self.fastestPreset = fastestPreset
            self.encodedFps = encodedFps
            self.width = width
            self.height = height
            self.fps = fps
            self.captured = captured
            self.encoded = encoded
            self.repeated = repeated
            self.dropped = dropped
            self.bitrateKbps = bitrateKbps
            self.targetKbps = targetKbps
        }
    }

    package struct AudioSource: Codable, Sendable, Equatable {
        package var source: String?
        package var levelDb: Double?
        package var driftPpm: Double
        package var muted: Bool
        /// A sentence that says why no source is open. Omitted while one is.
        package var problem: String?

        package init(source: String?, levelDb: Double?, driftPpm: Double, muted: Bool, problem: String? = nil) {
            self.problem = problem
            self.source = source
            self.levelDb = levelDb
            self.driftPpm = driftPpm
            self.muted = muted
        }
    }

    package struct Audio: Codable, Sendable, Equatable {
        package var app: AudioSource?
        package var mic: AudioSource?

        package init(app: AudioSource?, mic: AudioSource?) {
            self.app = app
            self.mic = mic
        }
    }

    /// The active application.
    package struct Application: Codable, Sendable, Equatable {
        /// The class of its window.
        package var id: String
        /// The window's title.
        package var title: String
        /// The name in its desktop entry, or nil if it is unknown.
        package var name: String?

        package init(id: String, title: String, name: String? = nil) {
            self.id = id
            self.title = title
            self.name = name
        }
    }

    /// A rule that hides windows from viewers.
    package struct HiddenWindows: Codable, Sendable, Equatable {
        package var rule: String
        /// How many windows the rule selects now, without their dialogs and menus. Omitted until the rule is applied.
        package var windows: Int?

        package init(rule: String, windows: Int?) {
            self.rule = rule
            self.windows = windows
        }
    }

    package var session: String
    /// The same, under the key that names everything else. Nil from a session of an older program.
    package var name: String?
    package var pid: Int32
    package var state: String
    /// ISO 8601, UTC.
    package var started: String
    /// Seconds.
    package var elapsed: Double
    package var title: String?
    package var source: Source
    package var video: Video?
    package var audio: Audio
    package var application: Application?
    /// The rules that hide windows; omitted without rules.
    package var hiddenWindows: [HiddenWindows]?
    /// A sentence that says why the source ended, and the session with it. Omitted otherwise.
    package var endReason: String?
    package var destinations: [DestinationReport]

    package init(
        session: String, pid: Int32, state: String, started: String, elapsed: Double, title: String?, source: Source,
        video: Video?, audio: Audio,
        application: Application? = nil, hiddenWindows: [HiddenWindows]? = nil, endReason: String? = nil,
        destinations: [DestinationReport]
    ) {
        self.session = session
        name = session
        self.pid = pid
        self.state = state
        self.started = started
        self.elapsed = elapsed
        self.title = title
        self.source = source
        self.video = video
        self.audio = audio
        self.application = application
        self.hiddenWindows = hiddenWindows
        self.endReason = endReason
        self.destinations = destinations
    }
}

/// One destination of a session.
package struct DestinationReport: Codable, Sendable, Equatable {
    package var name: String
    package var `extension`: String
    package var state: String
    /// The address without the stream key.
    package var url: String?
    package var bytes: Int
    package var bitrateKbps: Int
    package var dropped: Int
    /// The media that it took, in seconds, or nil if it never went live.
    package var duration: Double?
    /// Media that waits to be sent, in milliseconds.
    package var queueMs: Int
    package var reconnects: Int
    /// Seconds until the next attempt, or nil if none is planned.
    package var nextRetryS: Double?
    /// The picture size of this destination, or nil if it is the session's.
    package var width: Int?
    package var height: Int?
    package var path: String?
    package var watchUrl: String?
    /// How many people watch, or nil if the destination does not say.
    package var viewers: Int?
    /// The status that the extension reported.
    package var status: String?
    package var error: ErrorReport?

    package init(
        name: String, extension: String, state: String, url: String?, bytes: Int, bitrateKbps: Int, dropped: Int,
        duration: Double? = nil, queueMs: Int, reconnects: Int = 0, nextRetryS: Double? = nil, width: Int? = nil,
        height: Int? = nil,
        path: String?, watchUrl: String? = nil, viewers: Int? = nil, status: String? = nil, error: ErrorReport?
    ) {
        self.name = name
        self.extension = `extension`
        self.state = state
        self.url = url
        self.bytes = bytes
        self.bitrateKbps = bitrateKbps
        self.dropped = dropped
        self.duration = duration
        self.queueMs = queueMs
        self.reconnects = reconnects
        self.nextRetryS = nextRetryS
        self.width = width
        self.height = height
        self.path = path
        self.watchUrl = watchUrl
        self.viewers = viewers
        self.status = status
        self.error = error
    }
}

/// An error: an HTTP-style code, and a sentence that contains the next step.
package struct ErrorReport: Codable, Sendable, Equatable {
    /// The code of the answer to `remove-destination` for the last destination.
    package static let onlyDestination = 405

    package var code: Int
    package var message: String
    /// The exit status of the program if this is the only error.
    package var status: Int32?

    package init(code: Int, message: String, status: Int32? = nil) {
        self.code = code
        self.message = message
        self.status = status
    }
}
