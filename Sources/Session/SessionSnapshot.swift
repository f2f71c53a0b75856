import Capture
import Media
import Upload

/// The state and figures of a session at one moment.
package struct SessionSnapshot: Sendable {
    package struct Video: Sendable {
        package var size: PixelSize
        package var frameRate: Int
        package var captured = 0
        package var encoded = 0
        package var repeated = 0
        package var dropped = 0
        /// kbit/s over the last two seconds.
        package var bitrate = 0
        /// kbit/s that the encoder aims at now; nil if the quality is constant.
        package var targetBitrate: Int?
    }

    package struct Audio: Sendable {
        package var source: String?
        /// The highest peak of the last second, in dB below full scale; nil if nothing was heard.
        package var level: Double?
        package var drift = 0.0
        package var isMuted = false
    }

    /// A rule that hides windows.
    package struct HiddenWindows: Sendable {
        package var rule: String
        /// How many windows the rule selects now, without their dialogs and menus. Nil until it is applied.
        package var count: Int?
    }

    package struct Destination: Sendable {
        package var name: String
        package var kind: DestinationKind
        package var state: DestinationState
        /// The state before this one.
        package var previousState: DestinationState?
        package var url: String?
        package var path: String?
        package var byteCount: Int
        /// kbit/s over the last two seconds.
        package var bitrate: Int
        package var dropped: Int
        package var backlog: MediaTime
        /// The media that it took, over all its connections, without what a recording leaves out; nil if it never went live.
        package var duration: MediaTime?
        /// Connections after the first one.
        package var reconnects = 0
        /// The time until the next try, while it waits for that.
        package var nextRetry: MediaTime?
        /// The size of its picture, if that is not the session's.
        package var picture: PixelSize?
        /// Where viewers can watch, if the far end reported it.
        package var watchURL: String?
        /// What the far end is doing, in its own words.
        package var statusText: String?
        package var error: UploadError?

        package init(
            name: String, kind: DestinationKind, state: DestinationState, previousState: DestinationState? = nil, url: String? = nil,
            path: String? = nil, byteCount: Int = 0, bitrate: Int = 0, dropped: Int = 0, backlog: MediaTime = .zero, duration: MediaTime? = nil,
            reconnects: Int = 0, nextRetry: MediaTime? = nil, picture: PixelSize? = nil, watchURL: String? = nil, statusText: String? = nil,
            error: UploadError? = nil
        ) {
            self.name = name
            self.kind = kind
            self.state = state
            self.previousState = previousState
            self.url = url
            self.path = path
            self.byteCount = byteCount
            self.bitrate = bitrate
            self.dropped = dropped
            self.backlog = backlog
            self.duration = duration
            self.reconnects = reconnects
            self.nextRetry = nextRetry
            self.picture = picture
            self.watchURL = watchURL
            self.statusText = statusText
            self.error = error
        }
    }

    package var state: SessionState
    package var elapsed: MediaTime
    /// Nil until it is open.
    package var source: SourceDescription?
    package var sourceSize: PixelSize?
    /// Viewers get the slate because the screen is locked.
    package var isLocked = false
    package var video: Video?
    package var app: Audio?
    package var mic: Audio?
    package var hiddenWindows: [HiddenWindows] = []
    package var destinations: [Destination]
}

extension SessionSnapshot {
    /// A session that has no source yet.
    package init(state: SessionState, elapsed: MediaTime, destinations: [Destination]) {
        self.init(state: state, elapsed: elapsed, source: nil, destinations: destinations)
    }
}
