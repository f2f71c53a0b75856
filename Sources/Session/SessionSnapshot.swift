import Capture
import Media
import Upload

/// What a session is doing at one moment, for status, events and the status line.
package struct SessionSnapshot: Sendable {
    package struct Video: Sendable {
        package var size: PixelSize
        package var frameRate: Int
        package var captured = 0
        package var encoded = 0
        package var repeated = 0
        package var dropped = 0
        /// kbit/s of late.
        package var bitrate = 0
        /// kbit/s that the encoder aims at now; nil where the quality is constant.
        package var targetBitrate: Int?
    }

    package struct Audio: Sendable {
        package var source: String?
        /// The highest peak of the last second, in dB below full scale; nil where nothing was heard.
        package var level: Double?
        package var drift = 0.0
        package var isMuted = false
    }

    package struct Destination: Sendable {
        package var name: String
        package var extensionName: String
        package var state: DestinationState
        package var url: String?
        package var path: String?
        package var byteCount: Int
        /// kbit/s of late.
        package var bitrate: Int
        package var dropped: Int
        package var backlog: MediaTime
        /// Connections after the first one.
        package var reconnects = 0
        /// How long until it is tried again, while it waits for that.
        package var nextRetry: MediaTime?
        /// Its own picture, where that is another one than the session's.
        package var picture: PixelSize?
        /// Where viewers can watch, where the far end has said so.
        package var watchURL: String?
        /// What the far end says that it is doing.
        package var statusText: String?
        package var error: UploadError?
    }

    package var state: SessionState
    package var elapsed: MediaTime
    /// Nil until it is open.
    package var source: SourceDescription?
    package var sourceSize: PixelSize?
    /// Viewers get nothing because the screen is locked.
    package var isLocked = false
    package var application: ApplicationInformation?
    package var video: Video?
    package var app: Audio?
    package var mic: Audio?
    package var destinations: [Destination]
}

/// What happens in a session, as it happens.
package enum SessionEvent: Sendable {
    case state(SessionState)
    case destination(SessionSnapshot.Destination)
    case warning(String)
    case annotation([String: String])
    case clip(BroadcastSession.Clip)
    /// Twice a second while the session runs.
    case statistics
}
