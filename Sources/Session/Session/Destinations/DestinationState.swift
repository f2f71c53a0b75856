import Media
import Upload

/// The states of a destination, as status and events name them (`docs/protocols.md`).
///
///     connecting ──► live ◄──► paused
///         │          ▲ │          │
///         │          │ ▼          ▼
///         │      reconnecting ◄───┘
///         ▼          ▼
///      failed     finished, failed
package enum DestinationState: String, Sendable {
    case connecting
    case live
    case reconnecting
    case paused
    case finished
    case failed

    package var isOver: Bool { self == .finished || self == .failed }
}

/// What a destination reports while it runs.
package enum DestinationEvent: Sendable {
    /// Its state changed, or a try to connect failed again.
    case changed(DestinationSnapshot)
    case notice(UploadNotice)
    case comment(ViewerComment)
    /// Its far end takes less than before (`acceptedBitrate`): the stream must follow before a queue overflows.
    case acceptsLess
}

/// The state and figures of a destination at one moment.
package struct DestinationSnapshot: Sendable {
    package var name: String
    package var kind: DestinationKind
    package var state: DestinationState
    /// The state before the current one.
    package var previousState: DestinationState?
    package var url: String?
    package var path: String?
    package var byteCount: Int
    /// kbit/s over the last two seconds.
    package var bitrate: Int
    package var dropped: Int
    package var backlog: MediaTime
    /// The duration of the media over all connections, without paused intervals of a recording; nil if the destination
    /// was never live.
    package var duration: MediaTime?
    /// The number of connections after the first one.
    package var reconnects = 0
    /// The time until the next try; nil if the destination does not wait for one.
    package var nextRetry: MediaTime?
    /// The size of its picture; nil if it is the session's.
    package var picture: PixelSize?
    /// The address at which viewers can watch; nil if the far end reported none.
    package var watchURL: String?
    /// The far end's description of its state; nil if it reported none. Once the destination is over, only what it
    /// reported after the end of the broadcast.
    package var statusText: String?
    /// How many people watch; nil if the far end does not say, and once the destination is over.
    package var viewers: Int?
    package var error: UploadError?
    /// True if a lost or failed connection is made again: it was live, or waits for the network.
    package var isRetried = false
    /// True if the user requested its end.
    package var isEndRequested = false

    package init(
        name: String, kind: DestinationKind, state: DestinationState, previousState: DestinationState? = nil,
        url: String? = nil,
        path: String? = nil, byteCount: Int = 0, bitrate: Int = 0, dropped: Int = 0, backlog: MediaTime = .zero,
        duration: MediaTime? = nil,
        reconnects: Int = 0, nextRetry: MediaTime? = nil, picture: PixelSize? = nil, watchURL: String? = nil,
        statusText: String? = nil,
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
