import Upload

/// How long each part of a session may take at the end. All of these times stand here, since they must stay in order:
///
///     capture thread 0.4 s, then encoders and sound 1 s, then every destination beside each other:
///     handler 0.7 s < backlog of live destinations discarded at 0.8 s, and those that accept nothing abandoned
///     end of an RTMP stream 2 s < slow live destinations abandoned at 3 s
///     extension: exits 5 s after `finish`, its handler has 5.5 s, abandoned at 6.7 s < all abandoned at 8 s
///
/// The extensions that are shipped write out within 2.5 s (hls) and 4.5 s (srt); `ExtensionLaunch.Deadlines` has the 5 s.
package enum ShutdownTimetable {
    /// A capture thread that hangs in the X server is left to itself after this.
    package static let captureThread = Duration.milliseconds(400)
    /// An encoder or sound thread is left to itself after this.
    package static let encoderThread = Duration.seconds(1)
    /// What `finished` of a built-in handler gets.
    package static let handlerFinish = Duration.milliseconds(700)
    /// What `finished` of an RTMP handler gets: the end of the stream follows what the channel still holds.
    package static let streamEnd = Duration.seconds(2)
    /// What `finished` of an extension's handler gets.
    package static let extensionFinish = Duration.milliseconds(5500)
    /// The backlog of a live destination is discarded after this time. A live server, or a pipe without a reader, that
    /// accepts nothing is abandoned.
    package static let backlogDiscarded = Duration.milliseconds(800)
    /// A live server that accepts the end of the stream slowly is abandoned after this time.
    package static let slowAbandoned = Duration.seconds(3)
    package static let extensionAbandoned = Duration.milliseconds(6700)
    /// No destination takes longer.
    package static let everythingAbandoned = Duration.seconds(8)
}

extension DestinationPlan {
    /// How long its handler may take to write out and close at the end.
    package var finishDeadline: Duration {
        switch kind {
        case .program: ShutdownTimetable.extensionFinish
        case .rtmp: ShutdownTimetable.streamEnd
        case .file, .stdout, .clips: ShutdownTimetable.handlerFinish
        }
    }
}
