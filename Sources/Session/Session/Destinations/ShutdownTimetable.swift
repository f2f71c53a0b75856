import Pipeline
import Upload

/// The time limits of each part of a session at its end. They are in one place because their order matters:
///
///     capture thread 0.4 s, then encoders and sound 1 s, then all destinations at the same time:
///     handler 0.7 s < backlog of live destinations discarded at 0.8 s, and those that accept nothing abandoned
///     end of an RTMP stream 2 s < slow live destinations abandoned at 3 s
///     extension: exits 5 s after `finish`, its handler has 5.5 s, abandoned at 6.7 s < all abandoned at 8 s
///     recording on a slow disk: as long as it grows by some bytes in 5 s
///
/// The extensions that are shipped write everything within 2.5 s (hls) and 4.5 s (srt); `ExtensionLaunch.Deadlines` has
/// the 5 s.
package enum ShutdownTimetable {
    /// The limits for the threads of the pipeline, which can hang in the X server or in an encoder. The session does
    /// not wait longer for them.
    package static let threads = ThreadLimits(capture: .milliseconds(400), encoder: .seconds(1))
    /// The limit for `finished` of a built-in handler.
    package static let handlerFinish = Duration.milliseconds(700)
    /// The limit for `finished` of an RTMP handler, which sends the rest of the channel and then the end of the stream.
    package static let streamEnd = Duration.seconds(2)
    /// The limit for `finished` of an extension's handler.
    package static let extensionFinish = Duration.milliseconds(5500)
    /// The backlog of a live destination that is not an extension is discarded after this time. A live server, or a
    /// pipe without a reader, that accepts nothing is abandoned.
    package static let backlogDiscarded = Duration.milliseconds(800)
    /// A live server that accepts the end of the stream slowly is abandoned after this time.
    package static let slowAbandoned = Duration.seconds(3)
    /// An extension is abandoned after this time.
    package static let extensionAbandoned = Duration.milliseconds(6700)
    /// Any destination counts as failed after this time, but a recording whose file grows.
    package static let everythingAbandoned = Duration.seconds(8)
    /// A recording whose file did not grow in this time counts as failed.
    package static let recordingProgress = Duration.seconds(5)
}

extension DestinationPlan {
    /// The limit for `finished` of the destination's handler.
    package var finishDeadline: Duration {
        switch kind {
        case .program: ShutdownTimetable.extensionFinish
        case .rtmp: ShutdownTimetable.streamEnd
        case .file, .stdout, .clips: ShutdownTimetable.handlerFinish
        }
    }
}
