import Upload

/// How long each part of a session may take at the end. All of these times stand here, since they must stay in order:
///
///     capture thread 0.4 s, then encoders and sound 1 s, then every destination beside each other:
///     handler 0.7 s < live destinations abandoned at 0.8 s
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
    /// What `finished` of an extension's handler gets.
    package static let extensionFinish = Duration.milliseconds(5500)
    /// A live server, or a pipe without a reader, that takes nothing more does not hold up the end.
    package static let liveAbandoned = Duration.milliseconds(800)
    package static let extensionAbandoned = Duration.milliseconds(6700)
    /// No destination takes longer.
    package static let everythingAbandoned = Duration.seconds(8)
}

extension DestinationPlan {
    /// How long its handler may take to write out and close at the end.
    package var finishDeadline: Duration {
        if case .program = kind { ShutdownTimetable.extensionFinish } else { ShutdownTimetable.handlerFinish }
    }
}
